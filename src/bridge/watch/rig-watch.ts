/** What the rigs' side shows of itself; implemented by the stratum server, shown by the web and the terminal. */

import type { Name } from '../../core/names/names.js';
import type { HashRate } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/share.js';
import type { Difficulty } from '../../core/work/target.js';
import type { SessionInfo } from '../events.js';
import type { Ban, DrainReport } from '../orders/steering.js';

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
  /** Since it was opened, and before that where the rig came back; as are the rest. */
  readonly hashRates: readonly HashRate[];
  readonly accepted: number;
  readonly rejections: Readonly<Partial<Record<Rejection, number>>>;
  /** The highest difficulty that one of its shares has reached; 0 before the first. */
  readonly bestShare: number;
}

export interface AccountReport {
  readonly account: string;
  /** Open sessions that have authorized this account, or rig of it. */
  readonly sessions: number;
  readonly hashRates: readonly HashRate[];
  readonly lastShareAtMs: number;
}

/**
 * `online`: it submits or answers. `idle`: it is connected, and has been silent for longer than is usual at its share rate.
 * `offline`: not connected. `banned`: not connected, and would not be let in.
 */
export const RIG_STATES = ['online', 'idle', 'offline', 'banned'] as const;
export type RigState = (typeof RIG_STATES)[number];

export interface RigReport {
  readonly account: string;
  /** Empty when the login named none. */
  readonly rig: string;
  /** What an operator calls it. */
  readonly label: string | undefined;
  readonly state: RigState;
  /** Open ones that have authorized it. */
  readonly sessions: number;
  /** When the first of these was opened; `undefined` while there is none. */
  readonly connectedAtMs: number | undefined;
  /** Of its newest session, or of its last one; empty when the rig does not say. */
  readonly agent: string;
  /** Of the shares of its newest session; `undefined` while it has no job. */
  readonly difficulty: Difficulty | undefined;
  /** At which an operator holds it. */
  readonly orderedDifficulty: Difficulty | undefined;
  readonly hashRates: readonly HashRate[];
  /** Submits since the bridge started, or since the rig was forgotten. */
  readonly accepted: number;
  readonly rejections: Readonly<Partial<Record<Rejection, number>>>;
  /** The highest difficulty that one of its shares has reached meanwhile; 0 before the first. */
  readonly bestShare: number;
  readonly lastShareAtMs: number | undefined;
}

/** `hashRate` is that of five minutes, `rate1h` and `rate24h` those of longer windows; `rejected` is the part of all submits. */
export const RIG_SORTS = [
  'name',
  'account',
  'state',
  'agent',
  'hashRate',
  'rate1h',
  'rate24h',
  'difficulty',
  'accepted',
  'rejected',
  'bestShare',
  'lastShare',
  'sessions',
  'connected',
] as const;
export type RigSort = (typeof RIG_SORTS)[number];

export interface RigQuery extends Slice {
  readonly state?: RigState | undefined;
  /** The whole name. */
  readonly account?: string | undefined;
  /** A part of the login or of the label, in large or small letters. */
  readonly q?: string | undefined;
  /** By default by hash rate of the last five minutes. */
  readonly sort?: RigSort | undefined;
  /** By default names, agents and states rise, and all else falls. */
  readonly order?: 'asc' | 'desc' | undefined;
}

export interface RigDetail {
  readonly rig: RigReport;
  /** Newest first, of very many the first thousand. */
  readonly sessions: readonly SessionReport[];
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

/** Lists are up to a second old, but for bans; long ones are worked out in slices, between which rigs are served. */
export interface RigWatch {
  /** At hand. */
  counts(): RigCounts;
  /** Fastest first, by the last five minutes, as are accounts. */
  sessions(slice: Slice): Promise<Listing<SessionReport>>;
  /**
   * Those that are connected, and those that had a share accepted, CPU threads included; of these the longest silent are
   * forgotten when there are too many.
   */
  rigs(query: RigQuery): Promise<Listing<RigReport>>;
  /** Names of those that are online, CPU threads not included: in parts of at most a thousand, each as it is when it is asked for. */
  online(): AsyncIterable<readonly Name[]>;
  /** `undefined` when it is not among them. */
  rig(account: string, rig: string): RigDetail | undefined;
  accounts(slice: Slice): Promise<Listing<AccountReport>>;
  /** Of all that `accounts` lists, in that order. */
  accountNames(): Promise<readonly string[]>;
  /** Open sessions by account that they have authorized, also of those that had no share accepted. */
  sessionsByAccount(): Promise<ReadonlyMap<string, number>>;
  bans(slice: Slice): Listing<Ban>;
  /** At hand. */
  drain(): DrainReport;
}
