/**
 * What the hub asks a front for, to show all fronts as one bridge, and what a front tells it once a second. Plain data alone: it
 * is copied on its way.
 *
 * Lists are worked out in two steps. Each front gives what is sorted by, of all that it has, in pieces. The hub adds up what is of
 * one rig, puts all in order, and asks for those that are on the page.
 */

import type { Name } from '../../core/names/names.js';
import type { Measured } from '../../core/shares/hash-rate.js';
import type { EventSums, JobDelay } from '../events.js';
import type { Deed, DrainReport } from '../orders/steering.js';
import type { RigCounts, RigReport, RigSort, SessionReport } from '../watch/rig-watch.js';

/** Each process counts its sessions in steps of so many, from its own number on: no two of a fleet have the same. */
export const MAX_PROCESSES = 65;

export function processOfSession(id: number): number {
  return id % MAX_PROCESSES;
}

/** Of all sessions of a front, in no order: the number of each, and its hash rate of the last five minutes. */
export interface SessionKeys {
  readonly ids: Float64Array;
  readonly speeds: Float64Array;
}

export type KeysAsked =
  | {
      readonly of: 'rigs';
      readonly sort: RigSort;
      /** Only those of this account. */
      readonly account: string | undefined;
      /** Only those with this in login or label; small letters. */
      readonly part: string | undefined;
    }
  | { readonly of: 'accounts' }
  /** Names of rigs alone. */
  | { readonly of: 'online' };

/** What some rigs or accounts are sorted by, an entry of each array for each. */
export interface LoginKeys {
  readonly accounts: readonly string[];
  /** Empty ones where accounts were asked for. */
  readonly rigs: readonly string[];
  /** Places in `RIG_STATES`; empty where no state was asked for, as are those below. */
  readonly states: Uint8Array;
  /** What is sorted by, as {@link SORT_KINDS} says; 0 where there is none. */
  readonly values: Float64Array;
  /** What goes with it: seconds of a rate, accepted submits of a part. */
  readonly seconds: Float64Array;
  /** Agents, when they are sorted by. */
  readonly texts: readonly string[];
  /** When a rig came last, or, below all of these, when it was heard last that has gone: what is newest of it is there. */
  readonly ranks: Float64Array;
  /** For the rest; `undefined` when this is the last piece. */
  readonly next: number | undefined;
}

/**
 * What values of one rig at several fronts make together. `name`: nothing, its name is sorted by. `rate`: hashes, over the most
 * seconds. `part`: of all, which are these and those in `seconds`. `newest`: that of the highest rank.
 */
export const SORT_KINDS = {
  name: 'name',
  account: 'name',
  state: 'state',
  agent: 'newest',
  hashRate: 'rate',
  rate1h: 'rate',
  rate24h: 'rate',
  difficulty: 'newest',
  accepted: 'sum',
  rejected: 'part',
  bestShare: 'most',
  lastShare: 'most',
  sessions: 'sum',
  connected: 'least',
} as const satisfies Record<RigSort, string>;
export type SortKind = (typeof SORT_KINDS)[RigSort];

/** What a front has of a rig. */
export interface RigPart extends Omit<RigReport, 'hashRates'> {
  readonly measured: readonly Measured[];
  /** As among {@link LoginKeys}. */
  readonly rank: number;
}

export interface RigPartDetail {
  readonly rig: RigPart;
  readonly sessions: readonly SessionReport[];
}

/** Without its sessions, which may be where no share of it has come. */
export interface AccountPart {
  readonly account: string;
  readonly measured: readonly Measured[];
  readonly lastShareAtMs: number;
}

/** A front, for whoever shows it. */
export interface FrontWatch {
  sessionKeys(): Promise<SessionKeys>;
  /** Those of them that are still open. */
  sessions(ids: readonly number[]): Promise<readonly SessionReport[]>;
  /** The first piece. */
  keys(asked: KeysAsked): Promise<LoginKeys>;
  /** The piece that was `next`. Rejects where that was asked for too late. */
  moreKeys(next: number): Promise<LoginKeys>;
  /** Those of them that are known. */
  rigs(names: readonly Name[]): Promise<readonly RigPart[]>;
  rig(account: string, rig: string): Promise<RigPartDetail | undefined>;
  accounts(names: readonly string[]): Promise<readonly AccountPart[]>;
  sessionsByAccount(): Promise<ReadonlyMap<string, number>>;
}

/** What a front tells once a second. */
export interface WatchNews {
  readonly counts: RigCounts;
  /** Open sessions that have authorized a name. */
  readonly rigs: number;
  readonly drain: DrainReport;
  readonly sums: EventSums;
  readonly delays: readonly JobDelay[];
  /** What an operator has done to one session there. */
  readonly deeds: readonly Deed[];
  /** Delays, deeds and times to answers that found no room, since it began. */
  readonly leftOut: number;
}

/** The hub, for one of its fronts. */
export interface WatchDesk {
  /** A cast. */
  take(news: WatchNews): void;
}
