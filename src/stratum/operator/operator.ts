/** An operator's orders, carried out on the sessions of one server, and written down where they outlive a restart. */

import type { Audience, BridgeEvents, OperatorAction, SessionRef } from '../../bridge/events.js';
import { loginText, type Name } from '../../core/names/names.js';
import type { Ban, BanOrder } from '../../operations/bans.js';
import type { Drain as DrainView } from '../../operations/drain.js';
import type { Refused } from '../../operations/entry/operation.js';
import { timeOf } from '../../operations/entry/values.js';
import type { OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { RigOrderHandlers } from '../../operations/orders/rig-orders.js';
import { listedOf, type OrderHearer, type StandingOrder, whomOf } from '../../operations/orders/standing.js';
import type { Message } from '../../operations/rigs.js';
import type { Arrivals } from '../admission/arrivals.js';
import { type Bans, banWords, MAX_ORDERED_BANS, meets } from '../admission/bans.js';
import type { Session } from '../session/session.js';
import { type AddressOrders, MAX_ORDERED_ADDRESSES } from './address-orders.js';
import type { Drain } from './drain.js';
import type { OrderSaver, OrderSharing } from './order-saver.js';
import { MAX_RIG_ORDERS, type RigOrders } from './rig-orders.js';

interface OperatorParts {
  sessions(): Iterable<Session>;
  readonly bans: Bans;
  readonly ordered: RigOrders<OrderedDifficulty>;
  readonly labels: RigOrders<RigLabel>;
  readonly drain: Drain;
  readonly listed: AddressOrders;
  readonly arrivals: Pick<Arrivals, 'turnAway' | 'listsChanged'>;
  readonly orderSaver: OrderSaver;
  /** Absent where no other bridge is told. */
  readonly sharing: OrderSharing | undefined;
  readonly events: BridgeEvents;
  readonly nowMs: () => number;
}

/** Bans of later years are written as no reader of `orders.json` or of the API takes them. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

type Given<Name extends keyof RigOrderHandlers> = Parameters<RigOrderHandlers[Name]>[0];
type Answer<Name extends keyof RigOrderHandlers> = Awaited<ReturnType<RigOrderHandlers[Name]>>;

export class Operator implements RigOrderHandlers, OrderHearer {
  readonly #parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  closeSession({ id, openedAt, reason }: Given<'closeSession'>, by: string): Answer<'closeSession'> {
    const session = this.#sessionOf({ id, openedAt });
    if (!session) return unknownSession({ id, openedAt });
    const closed = { id, openedAt: timeOf(session.openedAtMs) };
    const [login] = session.logins;
    session.dismiss(`closed by the operator: ${reason}`);
    this.#done({ kind: 'close', session: closed, peer: session.info.peer, login, reason, by });
    return { closed };
  }

  async ban(order: BanOrder, by: string): Promise<Answer<'ban'>> {
    const { bans } = this.#parts;
    const nowMs = this.#parts.nowMs();
    const untilMs = endOf(order, nowMs);
    if (untilMs !== undefined && untilMs <= nowMs) return unfit('the end of a ban lies in the future');
    if (untilMs !== undefined && untilMs > LAST_MS)
      return unfit('the end of a ban lies before the year 10000');
    bans.expire(nowMs);
    const until = untilMs === undefined ? null : timeOf(untilMs);
    const ban = bans.order(order, { reason: order.reason, since: timeOf(nowMs), until, by });
    if (!ban) return full(`${MAX_ORDERED_BANS} bans are in force already: take some back first`);
    const closed = this.#closeWhomItMeets(ban);
    return { ban, closed, isKept: await this.#keep({ kind: 'ban', about: whomOf(ban), says: ban }) };
  }

  async unban({ id }: Given<'unban'>, by: string): Promise<Answer<'unban'>> {
    this.#parts.bans.expire(this.#parts.nowMs());
    const ban = this.#parts.bans.unban(id, by);
    if (!ban) return unknown(`no ban in force has the id ${JSON.stringify(id)}`);
    const isKept =
      ban.by === null
        ? await this.#parts.orderSaver.keep()
        : await this.#keep({ kind: 'ban', about: whomOf(ban), says: null });
    return { ban, isKept };
  }

  async difficulty(given: Given<'difficulty'>, by: string): Promise<Answer<'difficulty'>> {
    const { account, rig, difficulty } = given;
    const name = { account, rig };
    const { ordered: held, nowMs } = this.#parts;
    const order = difficulty === null ? undefined : { ...name, difficulty, since: timeOf(nowMs()), by };
    const refusal = ordered(held, name, order, 'is held at no difficulty');
    if (refusal) return refusal;
    const sessions = this.#difficultyOrdered(loginText(name));
    this.#done({ kind: 'difficulty', ...name, difficulty, by });
    const isKept = await this.#keep({ kind: 'difficulty', about: loginText(name), says: order ?? null });
    return { ...name, difficulty, sessions, isKept };
  }

  async label({ account, rig, label }: Given<'label'>, by: string): Promise<Answer<'label'>> {
    const { labels, nowMs } = this.#parts;
    const name = { account, rig };
    const order = label === null ? undefined : { ...name, label, since: timeOf(nowMs()), by };
    const refusal = ordered(labels, name, order, 'has no label');
    if (refusal) return refusal;
    this.#done({ kind: 'label', ...name, label, by });
    const isKept = await this.#keep({ kind: 'label', about: loginText(name), says: order ?? null });
    return { ...name, label, isKept };
  }

  async address({ list, addresses, isOn }: Given<'address'>, by: string): Promise<Answer<'address'>> {
    const { listed, nowMs } = this.#parts;
    const order = { list, addresses, since: timeOf(nowMs()), by };
    if (!isOn && !listed.clear({ list, addresses }))
      return unknown(
        `no order has put ${addresses} on the list: one of the settings stays until they change`,
      );
    if (isOn && !listed.set(order))
      return full(`${MAX_ORDERED_ADDRESSES} addresses are listed by order already: take some back first`);
    const closed = this.#closeWhoIsShut();
    const isKept = await this.#keep({
      kind: 'addresses',
      about: listedOf(order),
      says: isOn ? order : null,
    });
    this.#done({ kind: 'addresses', list, addresses, isOn, closed, by });
    return { list, addresses, isOn, closed, isKept };
  }

  drain({ over, stop }: Given<'drain'>, by: string, startedAtMs?: number): DrainView | Refused {
    const { drain } = this.#parts;
    if (drain.report.state !== 'off') return busy('a drain is on already: cancel it first');
    return drain.begin(over, by, stop, startedAtMs);
  }

  cancelDrain(_: unknown, by: string): DrainView | Refused {
    const { drain } = this.#parts;
    return drain.report.state === 'off' ? busy('no drain is on') : drain.cancel(by);
  }

  message({ text, ...meant }: Message, by: string): Answer<'message'> {
    const audience = audienceOf(meant);
    const sessions = this.#audienceOf(audience);
    if (audience.to === 'session' && sessions.length === 0) return unknownSession(audience);
    const told = sessions.filter((session) => session.warnRig(text)).length;
    this.#done({ kind: 'message', audience, text, told, by });
    return { told, sessions: sessions.length, silent: [] };
  }

  get standing(): readonly StandingOrder[] {
    const { bans, ordered, labels, listed, nowMs } = this.#parts;
    const ofOperators = bans.list(nowMs()).filter(({ by }) => by !== null);
    return [
      ...ofOperators.map((says) => ({ kind: 'ban', about: whomOf(says), says }) as const),
      ...ordered.all.map((says) => ({ kind: 'difficulty', about: loginText(says), says }) as const),
      ...labels.all.map((says) => ({ kind: 'label', about: loginText(says), says }) as const),
      ...listed.all.map((says) => ({ kind: 'addresses', about: listedOf(says), says }) as const),
    ];
  }

  hear(order: StandingOrder): void {
    const { bans, ordered, labels, listed } = this.#parts;
    switch (order.kind) {
      case 'ban':
        bans.hear(order.about, order.says);
        if (order.says) this.#closeWhomItMeets(order.says);
        break;
      case 'difficulty':
        ordered.hear(order.about, order.says);
        this.#difficultyOrdered(order.about);
        break;
      case 'label':
        labels.hear(order.about, order.says);
        break;
      case 'addresses':
        listed.hear(order.about, order.says);
        this.#closeWhoIsShut();
    }
  }

  async keepHeard(): Promise<void> {
    await this.#parts.orderSaver.keep();
  }

  /** Tells the other bridges first: what they were told is no longer to be kept for them. @returns whether it outlives a restart. */
  async #keep(order: StandingOrder): Promise<boolean> {
    const { sharing, orderSaver, nowMs } = this.#parts;
    await sharing?.tell({ order, givenAt: timeOf(nowMs()) });
    return orderSaver.keep();
  }

  #sessionOf({ id, openedAt }: SessionRef): Session | undefined {
    for (const session of this.#parts.sessions())
      if (session.info.id === id)
        return Math.floor(session.openedAtMs) === Date.parse(openedAt) ? session : undefined;
    return undefined;
  }

  #audienceOf(audience: Audience): readonly Session[] {
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

  #those(wanted: (session: Session) => boolean): Session[] {
    return [...this.#parts.sessions()].filter(wanted);
  }

  /** What a session that mines for this rig first is held at is another now. @returns how many these are. */
  #difficultyOrdered(login: string): number {
    // A session has one target, that of its first login.
    const met = this.#those(({ logins }) => logins[0] !== undefined && loginText(logins[0]) === login);
    for (const session of met) session.settleTarget();
    return met.length;
  }

  /** What has not become a session yet is cut too. */
  #closeWhomItMeets(ban: Ban): number {
    const met = this.#those(({ logins, addressKey }) => meets(ban, logins, addressKey));
    for (const session of met) session.dismiss(banWords(ban));
    if (ban.kind === 'address') this.#parts.arrivals.turnAway(ban.address);
    return met.length;
  }

  /** An address list has changed. */
  #closeWhoIsShut(): number {
    const shut = this.#those(({ whyShut }) => whyShut !== undefined);
    for (const session of shut) session.dismiss(session.whyShut ?? '');
    this.#parts.arrivals.listsChanged();
    return shut.length;
  }

  #done(deed: OperatorAction): void {
    this.#parts.events.emit('steered', deed);
  }
}

/** Whichever bridge was meant, it is this one. */
function audienceOf(meant: Audience): Audience {
  if (meant.to !== 'session') return meant;
  const { to, id, openedAt } = meant;
  return { to, id, openedAt };
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

/** `undefined`: when it is taken back. */
function endOf({ for: forMs, until }: BanOrder, nowMs: number): number | undefined {
  if (until !== undefined) return Date.parse(until);
  return forMs === undefined ? undefined : nowMs + forMs;
}

function unfit(why: string): Refused {
  return { refused: 'unfit', why };
}

function unknown(why: string): Refused {
  return { refused: 'unknown', why };
}

function busy(why: string): Refused {
  return { refused: 'busy', why };
}

function full(why: string): Refused {
  return { refused: 'full', why };
}

function unknownSession({ id, openedAt }: SessionRef): Refused {
  return unknown(`no session ${id} is open that was opened at ${openedAt}`);
}
