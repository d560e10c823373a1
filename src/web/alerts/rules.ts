/** What alerts go by: bounds and targets, from the settings. */
import type { Condition, TargetChoice } from '../../bridge/alerts/alerts.js';

/** Bounds that no operator sets; those of Prometheus' rules are the same. */
export const BOUNDS = {
  /** An alert that stays open is told again after this time. */
  repeatMs: 6 * 3_600_000,
  /** Of the pool's rate of the last day. */
  poolHashRatePart: 0.5,
  /** Of the submits of a quarter of an hour. */
  acceptedPart: 0.95,
  /** Without work of a node. */
  nodeMs: 600_000,
  /** Without a fresh job. */
  jobMs: 300_000,
  /** Shares that wait on disk, as the queue takes none. */
  heldBackMs: 600_000,
  /** That wait to be recorded. */
  queueEntries: 1_000,
  /** A ledger that does not answer. */
  ledgerMs: 120_000,
  /** To the end of a certificate. */
  certificateMs: 14 * 86_400_000,
  /** That a block waits to be split. */
  splitMs: 900_000,
  /** A payout is due when the last one is older. */
  payoutMs: 86_400_000,
} as const;

/** Where notices go. What is not in {@link TargetChoice} holds secrets: it is never logged and never shown. */
export type AlertTarget = TargetChoice &
  (
    | { readonly type: 'webhook'; readonly url: string; readonly secret: string }
    | { readonly type: 'discord' | 'slack'; readonly url: string }
    | { readonly type: 'telegram'; readonly url: string; readonly token: string; readonly chat: string }
    | { readonly type: 'ntfy'; readonly url: string; readonly token: string; readonly topic: string }
  );

export interface OnChainRules {
  /** Coins that stay on each chain. */
  readonly reserve: bigint;
  /** Over all chains; `undefined`: any. */
  readonly maxHot: bigint | undefined;
}

export interface AlertRules {
  readonly targets: readonly AlertTarget[];
  /** What is not told of. */
  readonly off: readonly Condition[];
  readonly rigOfflineMs: number;
  /** Hashes a second; beside {@link BOUNDS}.poolHashRatePart. */
  readonly poolHashRate: number;
  readonly accountHashRates: Readonly<Record<string, number>>;
  /** By login. */
  readonly rigHashRates: Readonly<Record<string, number>>;
  /** Left on the disk that has the data directory. */
  readonly diskBytes: number;
  /** Balances below it are not paid: a decimal. */
  readonly minimumPayout: string;
  /** Of payouts on chain; `undefined`: nothing of them is told. */
  readonly onChain: OnChainRules | undefined;
}
