/** An operator's orders, carried out on the sessions of one server, and written down where they outlive a restart. */

import type { BridgeEvents, SessionInfo } from '../../bridge/events.js';
import type {
  Audience,
  Ban,
  Bannable,
  BanOrder,
  Deed,
  DrainReport,
  Kept,
  OrderedAddress,
  OrderedDifficulty,
  Refused,
  RigLabel,
  SessionRef,
  Steering,
} from '../../bridge/orders/steering.js';
import { loginText, type Name } from '../../core/names/names.js';
import type { Difficulty } from '../../core/work/target.js';
import type { AddressListName } from '../../operations/enums.js';
import type { Login } from '../door/accounts.js';
import { type Bans, banWords, MAX_ORDERED_BANS, meets } from '../door/bans.js';
import type { Front } from '../door/front.js';
import { type AddressOrders, MAX_ORDERED_ADDRESSES } from './address-orders.js';
import type { Drain, Leaving } from './drain.js';
import type { Keeping } from './keeping.js';
import * as check from './order-checks.js';
import { MAX_RIG_ORDERS, type RigOrders } from './rig-orders.js';

/** A session as it is steered. */
export interface Steered extends Leaving {
  readonly info: SessionInfo;
  readonly openedAtMs: number;
  readonly addressKey: string;
  readonly logins: readonly Login[];
  /** Why nobody may come from its address any more. */
  readonly whyShut: string | undefined;
  /** Its difficulty was ordered, or is not any more. */
  difficultyOrdered(): void;
  /** False when it takes no text. */
  warnRig(text: string): boolean;
  /** Ends it, and tells a rig why that takes it. */
  dismiss(why: string): void;
}

export interface SteeringParts {
  sessions(): Iterable<Steered>;
  readonly bans: Bans;
  readonly ordered: RigOrders<OrderedDifficulty>;
  readonly labels: RigOrders<RigLabel>;
  readonly drain: Drain;
  readonly listed: AddressOrders;
  readonly front: Pick<Front, 'turnAway' | 'listsChanged'>;
  readonly keeping: Keeping;
  readonly events: BridgeEvents;
  readonly nowMs: () => number;
}

export class SessionSteering implements Steering {
  readonly #parts: SteeringParts;

  constructor(parts: SteeringParts) {
    this.#parts = parts;
  }

  close(which: SessionRef, reason: string, by: string): { closed: SessionRef } | Refused {
    const fault = check.reasonFault(reason, by);
    if (fault !== undefined) return check.unfit(fault);
    const session = this.#sessionOf(which);
    if (!session) return unknownSession(which);
    const closed = { id: session.info.id, openedAtMs: session.openedAtMs };
    const [login] = session.logins;
    session.dismiss(`closed by the operator: ${reason}`);
    this.#done({ kind: 'close', session: closed, peer: session.info.peer, login, reason, by });
    return { closed };
  }

  async ban(order: BanOrder, by: string): Promise<({ ban: Ban; closed: number } & Kept) | Refused> {
    const { bans, nowMs } = this.#parts;
    const sinceMs = nowMs();
    const whom: Bannable | Refused = check.checkedBan(order, by, sinceMs);
    if ('refused' in whom) return whom;
    const { reason, untilMs } = order;
    bans.expire(sinceMs);
    const ban = bans.order({ whom, reason, sinceMs, untilMs, by });
    if (!ban) return full(`${MAX_ORDERED_BANS} bans are in force already: take some back first`);
    const closed = this.#closeWhomItMeets(ban);
    return { ban, closed, isKept: await this.#parts.keeping.keep() };
  }

  async unban(id: string, by: string): Promise<({ ban: Ban } & Kept) | Refused> {
    const fault = check.byFault(by);
    if (fault !== undefined) return check.unfit(fault);
    this.#parts.bans.expire(this.#parts.nowMs());
    const ban = this.#parts.bans.unban(id, by);
    if (!ban) return unknown(`no ban in force has the id ${JSON.stringify(id.slice(0, 40))}`);
    return { ban, isKept: await this.#parts.keeping.keep() };
  }

  async setDifficulty(
    { account, rig }: Name,
    difficulty: Difficulty | undefined,
    by: string,
  ): Promise<({ sessions: number } & Kept) | Refused> {
    const name = { account, rig };
    const fault = check.difficultyFault(name, difficulty, by);
    if (fault !== undefined) return check.unfit(fault);
    const { ordered: held, keeping, nowMs } = this.#parts;
    const order = difficulty === undefined ? undefined : { ...name, difficulty, sinceMs: nowMs(), by };
    const refusal = ordered(held, name, order, 'is held at no difficulty');
    if (refusal) return refusal;
    const sessions = this.#difficultyOrdered(name);
    this.#done({ kind: 'difficulty', ...name, difficulty, by });
    return { sessions, isKept: await keeping.keep() };
  }

  difficulties(): readonly OrderedDifficulty[] {
    return this.#parts.ordered.all;
  }

  async setLabel({ account, rig }: Name, label: string | undefined, by: string): Promise<Kept | Refused> {
    const { labels, keeping, nowMs } = this.#parts;
    const name = { account, rig };
    const fault = check.labelOrderFault(name, label, by);
    if (fault !== undefined) return check.unfit(fault);
    const order = label === undefined ? undefined : { ...name, label, sinceMs: nowMs(), by };
    const refusal = ordered(labels, name, order, 'has no label');
    if (refusal) return refusal;
    this.#done({ kind: 'label', ...name, label, by });
    return { isKept: await keeping.keep() };
  }

  labels(): readonly RigLabel[] {
    return this.#parts.labels.all;
  }

  async listAddresses(
    list: AddressListName,
    text: string,
    isOn: boolean,
    by: string,
  ): Promise<({ addresses: string; closed: number } & Kept) | Refused> {
    const addresses = check.checkedAddresses(text, by);
    if (typeof addresses !== 'string') return addresses;
    const { listed, keeping, nowMs } = this.#parts;
    if (!isOn && !listed.clear({ list, addresses }))
      return unknown(
        `no order has put ${addresses} on the list: one of the settings stays until they change`,
      );
    const order = isOn ? { list, addresses, sinceMs: nowMs(), by } : undefined;
    if (order && !listed.set(order))
      return full(`${MAX_ORDERED_ADDRESSES} addresses are listed by order already: take some back first`);
    const closed = this.#closeWhoIsShut();
    const isKept = await keeping.keep();
    this.#done({ kind: 'addresses', list, addresses, isOn, closed, by });
    return { addresses, closed, isKept };
  }

  listedAddresses(): readonly OrderedAddress[] {
    return this.#parts.listed.all;
  }

  drain(overMs: number, by: string, stops = false): DrainReport | Refused {
    const fault = check.drainFault(overMs, by);
    if (fault !== undefined) return check.unfit(fault);
    const { state } = this.#parts.drain.report;
    if (state !== 'off') return { refused: 'busy', why: 'a drain is on already: cancel it first' };
    return this.#parts.drain.begin(overMs, by, stops);
  }

  cancelDrain(by: string): DrainReport | Refused {
    const fault = check.byFault(by);
    if (fault !== undefined) return check.unfit(fault);
    if (this.#parts.drain.report.state === 'off') return { refused: 'busy', why: 'no drain is on' };
    return this.#parts.drain.cancel(by);
  }

  tell(audience: Audience, text: string, by: string): { told: number; sessions: number } | Refused {
    const fault = check.messageFault(audience, text, by);
    if (fault !== undefined) return check.unfit(fault);
    const sessions = this.#audienceOf(audience);
    if (audience.to === 'session' && sessions.length === 0) return unknownSession(audience);
    const told = sessions.filter((session) => session.warnRig(text)).length;
    this.#done({ kind: 'message', audience, text, told, by });
    return { told, sessions: sessions.length };
  }

  #sessionOf({ id, openedAtMs }: SessionRef): Steered | undefined {
    for (const session of this.#parts.sessions())
      if (session.info.id === id)
        return Math.floor(session.openedAtMs) === Math.floor(openedAtMs) ? session : undefined;
    return undefined;
  }

  #audienceOf(audience: Audience): readonly Steered[] {
    switch (audience.to) {
      case 'session': {
        const session = this.#sessionOf(audience);
        return session ? [session] : [];
      }
      case 'login':
        return this.#those(({ logins }) => logins.some((login) => isSame(login, audience)));
      case 'account':
        return this.#those(({ logins }) => logins.some(({ account }) => account === audience.account));
      case 'all':
        return this.#those(() => true);
    }
  }

  #those(wanted: (session: Steered) => boolean): Steered[] {
    return [...this.#parts.sessions()].filter(wanted);
  }

  /** What a session that mines for this rig first is held at is another now. @returns how many these are. */
  #difficultyOrdered(name: Name): number {
    // A session has one target, that of its first login.
    const met = this.#those(({ logins }) => logins[0] !== undefined && isSame(logins[0], name));
    for (const session of met) session.difficultyOrdered();
    return met.length;
  }

  /** What has not become a session yet is cut too. */
  #closeWhomItMeets(ban: Ban): number {
    const met = this.#those(({ logins, addressKey }) => meets(ban, logins, addressKey));
    for (const session of met) session.dismiss(banWords(ban));
    if (ban.kind === 'address') this.#parts.front.turnAway(ban.address);
    return met.length;
  }

  /** An address list has changed. */
  #closeWhoIsShut(): number {
    const shut = this.#those(({ whyShut }) => whyShut !== undefined);
    for (const session of shut) session.dismiss(session.whyShut ?? '');
    this.#parts.front.listsChanged();
    return shut.length;
  }

  #done(deed: Deed): void {
    this.#parts.events.emit('steered', deed);
  }
}

/** Sets it, or clears what there is; `without` says of a rig that there is nothing to clear. */
function ordered<T extends Name>(
  orders: RigOrders<T>,
  name: Name,
  order: T | undefined,
  without: string,
): Refused | undefined {
  if (!order) return orders.clear(name) ? undefined : unknown(`${loginText(name)} ${without}`);
  if (orders.set(order)) return undefined;
  return full(`${MAX_RIG_ORDERS} rigs have such an order already: take some back first`);
}

function isSame(a: Name, b: Name): boolean {
  return a.account === b.account && a.rig === b.rig;
}

function unknown(why: string): Refused {
  return { refused: 'unknown', why };
}

function full(why: string): Refused {
  return { refused: 'full', why };
}

function unknownSession({ id, openedAtMs }: SessionRef): Refused {
  return unknown(`no session ${id} is open that was opened at ${timeText(openedAtMs)}`);
}

function timeText(ms: number): string {
  return Number.isNaN(new Date(ms).getTime()) ? String(ms) : new Date(ms).toISOString();
}
