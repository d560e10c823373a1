/** What alerts go by: bounds and targets, from the settings. */
import type { EventCondition, TargetChoice } from '../../bridge/alerts/alerts.js';

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

/** A bound of 0 switches its condition off. */
export interface AlertRules {
  readonly targets: readonly AlertTarget[];
  readonly repeatMs: number;
  readonly rigOfflineMs: number;
  /** Hashes a second. */
  readonly poolHashRate: number;
  /** Of the pool's rate of the last day, 0 to 1. */
  readonly poolHashRatePart: number;
  readonly accountHashRates: Readonly<Record<string, number>>;
  /** By login. */
  readonly rigHashRates: Readonly<Record<string, number>>;
  /** Of all submits, 0 to 1. */
  readonly acceptedPart: number;
  readonly nodeMs: number;
  readonly jobMs: number;
  readonly forkVotes: boolean;
  readonly heldBackMs: number;
  readonly queueEntries: number;
  readonly ledgerMs: number;
  readonly diskBytes: number;
  readonly certificateMs: number;
  readonly events: readonly EventCondition[];
  /** A payout is due when the last one is older. */
  readonly splitMs: number;
  readonly payoutMs: number;
  /** Balances below it are not paid: a decimal. */
  readonly minimumPayout: string;
  /** Of payouts on chain; `undefined`: nothing of them is told. */
  readonly onChain: OnChainRules | undefined;
  /** Miners' webhooks are signed by keys made of it; empty: they have none. */
  readonly minersKey: string;
  /** Miners' webhooks may lead to addresses that are not public. */
  readonly minersPrivate: boolean;
}
