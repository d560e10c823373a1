/** What the rigs' side shows of itself; implemented by the stratum server, shown by the web and the terminal. */

import type { Name } from '../../core/names/names.js';
import type { Ban } from '../../operations/bans.js';
import type { MiningAccount } from '../../operations/books/accounts.js';
import type { Drain } from '../../operations/drain.js';
import type { RigState } from '../../operations/enums.js';
import type { ListedAddresses, OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { Rig, RigDetail, RigQuery, Session } from '../../operations/rigs.js';
import type { BridgeRows } from './other-bridges.js';

/** Which part of a list is wanted. */
export interface Slice {
  /** Items before the first one wanted. */
  readonly offset: number;
  readonly limit: number;
}

/** Of which accounts. */
export interface AccountsAsked extends Slice {
  /** Only those with this in their name, in large or small letters. */
  readonly q?: string | undefined;
}

export interface Listing<T> {
  /** Items of the whole list. */
  readonly total: number;
  /** Those of the slice. */
  readonly items: readonly T[];
}

export interface RigListing extends Listing<Rig> {
  /** Of those that are asked for, whatever their state. */
  readonly states: Readonly<Record<RigState, number>>;
}

export interface RigCounts {
  /** Open ones, ready or not. */
  readonly sessions: number;
  /** nonce1 values that are leased, CPU threads' included. */
  readonly leased: number;
  /** Ended sessions that may be resumed. */
  readonly resumable: number;
  /** In force. */
  readonly bans: number;
  /** Connections that wait for their turn in a storm of them. */
  readonly waiting: number;
  /** Connections that were not let in, since the start. */
  readonly refused: number;
}

/** Lists are of all bridges on the ledger as far as they have shown their rows; they are up to a second old, but for bans; long ones are worked out in slices, between which rigs are served. */
export interface RigWatch {
  /** At hand. */
  counts(): RigCounts;
  /** Fastest first, by the last five minutes, as are accounts. */
  sessions(slice: Slice): Promise<Listing<Session>>;
  /**
   * Those that are connected, and those that had a share accepted, CPU threads included; of these the longest silent are
   * forgotten when there are too many.
   */
  rigs(query: RigQuery): Promise<RigListing>;
  /** Names of those that are online, CPU threads not included: in parts of at most a thousand, each as it is when it is asked for. */
  online(): AsyncIterable<readonly Name[]>;
  /** `undefined` when it is not among them. */
  rig(account: string, rig: string): RigDetail | undefined;
  accounts(question: AccountsAsked): Promise<Listing<MiningAccount>>;
  /** Of all that `accounts` lists where nothing is searched, in that order. */
  accountNames(): Promise<readonly string[]>;
  /** Open sessions by account that they have authorized, also of those that had no share accepted. */
  sessionsByAccount(): Promise<ReadonlyMap<string, number>>;
  /** All rows of this bridge alone, for the others. */
  here(): Promise<BridgeRows>;
  bans(): readonly Ban[];
  /** Rigs that are held at a difficulty. */
  difficulties(): readonly OrderedDifficulty[];
  labels(): readonly RigLabel[];
  /** That are allowed or denied by order. */
  addresses(): readonly ListedAddresses[];
  drain(): Drain;
}
