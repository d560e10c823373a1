/**
 * Sessions, rigs and accounts of all fronts as one list each. What is sorted by comes from each front in pieces, is added up and
 * put in order here, in slices; then those on the page are asked for in full.
 */
import type { FrontWatch, KeysAsked, LoginKeys } from '../../bridge/fleet/watch.js';
import { SORT_KINDS, type SortKind } from '../../bridge/fleet/watch.js';
import type { Ban, DrainReport } from '../../bridge/orders/steering.js';
import {
  type AccountReport,
  type Listing,
  RIG_STATES,
  type RigCounts,
  type RigDetail,
  type RigQuery,
  type RigReport,
  type RigSort,
  type RigWatch,
  type SessionReport,
  type Slice,
} from '../../bridge/watch/rig-watch.js';
import { mapped, sorted } from '../../bridge/watch/slices.js';
import type { Name } from '../../core/names/names.js';
import { Fresh } from './fresh.js';
import type { WatchedFronts } from './fronts.js';
import {
  accountOf,
  addTo,
  byLogin,
  detailOf,
  loginKey,
  type Row,
  rigOf,
  rowOf,
  type SortKey,
  sortKeyOf,
} from './rows.js';

export interface FleetWatchParts {
  readonly fronts: WatchedFronts;
  drain(): DrainReport;
  /** Of the hub itself, which has no sessions. */
  own(): Pick<RigCounts, 'leased' | 'bans'>;
  /** Each front has those of all, and so has the hub. */
  bans(slice: Slice): Promise<Listing<Ban>>;
  /** Of steady time. */
  nowMs(): number;
}

/** A whole list, in order. */
interface Found<T> {
  readonly all: readonly T[];
  /** Of fronts that did not answer. */
  readonly leftOut: readonly number[];
}

interface SessionKey {
  readonly front: number;
  readonly id: number;
  readonly speed: number;
}

const RISES: ReadonlySet<RigSort> = new Set<RigSort>(['name', 'account', 'state', 'agent']);

export class FleetWatch implements RigWatch {
  readonly #parts: FleetWatchParts;
  readonly #sessions: Fresh<Found<SessionKey>>;
  readonly #rigs: Fresh<Found<Row>>;
  readonly #accounts: Fresh<Found<Row>>;
  readonly #sessionCounts: Fresh<ReadonlyMap<string, number>>;

  constructor(parts: FleetWatchParts) {
    this.#parts = parts;
    const nowMs = (): number => parts.nowMs();
    this.#sessions = new Fresh(nowMs);
    this.#rigs = new Fresh(nowMs);
    this.#accounts = new Fresh(nowMs);
    this.#sessionCounts = new Fresh(nowMs);
  }

  counts(): RigCounts {
    const all = this.#parts.fronts.news.map(({ counts }) => counts);
    const own = this.#parts.own();
    const sum = (of: keyof RigCounts): number => all.reduce((sum, counts) => sum + counts[of], 0);
    return {
      sessions: sum('sessions'),
      leased: sum('leased') + own.leased,
      parked: sum('parked'),
      bans: own.bans,
      waiting: sum('waiting'),
      refused: sum('refused'),
    };
  }

  drain(): DrainReport {
    return this.#parts.drain();
  }

  async sessions({ offset, limit }: Slice): Promise<Listing<SessionReport>> {
    const found = await this.#sessions.get('', () => this.#sessionKeys());
    const page = found.all.slice(offset, offset + limit);
    const known = new Map<number, SessionReport>();
    await this.#atThose(page, async (watch, those) => {
      for (const report of await watch.sessions(those.map(({ id }) => id))) known.set(report.id, report);
    });
    const items = page.flatMap(({ id }) => known.get(id) ?? []);
    return { total: found.all.length, items, ...this.#leftOut(found) };
  }

  async rigs(query: RigQuery): Promise<Listing<RigReport>> {
    const { state, account, q, sort = 'hashRate', order, offset, limit } = query;
    const part = q === undefined || q === '' ? undefined : q.toLowerCase();
    const asked: KeysAsked = { of: 'rigs', sort, account, part };
    const found = await this.#rigs.get(JSON.stringify([sort, account, part]), () =>
      this.#rows(asked, sort, byKeyThenLogin),
    );
    const isRising = (order ?? (RISES.has(sort) ? 'asc' : 'desc')) === 'asc';
    const inOrder = isRising ? found.all : found.all.toReversed();
    const wanted = state && RIG_STATES.indexOf(state);
    const all =
      wanted === undefined
        ? inOrder
        : await mapped(inOrder, (row) => (row.state === wanted ? row : undefined));
    const page = all.slice(offset, offset + limit);
    return { total: all.length, items: await this.#rigsOf(page), ...this.#leftOut(found) };
  }

  async *online(): AsyncGenerator<readonly Name[]> {
    for (const front of this.#parts.fronts.numbers)
      for await (const { accounts, rigs } of this.#pieces(front, { of: 'online' }))
        if (accounts.length > 0) yield accounts.map((account, i) => ({ account, rig: rigs[i] ?? '' }));
  }

  async rig(account: string, rig: string): Promise<RigDetail | undefined> {
    const answers = await this.#parts.fronts.ask((watch) => watch.rig(account, rig));
    return detailOf(answers.flatMap(({ answer }) => answer ?? []));
  }

  get silent(): readonly number[] {
    return this.#parts.fronts.silent;
  }

  async accounts({ offset, limit }: Slice): Promise<Listing<AccountReport>> {
    const found = await this.#accountRows();
    const page = found.all.slice(offset, offset + limit);
    const names = page.map(({ account }) => account);
    const answers = names.length === 0 ? [] : await this.#parts.fronts.ask((watch) => watch.accounts(names));
    const parts = answers.flatMap(({ answer }) => answer);
    const sessions = await this.sessionsByAccount();
    const items = names.flatMap((account) => {
      const those = parts.filter((part) => part.account === account);
      return those.length === 0 ? [] : [accountOf(account, those, sessions.get(account) ?? 0)];
    });
    return { total: found.all.length, items, ...this.#leftOut(found) };
  }

  async accountNames(): Promise<readonly string[]> {
    return (await this.#accountRows()).all.map(({ account }) => account);
  }

  sessionsByAccount(): Promise<ReadonlyMap<string, number>> {
    return this.#sessionCounts.get('', () => this.#countSessions());
  }

  async #countSessions(): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>();
    for (const { answer } of await this.#parts.fronts.ask((watch) => watch.sessionsByAccount()))
      for (const [account, sessions] of answer) sums.set(account, (sums.get(account) ?? 0) + sessions);
    return sums;
  }

  bans(slice: Slice): Promise<Listing<Ban>> {
    return this.#parts.bans(slice);
  }

  /** Those that were missing when the list was made, or are now. */
  #leftOut({ leftOut }: Found<unknown>): Pick<Listing<unknown>, 'leftOut'> {
    const all = new Set([...leftOut, ...this.#parts.fronts.silent]);
    return all.size === 0 ? {} : { leftOut: [...all].sort((a, b) => a - b) };
  }

  async #sessionKeys(): Promise<Found<SessionKey>> {
    const answers = await this.#parts.fronts.ask((watch) => watch.sessionKeys());
    const leftOut = this.#parts.fronts.silent;
    const keys = answers.flatMap(({ front, answer: { ids, speeds } }) =>
      Array.from(ids, (id, i) => ({ front, id, speed: speeds[i] ?? 0 })),
    );
    return { all: await sorted(keys, (a, b) => b.speed - a.speed || a.id - b.id), leftOut };
  }

  #accountRows(): Promise<Found<Row>> {
    return this.#accounts.get('', () => this.#rows({ of: 'accounts' }, 'hashRate', fastestFirst));
  }

  /** Of all that fit, one for each login. */
  async #rows(asked: KeysAsked, sort: RigSort, compare: (a: Keyed, b: Keyed) => number): Promise<Found<Row>> {
    const answers = await this.#parts.fronts.ask(async (watch) => {
      const pieces: LoginKeys[] = [];
      for await (const piece of piecesOf(watch, asked)) pieces.push(piece);
      return pieces;
    });
    const leftOut = this.#parts.fronts.silent;
    const rows = new Map<string, Row>();
    for (const { front, answer } of answers)
      for (const piece of answer) await add(rows, piece, front, SORT_KINDS[sort]);
    const keyed = await mapped([...rows], ([login, row]) => ({ login, row, key: sortKeyOf(row, sort) }));
    return { all: await mapped(await sorted(keyed, compare), ({ row }) => row), leftOut };
  }

  async #rigsOf(page: readonly Row[]): Promise<readonly RigReport[]> {
    const placed = page.flatMap(({ account, rig, fronts }) =>
      fronts.map((front) => ({ front, account, rig })),
    );
    const parts = await this.#atThose(placed, (watch, those) =>
      watch.rigs(those.map(({ account, rig }) => ({ account, rig }))),
    );
    const found = byLogin(parts.flat());
    return page.flatMap((row) => {
      const those = found.get(loginKey(row));
      return those ? [rigOf(those)] : [];
    });
  }

  /** Asks each front of those that are there. */
  async #atThose<T extends { readonly front: number }, A>(
    those: readonly T[],
    question: (watch: FrontWatch, those: readonly T[]) => Promise<A>,
  ): Promise<readonly A[]> {
    const { fronts } = this.#parts;
    const byFront = new Map<number, T[]>();
    for (const each of those) byFront.set(each.front, [...(byFront.get(each.front) ?? []), each]);
    return fronts.askSome([...byFront.keys()], (watch, front) => question(watch, byFront.get(front) ?? []));
  }

  /** Of one front; those that it gives before it falls silent. */
  async *#pieces(front: number, asked: KeysAsked): AsyncGenerator<LoginKeys> {
    const { fronts } = this.#parts;
    let [piece] = await fronts.askSome([front], (watch) => watch.keys(asked));
    while (piece) {
      yield piece;
      const { next } = piece;
      if (next === undefined) return;
      [piece] = await fronts.askSome([front], (watch) => watch.moreKeys(next));
    }
  }
}

async function* piecesOf(watch: FrontWatch, asked: KeysAsked): AsyncGenerator<LoginKeys> {
  let piece = await watch.keys(asked);
  yield piece;
  while (piece.next !== undefined) {
    piece = await watch.moreKeys(piece.next);
    yield piece;
  }
}

async function add(rows: Map<string, Row>, piece: LoginKeys, front: number, kind: SortKind): Promise<void> {
  let at = 0;
  await mapped(piece.accounts, () => {
    const row = rowOf(piece, at++, front);
    const login = loginKey(row);
    const known = rows.get(login);
    if (known) addTo(known, row, kind);
    else rows.set(login, row);
    return undefined;
  });
}

interface Keyed {
  readonly key: SortKey;
  readonly login: string;
}

function byKeyThenLogin(a: Keyed, b: Keyed): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.login < b.login ? -1 : 1;
}

function fastestFirst(a: Keyed, b: Keyed): number {
  if (a.key !== b.key) return a.key > b.key ? -1 : 1;
  return a.login < b.login ? -1 : 1;
}
