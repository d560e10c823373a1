/** What a stratum server shows of its sessions, rigs, accounts and bans. Only what is looked at is worked out in full. */

import type { SessionInfo } from '../../bridge/events.js';
import type { Listing, RigCounts, RigWatch, Slice } from '../../bridge/watch/rig-watch.js';
import { mapped, sorted } from '../../bridge/watch/slices.js';
import type { Name } from '../../core/names/names.js';
import type { MiningAccount } from '../../operations/accounts.js';
import type { Ban } from '../../operations/bans.js';
import type { Drain } from '../../operations/drain.js';
import { ratesOf, timeOf } from '../../operations/entry/values.js';
import type { ListedAddresses, OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { Session } from '../../operations/rigs.js';
import type { Login } from '../door/accounts.js';
import type { AccountRecord } from '../tenure/rig-record.js';
import { FRESH_MS, RigList, type RigListParts } from './rig-list.js';
import type { RigOrders } from './rig-orders.js';

/** A session as it is shown. */
export interface Watched {
  readonly info: SessionInfo;
  readonly hashesPerSecond: number;
  readonly logins: readonly Login[];
  report(nowMs: number): Session;
}

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
  const rigs = new RigList(parts);
  const sessions = sessionList(parts);
  const accounts = accountList(parts);
  return {
    counts: () => parts.counts(),
    sessions: (slice) => sessions.list(slice),
    rigs: (query) => rigs.list(query),
    online: () => onlineNames(parts),
    rig: (account, rig) => rigs.find(account, rig),
    accounts: (slice) => accounts.list.list(slice),
    accountNames: async () => mapped(await accounts.list.all(), ({ login }) => login.account),
    sessionsByAccount: () => accounts.sessions(),
    bans: () => parts.bans(),
    difficulties: () => parts.ordered.all,
    labels: () => parts.labels.all,
    addresses: () => parts.addresses(),
    drain: () => parts.drain(),
  };
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

function sessionList(parts: WatchParts): FastestFirst<Watched, Session> {
  return new FastestFirst(
    () => parts.nowMs(),
    async (atMs) => ({
      all: [...parts.sessions()],
      speedOf: (session) => session.hashesPerSecond,
      report: (session) => session.report(atMs),
    }),
  );
}

interface AccountList {
  readonly list: FastestFirst<AccountRecord, MiningAccount>;
  /** By account. */
  sessions(): Promise<ReadonlyMap<string, number>>;
}

function accountList(parts: WatchParts): AccountList {
  let open: ReadonlyMap<string, number> = new Map();
  const list = new FastestFirst<AccountRecord, MiningAccount>(
    () => parts.nowMs(),
    async (atMs) => {
      open = await countSessions(parts.sessions());
      return {
        all: parts.rigBook.accounts,
        speedOf: ({ meter }) => meter.steadyRate(atMs),
        compare: (a, b) => (a.login.account < b.login.account ? -1 : 1),
        report: ({ login: { account }, meter, lastShareAtMs }) => ({
          account,
          sessions: open.get(account) ?? 0,
          hashRates: ratesOf(meter.rates(atMs)),
          lastShareAt: timeOf(lastShareAtMs),
        }),
      };
    },
  );
  const sessions = async () => {
    await list.all();
    return open;
  };
  return { list, sessions };
}

/** By account. */
async function countSessions(sessions: ReadonlySet<Watched>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await mapped([...sessions], ({ logins }) => {
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

  async list({ offset, limit }: Slice): Promise<Listing<Report>> {
    const { items, look, reports } = await this.#fresh();
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
