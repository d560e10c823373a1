/**
 * The list of rigs: filtered, in order, a page at a time. However often somebody asks, it is worked out once a second, and in
 * slices: rigs are served between two of them, however many there are.
 */
import type { Listing } from '../../bridge/watch/rig-watch.js';
import { mapped, sorted } from '../../bridge/watch/slices.js';
import { loginText } from '../../core/names/names.js';
import { hashesOrNull, ratesOf, reachedOrNull, timeOrNull } from '../../operations/entry/values.js';
import { firstOrder, RIG_STATES, type RigSort, type RigState } from '../../operations/enums.js';
import type { OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { Rig, RigDetail, RigQuery, Session } from '../../operations/rigs.js';
import type { RigBook } from '../tenure/rig-book.js';
import type { RigRecord } from '../tenure/rig-record.js';
import type { RigOrders } from './rig-orders.js';

export interface RigListParts {
  readonly rigBook: RigBook;
  readonly ordered: Pick<RigOrders<OrderedDifficulty>, 'of'>;
  readonly labels: Pick<RigOrders<RigLabel>, 'of'>;
  /** Whether the rig would not be let in from where it was last. */
  isBanned(record: RigRecord, nowMs: number): boolean;
  nowMs(): number;
}

export const FRESH_MS = 1000;
/** Lists of different filters that one look keeps. */
const MAX_LISTS = 16;
/** Of one rig. */
const MAX_SESSIONS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export class RigList {
  readonly #parts: RigListParts;
  #look: Look | undefined;

  constructor(parts: RigListParts) {
    this.#parts = parts;
  }

  async list(query: RigQuery): Promise<Listing<Rig>> {
    const look = this.#freshLook();
    const all = await look.list(query);
    const { offset, limit } = query;
    const page = all.slice(offset, offset + limit);
    return { total: all.length, items: await mapped(page, (record) => look.report(record)) };
  }

  find(account: string, rig: string): RigDetail | undefined {
    const record = this.#parts.rigBook.find({ account, rig });
    return record && this.#freshLook().detail(record);
  }

  #freshLook(): Look {
    const atMs = this.#parts.nowMs();
    const ageMs = atMs - (this.#look?.atMs ?? Number.NEGATIVE_INFINITY);
    const isOld = ageMs < 0 || ageMs >= FRESH_MS;
    // Who asks while one is worked out has that one: looks never pile up.
    if (!this.#look || (isOld && !this.#look.isBusy)) this.#look = new Look(this.#parts, atMs);
    return this.#look;
  }
}

/** What two rigs are compared by. */
type SortKey = number | string;

/** All rigs at one time. Only what is asked for is worked out, and that once. */
class Look {
  readonly atMs: number;
  readonly #parts: RigListParts;
  readonly #states = new Map<RigRecord, RigState>();
  readonly #reports = new Map<RigRecord, Rig>();
  readonly #details = new Map<RigRecord, RigDetail>();
  /** Rising. */
  readonly #sorted = new Map<RigSort, Promise<readonly RigRecord[]>>();
  readonly #lists = new Map<string, Promise<readonly RigRecord[]>>();
  #busy = 0;

  constructor(parts: RigListParts, atMs: number) {
    this.atMs = atMs;
    this.#parts = parts;
  }

  /** A list is being worked out. */
  get isBusy(): boolean {
    return this.#busy > 0;
  }

  async list(query: RigQuery): Promise<readonly RigRecord[]> {
    const { state, account, q, sort = 'hashRate', order = firstOrder(sort) } = query;
    const isRising = order === 'asc';
    const key = JSON.stringify([state, account, q, sort, isRising]);
    const known = this.#lists.get(key);
    if (known) return known;
    this.#busy++;
    const list = this.#makeList(query, isRising, this.#sortedBy(sort)).finally(() => this.#busy--);
    if (this.#lists.size < MAX_LISTS) this.#lists.set(key, list);
    return list;
  }

  async #makeList(
    { state, account, q }: RigQuery,
    isRising: boolean,
    all: Promise<readonly RigRecord[]>,
  ): Promise<readonly RigRecord[]> {
    const part = q?.toLowerCase();
    const fits = (record: RigRecord): boolean =>
      (account === undefined || record.login.account === account) &&
      (part === undefined || holdsPart(record, part, this.#parts)) &&
      (state === undefined || this.#stateOf(record) === state);
    const rising = await all;
    const inOrder = isRising ? rising : rising.toReversed();
    if (state === undefined && account === undefined && part === undefined) return inOrder;
    return mapped(inOrder, (record) => (fits(record) ? record : undefined));
  }

  report(record: RigRecord): Rig {
    const known = this.#reports.get(record) ?? this.#makeReport(record);
    this.#reports.set(record, known);
    return known;
  }

  detail(record: RigRecord): RigDetail {
    const known = this.#details.get(record) ?? this.#makeDetail(record);
    this.#details.set(record, known);
    return known;
  }

  #makeDetail(record: RigRecord): RigDetail {
    return { rig: this.report(record), sessions: newestSessionsOf(record, this.atMs) };
  }

  #makeReport(record: RigRecord): Rig {
    const { labels, ordered } = this.#parts;
    const { login, sessions, newest } = record;
    return {
      account: login.account,
      rig: login.rig,
      label: labels.of(login)?.label ?? null,
      state: this.#stateOf(record),
      sessions: sessions.length,
      connectedSince: timeOrNull(record.connectedAtMs),
      agent: record.agent,
      difficulty: hashesOrNull(newest?.difficulty),
      orderedDifficulty: ordered.of(login)?.difficulty ?? null,
      hashRates: ratesOf(record.rates(this.atMs)),
      accepted: record.accepted,
      rejected: record.rejections,
      bestShare: reachedOrNull(record.bestShare),
      lastShareAt: timeOrNull(record.lastShareAtMs),
    };
  }

  #stateOf(record: RigRecord): RigState {
    const known =
      this.#states.get(record) ?? record.stateAt(this.atMs, () => this.#parts.isBanned(record, this.atMs));
    this.#states.set(record, known);
    return known;
  }

  #sortedBy(sort: RigSort): Promise<readonly RigRecord[]> {
    const known = this.#sorted.get(sort) ?? this.#sort(sort);
    this.#sorted.set(sort, known);
    return known;
  }

  async #sort(sort: RigSort): Promise<readonly RigRecord[]> {
    const { rigBook } = this.#parts;
    const keyed = await mapped(rigBook.rigs(), (record) => ({ record, key: this.#keyOf(record, sort) }));
    return mapped(await sorted(keyed, byKeyThenLogin), ({ record }) => record);
  }

  #keyOf(record: RigRecord, sort: RigSort): SortKey {
    switch (sort) {
      case 'name':
        return record.key.toLowerCase();
      case 'account':
        return record.login.account.toLowerCase();
      case 'state':
        return RIG_STATES.indexOf(this.#stateOf(record));
      case 'agent':
        return record.agent.toLowerCase();
      case 'hashRate':
        return record.steadyRate(this.atMs);
      case 'rate1h':
        return record.rateOver(HOUR_MS, this.atMs);
      case 'rate24h':
        return record.rateOver(DAY_MS, this.atMs);
      case 'difficulty':
        return Number(record.newest?.difficulty ?? 0);
      case 'accepted':
        return record.accepted;
      case 'rejected':
        return record.rejectedPart;
      case 'bestShare':
        return record.bestShare;
      case 'lastShare':
        return record.lastShareAtMs ?? 0;
      case 'sessions':
        return record.sessions.length;
      case 'connected':
        return record.connectedAtMs ?? 0;
    }
  }
}

/** In login or label. @param part small letters. */
function holdsPart({ login }: RigRecord, part: string, { labels }: Pick<RigListParts, 'labels'>): boolean {
  if (loginText(login).toLowerCase().includes(part)) return true;
  return labels.of(login)?.label.toLowerCase().includes(part) ?? false;
}

function newestSessionsOf(record: RigRecord, atMs: number): Session[] {
  const newestFirst = record.sessions.toSorted((a, b) => b.openedAtMs - a.openedAtMs);
  return newestFirst.slice(0, MAX_SESSIONS).map((session) => session.report(atMs));
}

interface Keyed {
  readonly record: RigRecord;
  readonly key: SortKey;
}

/** Always in the same order where the rest is equal, so that pages of a list do not overlap. */
function byKeyThenLogin({ key, record }: Keyed, other: Keyed): number {
  if (key !== other.key) return key < other.key ? -1 : 1;
  return record.key < other.record.key ? -1 : 1;
}
