/** What a bridge knows at one moment of all that alerts are about. What is `undefined` is not known now, and judged by nobody. */
import type { Payable, Unweighed } from '../../bridge/alerts/alerts.js';
import type { NodeReport } from '../../bridge/events.js';
import type { PayerReport } from '../../bridge/watch/payer-watch.js';

/** A bridge whose ledger has not given it a number yet. */
export const UNNUMBERED = 'a bridge';

export interface Snapshot {
  /** `bridge 3`, or {@link UNNUMBERED}. */
  readonly bridge: string;
  readonly isLedgerUp: boolean;
  readonly nodes: readonly Pick<NodeReport, 'url' | 'state' | 'reason'>[];
  readonly signs: Signs;
  readonly queue: { readonly waiting: number; readonly heldBack: number } | undefined;
  /** Of all bridges, from the books; up to a minute old. */
  readonly figures: Figures | undefined;
}

/** What only this process can tell. */
export interface Signs {
  /** Since the newest fresh job, or since the start. */
  readonly jobAgeMs: number;
  /** Of the file system that has the data directory. */
  readonly diskFreeBytes: number | undefined;
  readonly certificates: readonly { readonly of: CertificateOf; readonly endsInMs: number }[];
  /** Nodes say different things in headers of the same place. */
  readonly forkVotesDiffer: boolean | undefined;
}

export const CERTIFICATES = ['rigs', 'web'] as const;
export type CertificateOf = (typeof CERTIFICATES)[number];

/** Over the last quarter of an hour. */
export interface Rate {
  readonly hashesPerSecond: number;
  readonly standardError: number;
}

export interface Figures {
  readonly pool: Rate;
  /** Over the last day, while shares came; `undefined` while there are less than six hours of them. */
  readonly usual: number | undefined;
  /** Those of the settings that are in the books. */
  readonly accounts: ReadonlyMap<string, Rate>;
  /** By login, likewise. */
  readonly rigs: ReadonlyMap<string, Rate>;
  /** Of the last quarter of an hour. */
  readonly submits: { readonly accepted: number; readonly rejected: number };
  readonly unweighed: Unweighed | undefined;
  readonly payable: Payable | undefined;
  readonly onChain: { readonly payer: PayerReport; readonly held: number } | undefined;
}
