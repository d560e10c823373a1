/**
 * What an operator orders of the rigs' side while the bridge runs; implemented by the stratum server.
 *
 * What is wrong with an order is an outcome, in a sentence, and not a failure. Each order says who gave it (`by`: the name of a
 * token, or of a person), for those who keep a timeline. Bans, difficulties and labels outlive a restart, a drain does not.
 * Times are in milliseconds since the epoch.
 */

import type { Name } from '../../core/names/names.js';
import type { Difficulty } from '../../core/work/target.js';
import type { AddressListName } from '../../operations/enums.js';

/** One session and never another: after a restart its number is given out again. */
export interface SessionRef {
  readonly id: number;
  /** As its report says; parts of a millisecond do not count. */
  readonly openedAtMs: number;
}

/** Whom a ban meets. An address is written as limits count: an IPv4 address, or the /64 of an IPv6 address. */
export type Bannable =
  /** One login at one address; where the name is empty, the login that names no rig. */
  | ({ readonly kind: 'rig'; readonly address: string } & Name)
  /** One login, wherever it comes from. */
  | ({ readonly kind: 'login' } & Name)
  /** All rigs of an account, wherever they come from. */
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'address'; readonly address: string };

export interface Ban {
  /** By it the ban is taken back; no other ban ever has the same. */
  readonly id: string;
  readonly kind: Bannable['kind'];
  /** `account.rig`, or the account alone; empty when an address is banned. */
  readonly login: string;
  /** As limits count; empty when it holds wherever the login comes from. */
  readonly address: string;
  readonly reason: string;
  readonly sinceMs: number;
  /** Absent: until it is taken back. */
  readonly untilMs: number | undefined;
  /** Who gave the order; empty when the bridge itself did. */
  readonly by: string;
}

export type BanOrder = Bannable & { readonly reason: string; readonly untilMs: number | undefined };

/** A share difficulty that a rig is held at. */
export interface OrderedDifficulty extends Name {
  /** Expected hashes a share. */
  readonly difficulty: Difficulty;
  readonly sinceMs: number;
  readonly by: string;
}

/** What people call a rig beside its login. */
export interface RigLabel extends Name {
  readonly label: string;
  readonly sinceMs: number;
  readonly by: string;
}

/** On a list of addresses beside those of the settings. */
export interface OrderedAddress {
  readonly list: AddressListName;
  /** One, or a prefix: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
  readonly addresses: string;
  readonly sinceMs: number;
  readonly by: string;
}

/** What outlives a restart. */
export interface KeptOrders {
  readonly addresses: readonly OrderedAddress[];
  /** Those of the bridge itself too, its longest ago first. */
  readonly bans: readonly Ban[];
  readonly difficulties: readonly OrderedDifficulty[];
  readonly labels: readonly RigLabel[];
}

/** Where it is kept. */
export interface OrderKeeper {
  /** All of it anew. Resolves once it would survive a crash; rejects when it would not. */
  keep(orders: KeptOrders): Promise<void>;
}

/**
 * `draining`: nobody is let in, and rigs are asked to leave. `drained`: all have gone. `timeUp`: the time is over, and some are
 * still here. In both nobody is let in until the drain is cancelled.
 */
export const DRAIN_STATES = ['off', 'draining', 'drained', 'timeUp'] as const;

export interface DrainReport {
  readonly state: (typeof DRAIN_STATES)[number];
  /** Who gave the order. Empty, and the times 0, when there was none. */
  readonly by: string;
  readonly startedAtMs: number;
  readonly endsAtMs: number;
  /** The bridge stops once all have gone, or the time is over. */
  readonly stops: boolean;
  /** Sessions that were open at its start. */
  readonly sessions: number;
  /** Of these, those whose turn to be asked has come and that take `client.reconnect`, and those that do not take it. */
  readonly asked: number;
  readonly deaf: number;
  /** Sessions that are still open. */
  readonly left: number;
}

export type Audience =
  | ({ readonly to: 'session' } & SessionRef)
  /** All sessions of a login. */
  | ({ readonly to: 'login' } & Name)
  /** All sessions of all rigs of an account. */
  | { readonly to: 'account'; readonly account: string }
  | { readonly to: 'all' };

/** What was done, besides bans and drains, which have events of their own. */
export type Deed =
  | {
      readonly kind: 'close';
      readonly session: SessionRef;
      readonly peer: string;
      /** That it mined for first; `undefined` when it had named none. */
      readonly login: Name | undefined;
      readonly reason: string;
      readonly by: string;
    }
  /** Without a difficulty: it is cleared. */
  | ({
      readonly kind: 'difficulty';
      readonly difficulty: Difficulty | undefined;
      readonly by: string;
    } & Name)
  /** Without a label: it has none any more. */
  | ({ readonly kind: 'label'; readonly label: string | undefined; readonly by: string } & Name)
  | {
      readonly kind: 'addresses';
      readonly list: AddressListName;
      readonly addresses: string;
      /** On the list now; otherwise taken from it. */
      readonly isOn: boolean;
      /** Sessions that were ended by it. */
      readonly closed: number;
      readonly by: string;
    }
  | {
      readonly kind: 'message';
      readonly audience: Audience;
      readonly text: string;
      readonly told: number;
      readonly by: string;
    };

/**
 * Why an order was not carried out. `unfit`: the order is wrong. `unknown`: what it names is not there. `full`: there are too
 * many like it already. `busy`: not now.
 */
export interface Refused {
  readonly refused: 'unfit' | 'unknown' | 'full' | 'busy';
  /** As a sentence. */
  readonly why: string;
}

/** An order that is in force at once. */
export interface Kept {
  /** It outlives a restart. False when it could not be written down, which the log tells with the reason. */
  readonly isKept: boolean;
}

export interface Steering {
  /** Closes one session. It may come back, unless it is banned. */
  close(session: SessionRef, reason: string, by: string): { readonly closed: SessionRef } | Refused;
  /** Closes the sessions that it meets, so many. The same again changes reason and end, and keeps its id. */
  ban(
    order: BanOrder,
    by: string,
  ): Promise<({ readonly ban: Ban; readonly closed: number } & Kept) | Refused>;
  /** Takes back a ban, the bridge's own ones too. */
  unban(id: string, by: string): Promise<({ readonly ban: Ban } & Kept) | Refused>;
  /**
   * Holds all sessions that mine for this rig first at this share difficulty, from their next job on, and those that come
   * later; it wins over what the rig asks for. `undefined` clears it. Resolves with how many sessions it meets now.
   */
  setDifficulty(
    rig: Name,
    difficulty: Difficulty | undefined,
    by: string,
  ): Promise<({ readonly sessions: number } & Kept) | Refused>;
  /** Rigs that are held at a difficulty. */
  difficulties(): readonly OrderedDifficulty[];
  /** What a rig is called beside its login, whether or not it is here; `undefined` takes that away. */
  setLabel(rig: Name, label: string | undefined, by: string): Promise<Kept | Refused>;
  labels(): readonly RigLabel[];
  /**
   * Puts addresses on a list, or takes them from it; those of the settings stay. Sessions that may not be here any more are
   * closed, so many.
   */
  listAddresses(
    list: AddressListName,
    addresses: string,
    isOn: boolean,
    by: string,
  ): Promise<({ readonly addresses: string; readonly closed: number } & Kept) | Refused>;
  listedAddresses(): readonly OrderedAddress[];
  /**
   * Lets nobody in from now on, and asks those who are here to go, spread over this time.
   *
   * @param stops the end of it, which never comes before this is answered, is the end of the bridge.
   */
  drain(overMs: number, by: string, stops?: boolean): DrainReport | Refused;
  /** Lets rigs in again. */
  cancelDrain(by: string): DrainReport | Refused;
  /** Shows a text to those who take one; how many that were, of how many. */
  tell(
    audience: Audience,
    text: string,
    by: string,
  ): { readonly told: number; readonly sessions: number } | Refused;
}
