/** What a stratum server shows of its sessions, rigs, accounts and bans. Only what is looked at is worked out in full. */

import type { Ban, DrainReport } from '../../bridge/orders/steering.js';
import type {
  AccountReport,
  Listing,
  RigCounts,
  RigWatch,
  SessionReport,
  Slice,
} from '../../bridge/watch/rig-watch.js';
import type { Name } from '../../core/names.js';
import type { Login } from '../door/accounts.js';
import type { AccountRecord } from '../tenure/rig-record.js';
import { FRESH_MS, RigList, type RigListParts } from './rig-list.js';

/** A session as it is shown. */
export interface Watched {
  readonly hashesPerSecond: number;
  readonly logins: readonly Login[];
  report(nowMs: number): SessionReport;
}

export interface WatchParts extends RigListParts {
  sessions(): ReadonlySet<Watched>;
  counts(): RigCounts;
  bans(): readonly Ban[];
  drain(): DrainReport;
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
    accountNames: () => accounts.list.all.map(({ login }) => login.account),
    sessionsByAccount: () => accounts.sessions(),
    bans: ({ offset, limit }) => {
      const bans = parts.bans();
      return { total: bans.length, items: bans.slice(offset, offset + limit) };
    },
    drain: () => parts.drain(),
  };
}

/** Not by the list of rigs: of many, sorting takes longer than all the rest. */
function* onlineNames({ rigBook, nowMs }: Pick<WatchParts, 'rigBook' | 'nowMs'>): Iterable<Name> {
  for (const record of rigBook.present) {
    const { account, rig } = record.login;
    if (record.stateAt(nowMs(), () => false) === 'online') yield { account, rig };
  }
}

function sessionList(parts: WatchParts): FastestFirst<Watched, SessionReport> {
  return new FastestFirst(
    () => parts.nowMs(),
    (atMs) => ({
      all: parts.sessions(),
      speedOf: (session) => session.hashesPerSecond,
      report: (session) => session.report(atMs),
    }),
  );
}

interface AccountList {
  readonly list: FastestFirst<AccountRecord, AccountReport>;
  /** By account. */
  sessions(): ReadonlyMap<string, number>;
}

function accountList(parts: WatchParts): AccountList {
  let open = new Map<string, number>();
  const list = new FastestFirst<AccountRecord, AccountReport>(
    () => parts.nowMs(),
    (atMs) => {
      open = countSessions(parts.sessions());
      return {
        all: parts.rigBook.accounts,
        speedOf: ({ meter }) => meter.steadyRate(atMs),
        report: ({ login: { account }, meter, lastShareAtMs }) => ({
          account,
          sessions: open.get(account) ?? 0,
          hashRates: meter.rates(atMs),
          lastShareAtMs,
        }),
      };
    },
  );
  const sessions = () => {
    list.refresh();
    return open;
  };
  return { list, sessions };
}

/** By account. */
function countSessions(sessions: ReadonlySet<Watched>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { logins } of sessions) {
    for (const account of new Set(logins.map((login) => login.account)))
      counts.set(account, (counts.get(account) ?? 0) + 1);
  }
  return counts;
}

interface Look<T, Report> {
  readonly all: Iterable<T>;
  speedOf(item: T): number;
  report(item: T): Report;
}

/** However often somebody asks, each item is sorted and reported once for each look. */
class FastestFirst<T, Report> {
  readonly #nowMs: () => number;
  readonly #take: (atMs: number) => Look<T, Report>;
  #look: Look<T, Report> | undefined;
  #items: readonly T[] = [];
  readonly #reports = new Map<T, Report>();
  #takenAtMs = 0;

  constructor(nowMs: () => number, take: (atMs: number) => Look<T, Report>) {
    this.#nowMs = nowMs;
    this.#take = take;
  }

  list({ offset, limit }: Slice): Listing<Report> {
    const look = this.#freshLook();
    const items = this.#items.slice(offset, offset + limit).map((item) => {
      const report = this.#reports.get(item) ?? look.report(item);
      this.#reports.set(item, report);
      return report;
    });
    return { total: this.#items.length, items };
  }

  /** In the order of the list. */
  get all(): readonly T[] {
    this.refresh();
    return this.#items;
  }

  /** Looks again where the last look is old. */
  refresh(): void {
    this.#freshLook();
  }

  #freshLook(): Look<T, Report> {
    const atMs = this.#nowMs();
    if (this.#look && atMs >= this.#takenAtMs && atMs - this.#takenAtMs < FRESH_MS) return this.#look;
    const look = this.#take(atMs);
    const timed = Array.from(look.all, (item) => ({ item, speed: look.speedOf(item) }));
    this.#items = timed.sort((a, b) => b.speed - a.speed).map(({ item }) => item);
    this.#reports.clear();
    this.#takenAtMs = atMs;
    this.#look = look;
    return look;
  }
}
