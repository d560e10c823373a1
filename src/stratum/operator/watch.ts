/**
 * What a stratum server shows of its sessions, rigs, accounts and bans, and of those that other bridges have shown. Only what is looked at is
 * worked out in full.
 */

import { accountTogether, NO_OTHERS } from '../../bridge/watch/other-bridges.js';
import type { Listing, RigCounts, RigWatch, Slice } from '../../bridge/watch/rig-watch.js';
import { mapped, sorted } from '../../bridge/watch/slices.js';
import type { Name } from '../../core/names/names.js';
import type { Ban } from '../../operations/bans.js';
import type { MiningAccount } from '../../operations/books/accounts.js';
import type { Drain } from '../../operations/drain.js';
import { ratesOf, timeOf } from '../../operations/entry/values.js';
import type { ListedAddresses, OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { Session } from '../../operations/rigs.js';
import type { AccountRecord } from '../resume/rig-record.js';
import type { Session as OpenSession } from '../session/session.js';
import { FRESH_MS, RigList, type RigListParts } from './rig-list.js';
import type { RigOrders } from './rig-orders.js';

/** A session as it is shown. */
export type Watched = Pick<OpenSession, 'info' | 'hashesPerSecond' | 'logins' | 'report'>;

interface WatchParts extends RigListParts {
  sessions(): ReadonlySet<Watched>;
  counts(): RigCounts;
  bans(): readonly Ban[];
  readonly ordered: RigOrders<OrderedDifficulty>;
  readonly labels: RigOrders<RigLabel>;
  addresses(): readonly ListedAddresses[];
  drain(): Drain;
}

export function watchOf(parts: WatchParts): RigWatch {
  const { rigs, sessions, accounts } = listsOf(parts);
  const here = listsOf({ ...parts, others: () => NO_OTHERS });
  return {
    counts: () => parts.counts(),
    sessions: (slice) => sessions.list(slice),
    rigs: (query) => rigs.list(query),
    online: () => onlineNames(parts),
    rig: (account, rig) => rigs.find(account, rig),
    accounts: ({ q = '', ...slice }) => accounts.list.list(slice, searchOf(q)),
    accountNames: async () => mapped(await accounts.list.all(), nameOf),
    sessionsByAccount: () => accounts.sessions(),
    here: async () => ({
      rigs: (await here.rigs.list(ALL)).items,
      sessions: (await here.sessions.list(ALL)).items,
      accounts: (await here.accounts.list.list(ALL)).items,
      bans: parts.bans().filter(({ by }) => by === null),
    }),
    bans: () => [...parts.bans(), ...parts.others().bans],
    difficulties: () => parts.ordered.all,
    labels: () => parts.labels.all,
    addresses: () => parts.addresses(),
    drain: () => parts.drain(),
  };
}

/** Nothing where all are meant. */
function searchOf(q: string): ((one: AccountRecord | MiningAccount) => boolean) | undefined {
  const wanted = q.toLowerCase();
  return wanted === '' ? undefined : (one) => nameOf(one).toLowerCase().includes(wanted);
}

const ALL: Slice = { offset: 0, limit: Number.POSITIVE_INFINITY };

function listsOf(parts: WatchParts) {
  return { rigs: new RigList(parts), sessions: sessionList(parts), accounts: accountList(parts) };
}

const NAMES_AT_ONCE = 1_000;

/**
 * Not by the list of rigs: of many, sorting takes longer than all the rest. In parts: whoever else has something to do gets
 * his turn while one is looked at.
 */
async function* onlineNames({
  rigBook,
  nowMs,
}: Pick<WatchParts, 'rigBook' | 'nowMs'>): AsyncGenerator<readonly Name[]> {
  let part: Name[] = [];
  for (const record of rigBook.present) {
    if (record.stateAt(nowMs(), () => false) !== 'online') continue;
    const { account, rig } = record.login;
    if (part.push({ account, rig }) < NAMES_AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function sessionList(parts: WatchParts): FastestFirst<Watched | Session, Session> {
  return new FastestFirst<Watched | Session, Session>(
    () => parts.nowMs(),
    async (atMs) => ({
      all: [...parts.sessions(), ...parts.others().sessions],
      speedOf: (session) => ('report' in session ? session.hashesPerSecond : speedOf(session)),
      report: (session) => ('report' in session ? session.report(atMs) : session),
    }),
  );
}

/** As sessions and accounts of this bridge have it. */
function speedOf({ hashRates }: Pick<Session, 'hashRates'>): number {
  return hashRates[1]?.hashesPerSecond ?? 0;
}

interface AccountList {
  readonly list: FastestFirst<AccountRecord | MiningAccount, MiningAccount>;
  /** By account. */
  sessions(): Promise<ReadonlyMap<string, number>>;
}

function accountList(parts: WatchParts): AccountList {
  let open: ReadonlyMap<string, number> = new Map();
  const list = new FastestFirst<AccountRecord | MiningAccount, MiningAccount>(
    () => parts.nowMs(),
    async (atMs) => {
      const { accounts: others, sessions: elsewhereOpen } = parts.others();
      open = await countSessions([...parts.sessions(), ...elsewhereOpen]);
      const reportOf = ({ login: { account }, meter, lastShareAtMs }: AccountRecord): MiningAccount => ({
        account,
        sessions: open.get(account) ?? 0,
        hashRates: ratesOf(meter.rates(atMs)),
        lastShareAt: timeOf(lastShareAtMs),
      });
      const here = await mapped(parts.rigBook.accounts, (record) => {
        const other = others.get(record.login.account);
        if (!other) return record;
        const own = reportOf(record);
        return { ...accountTogether(own, other), sessions: own.sessions };
      });
      const known = new Set(here.map(nameOf));
      const elsewhere = await mapped([...others.values()], (one) =>
        known.has(one.account) ? undefined : one,
      );
      return {
        all: [...here, ...elsewhere],
        speedOf: (one) => ('meter' in one ? one.meter.steadyRate(atMs) : speedOf(one)),
        compare: (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1),
        report: (one) => ('meter' in one ? reportOf(one) : one),
      };
    },
  );
  const sessions = async () => {
    await list.all();
    return open;
  };
  return { list, sessions };
}

function nameOf(one: AccountRecord | MiningAccount): string {
  return 'meter' in one ? one.login.account : one.account;
}

/** By account. */
async function countSessions(
  sessions: readonly { readonly logins: readonly Pick<Name, 'account'>[] }[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await mapped(sessions, ({ logins }) => {
    for (const account of new Set(logins.map((login) => login.account)))
      counts.set(account, (counts.get(account) ?? 0) + 1);
    return undefined;
  });
  return counts;
}

interface Look<T, Report> {
  readonly all: readonly T[];
  speedOf(item: T): number;
  /** Of those that are as fast; without it they stay as they came. */
  compare?(a: T, b: T): number;
  report(item: T): Report;
}

/** What was found at one look. */
interface Found<T, Report> {
  readonly items: readonly T[];
  readonly look: Look<T, Report>;
  readonly reports: Map<T, Report>;
}

/** However often somebody asks, each item is sorted and reported once for each look, in slices. */
class FastestFirst<T, Report> {
  readonly #nowMs: () => number;
  readonly #take: (atMs: number) => Promise<Look<T, Report>>;
  #found: Promise<Found<T, Report>> | undefined;
  #takenAtMs = 0;
  #isBusy = false;

  constructor(nowMs: () => number, take: (atMs: number) => Promise<Look<T, Report>>) {
    this.#nowMs = nowMs;
    this.#take = take;
  }

  /** @param isMeant those that are left out are not counted either. */
  async list({ offset, limit }: Slice, isMeant?: (item: T) => boolean): Promise<Listing<Report>> {
    const { items: all, look, reports } = await this.#fresh();
    const items = isMeant ? await mapped(all, (item) => (isMeant(item) ? item : undefined)) : all;
    const page = await mapped(items.slice(offset, offset + limit), (item) => {
      const report = reports.get(item) ?? look.report(item);
      reports.set(item, report);
      return report;
    });
    return { total: items.length, items: page };
  }

  /** In the order of the list. */
  async all(): Promise<readonly T[]> {
    return (await this.#fresh()).items;
  }

  #fresh(): Promise<Found<T, Report>> {
    const atMs = this.#nowMs();
    const isOld = atMs < this.#takenAtMs || atMs - this.#takenAtMs >= FRESH_MS;
    // Who asks while one is worked out has that one: looks never pile up.
    if (this.#found && (!isOld || this.#isBusy)) return this.#found;
    this.#takenAtMs = atMs;
    this.#isBusy = true;
    this.#found = this.#find(atMs).finally(() => {
      this.#isBusy = false;
    });
    return this.#found;
  }

  async #find(atMs: number): Promise<Found<T, Report>> {
    const look = await this.#take(atMs);
    const timed = await mapped(look.all, (item) => ({ item, speed: look.speedOf(item) }));
    const items = await mapped(
      await sorted(timed, (a, b) => b.speed - a.speed || (look.compare?.(a.item, b.item) ?? 0)),
      ({ item }) => item,
    );
    return { items, look, reports: new Map() };
  }
}
