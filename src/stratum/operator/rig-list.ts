/**
 * The list of rigs, also of those that mine at other bridges: filtered, in order, a page at a time. However often somebody asks, it is worked
 * out once a second, and in slices: rigs are served between two of them, however many there are.
 */
import { type OtherBridges, rigTogether } from '../../bridge/watch/other-bridges.js';
import type { RigListing } from '../../bridge/watch/rig-watch.js';
import { mapped, sorted } from '../../bridge/watch/slices.js';
import { loginText, type Name, rigKey } from '../../core/names/names.js';
import { hashesOrNull, ratesOf, reachedOrNull, timeOrNull } from '../../operations/entry/values.js';
import { firstOrder, RIG_STATES, type RigSort, type RigState } from '../../operations/enums.js';
import type { OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { Rig, RigDetail, RigQuery } from '../../operations/rigs.js';
import type { RigBook } from '../resume/rig-book.js';
import { RigRecord } from '../resume/rig-record.js';
import type { RigOrders } from './rig-orders.js';
import { SORT_KEYS, type SortKey } from './rig-sorts.js';

export interface RigListParts {
  readonly rigBook: RigBook;
  readonly ordered: Pick<RigOrders<OrderedDifficulty>, 'of'>;
  readonly labels: Pick<RigOrders<RigLabel>, 'of'>;
  /** Whether the rig would not be let in from where it was last. */
  isBanned(record: RigRecord, nowMs: number): boolean;
  others(): OtherBridges;
  nowMs(): number;
}

export const FRESH_MS = 1000;
/** Lists of different filters that one look keeps. */
const MAX_LISTS = 16;
/** Of one rig. */
const MAX_SESSIONS = 1000;

export class RigList {
  readonly #parts: RigListParts;
  #look: Look | undefined;

  constructor(parts: RigListParts) {
    this.#parts = parts;
  }

  async list(query: RigQuery): Promise<RigListing> {
    const look = this.#freshLook();
    const all = await look.list(query);
    const { offset, limit } = query;
    const page = all.slice(offset, offset + limit);
    const items = await mapped(page, (listed) => look.report(listed));
    return { total: all.length, states: await look.states(query), items };
  }

  find(account: string, rig: string): RigDetail | undefined {
    return this.#freshLook().detail({ account, rig });
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

/** A rig of this bridge alone, which is worked out when it is shown, or one that other bridges have shown. */
type Listed = RigRecord | Rig;

/** All rigs at one time. Only what is asked for is worked out, and that once. */
class Look {
  readonly atMs: number;
  readonly #parts: RigListParts;
  readonly #others: OtherBridges;
  readonly #states = new Map<RigRecord, RigState>();
  readonly #reports = new Map<RigRecord, Rig>();
  #all: Promise<readonly Listed[]> | undefined;
  /** Rising. */
  readonly #sorted = new Map<RigSort, Promise<readonly Listed[]>>();
  readonly #lists = new Map<string, Promise<readonly Listed[]>>();
  #busy = 0;

  constructor(parts: RigListParts, atMs: number) {
    this.atMs = atMs;
    this.#parts = parts;
    this.#others = parts.others();
  }

  /** A list is being worked out. */
  get isBusy(): boolean {
    return this.#busy > 0;
  }

  async list(query: RigQuery): Promise<readonly Listed[]> {
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

  /** How many are in each state, of those that are asked for in all but the state. */
  async states({ state: _, ...query }: RigQuery): Promise<RigListing['states']> {
    const counts = Object.fromEntries(RIG_STATES.map((state) => [state, 0])) as Record<RigState, number>;
    await mapped(await this.list(query), (listed) => {
      counts[this.#stateOf(listed)]++;
    });
    return counts;
  }

  async #makeList(
    { state, account, q }: RigQuery,
    isRising: boolean,
    all: Promise<readonly Listed[]>,
  ): Promise<readonly Listed[]> {
    const part = q?.toLowerCase();
    const fits = (listed: Listed): boolean =>
      (account === undefined || nameOf(listed).account === account) &&
      (part === undefined || this.#holdsPart(listed, part)) &&
      (state === undefined || this.#stateOf(listed) === state);
    const rising = await all;
    const inOrder = isRising ? rising : rising.toReversed();
    if (state === undefined && account === undefined && part === undefined) return inOrder;
    return mapped(inOrder, (listed) => (fits(listed) ? listed : undefined));
  }

  /** In login or label. @param part small letters. */
  #holdsPart(listed: Listed, part: string): boolean {
    if (loginText(nameOf(listed)).toLowerCase().includes(part)) return true;
    return this.#labelOf(listed)?.toLowerCase().includes(part) ?? false;
  }

  report(listed: Listed): Rig {
    if (!(listed instanceof RigRecord)) return listed;
    const known = this.#reports.get(listed) ?? this.#makeReport(listed);
    this.#reports.set(listed, known);
    return known;
  }

  /** `undefined` when no bridge knows it. */
  detail(name: Name): RigDetail | undefined {
    const record = this.#parts.rigBook.find(name);
    const other = this.#others.rigs.get(rigKey(name));
    const rig = record ? this.#together(record, other) : other;
    if (!rig) return undefined;
    const here = record?.sessions.map((session) => session.report(this.atMs)) ?? [];
    const there = this.#others.sessions.filter(({ logins }) =>
      logins.some(({ account, rig }) => account === name.account && rig === name.rig),
    );
    const newestFirst = [...here, ...there].sort((a, b) => (a.openedAt > b.openedAt ? -1 : 1));
    return { rig: this.report(rig), sessions: newestFirst.slice(0, MAX_SESSIONS) };
  }

  #together(record: RigRecord, other: Rig | undefined): Listed {
    return other ? rigTogether(this.report(record), other) : record;
  }

  #makeReport(record: RigRecord): Rig {
    const { ordered } = this.#parts;
    const { login, sessions, newest } = record;
    return {
      account: login.account,
      rig: login.rig,
      label: this.#labelOf(record) ?? null,
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

  #labelOf(listed: Listed): string | undefined {
    return this.#parts.labels.of(nameOf(listed))?.label;
  }

  #stateOf(listed: Listed): RigState {
    if (!(listed instanceof RigRecord)) return listed.state;
    const known =
      this.#states.get(listed) ?? listed.stateAt(this.atMs, () => this.#parts.isBanned(listed, this.atMs));
    this.#states.set(listed, known);
    return known;
  }

  #sortedBy(sort: RigSort): Promise<readonly Listed[]> {
    const known = this.#sorted.get(sort) ?? this.#sort(sort);
    this.#sorted.set(sort, known);
    return known;
  }

  async #sort(sort: RigSort): Promise<readonly Listed[]> {
    this.#all ??= this.#gather();
    const { ofRecord, ofRow } = SORT_KEYS[sort];
    const at = { nowMs: this.atMs, stateOf: (record: RigRecord) => this.#stateOf(record) };
    const keyOf = (listed: Listed): SortKey =>
      listed instanceof RigRecord ? ofRecord(listed, at) : ofRow(listed);
    const keyed = await mapped(await this.#all, (listed) => ({ listed, key: keyOf(listed) }));
    return mapped(await sorted(keyed, byKeyThenLogin), ({ listed }) => listed);
  }

  /** Each once, wherever it mines. */
  async #gather(): Promise<readonly Listed[]> {
    const { rigBook } = this.#parts;
    const { rigs } = this.#others;
    if (rigs.size === 0) return rigBook.rigs();
    const here = await mapped(rigBook.rigs(), (record) => this.#together(record, rigs.get(record.key)));
    const elsewhere = await mapped([...rigs.values()], (rig) => (rigBook.find(rig) ? undefined : rig));
    return [...here, ...elsewhere];
  }
}

function nameOf(listed: Listed): Name {
  return listed instanceof RigRecord ? listed.login : listed;
}

interface Keyed {
  readonly listed: Listed;
  readonly key: SortKey;
}

/** Always in the same order where the rest is equal, so that pages of a list do not overlap. */
function byKeyThenLogin({ key, listed }: Keyed, other: Keyed): number {
  if (key !== other.key) return key < other.key ? -1 : 1;
  return loginKey(listed) < loginKey(other.listed) ? -1 : 1;
}

function loginKey(listed: Listed): string {
  return listed instanceof RigRecord ? listed.key : rigKey(listed);
}
