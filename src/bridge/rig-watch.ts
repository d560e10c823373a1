/** What the rigs' side shows of itself; implemented by the stratum server, shown by the web and the terminal. */
import type { HashRate } from '../core/hash-rate.js';
import type { Difficulty } from '../core/target.js';
import type { SessionInfo } from './events.js';

/** Which part of a list is wanted. */
export interface Slice {
  /** Items before the first one wanted. */
  readonly offset: number;
  readonly limit: number;
}

export interface Listing<T> {
  /** Items of the whole list. */
  readonly total: number;
  /** Those of the slice. */
  readonly items: readonly T[];
}

export interface SessionReport extends SessionInfo {
  /** Empty when the rig does not say. */
  readonly agent: string;
  readonly logins: readonly { readonly account: string; readonly rig: string }[];
  readonly openedAtMs: number;
  /** `undefined` while it has no job. */
  readonly chainId: number | undefined;
  /** Of the shares of its newest job, as issued; `undefined` while it has none. */
  readonly difficulty: Difficulty | undefined;
  /** Since it was opened. */
  readonly hashRates: readonly HashRate[];
}

export interface AccountReport {
  readonly account: string;
  /** Open sessions that have authorized this account, or rig of it. */
  readonly sessions: number;
  readonly hashRates: readonly HashRate[];
  readonly lastShareAtMs: number;
}

export interface RigReport extends AccountReport {
  /** Empty when the login named none. */
  readonly rig: string;
}

export interface Ban {
  readonly kind: 'rig' | 'address';
  /** `account.rig`; empty when the address is banned. */
  readonly login: string;
  /** As limits count: an IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  readonly reason: string;
  readonly untilMs: number;
}

export interface RigCounts {
  /** Open ones, ready or not. */
  readonly sessions: number;
  /** nonce1 values that are leased, CPU threads' included. */
  readonly leased: number;
  /** Ended sessions that may be resumed. */
  readonly parked: number;
  /** In force. */
  readonly bans: number;
  /** Connections that wait for their turn in a storm of them. */
  readonly waiting: number;
  /** Connections that were not let in, since the start. */
  readonly refused: number;
}

/** Sessions, rigs and accounts come fastest first, by the last five minutes. */
export interface RigWatch {
  counts(): RigCounts;
  sessions(slice: Slice): Listing<SessionReport>;
  /** Those that had a share accepted, CPU threads included; the longest silent are forgotten when there are too many. */
  rigs(slice: Slice): Listing<RigReport>;
  accounts(slice: Slice): Listing<AccountReport>;
  bans(slice: Slice): Listing<Ban>;
}
