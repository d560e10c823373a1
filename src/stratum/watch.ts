/** What a stratum server shows of its sessions, rigs, accounts and bans. Only what is looked at is worked out in full. */
import type {
  AccountReport,
  Ban,
  Listing,
  RigCounts,
  RigReport,
  RigWatch,
  SessionReport,
  Slice,
} from '../bridge/rig-watch.js';
import type { Login } from './accounts.js';
import { type RigBook, type RigRecord, rigKey } from './rig-book.js';

/** A session as it is shown. */
export interface Watched {
  readonly hashesPerSecond: number;
  readonly logins: readonly Login[];
  report(nowMs: number): Omit<SessionReport, 'chainId'>;
}

export interface WatchParts<Session extends Watched> {
  readonly rigBook: RigBook;
  sessions(): ReadonlySet<Session>;
  chainOf(session: Session): number | undefined;
  counts(): RigCounts;
  bans(): readonly Ban[];
  nowMs(): number;
}

/** A list is worked out once a second at the most: rates of 20,000 rigs take a tenth of that. */
const FRESH_MS = 1000;

export function watchOf<Session extends Watched>(parts: WatchParts<Session>): RigWatch {
  const { rigBook, nowMs } = parts;
  const sessions = new FastestFirst(nowMs, (atMs) => ({
    all: parts.sessions(),
    speedOf: (session: Session) => session.hashesPerSecond,
    report: (session: Session): SessionReport => ({
      ...session.report(atMs),
      chainId: parts.chainOf(session),
    }),
  }));
  const records = <T>(
    of: () => Iterable<RigRecord>,
    keyOf: KeyOf,
    make: Make<T>,
  ): FastestFirst<RigRecord, T> =>
    new FastestFirst(nowMs, (atMs) => {
      const open = countSessions(parts.sessions(), keyOf);
      return {
        all: of(),
        speedOf: ({ meter }) => meter.steadyRate(atMs),
        report: ({ login, meter, lastShareAtMs }) =>
          make(login, {
            account: login.account,
            sessions: open.get(keyOf(login)) ?? 0,
            hashRates: meter.rates(atMs),
            lastShareAtMs,
          }),
      };
    });
  const rigs = records(
    () => rigBook.rigs,
    rigKey,
    ({ rig }, report): RigReport => ({ ...report, rig }),
  );
  const accounts = records(
    () => rigBook.accounts,
    ({ account }) => account,
    (_login, report) => report,
  );
  return {
    counts: () => parts.counts(),
    sessions: (slice) => sessions.list(slice),
    rigs: (slice) => rigs.list(slice),
    accounts: (slice) => accounts.list(slice),
    bans: ({ offset, limit }) => {
      const bans = parts.bans();
      return { total: bans.length, items: bans.slice(offset, offset + limit) };
    },
  };
}

type KeyOf = (login: Login) => string;
type Make<T> = (login: Login, report: AccountReport) => T;

function countSessions(sessions: ReadonlySet<Watched>, keyOf: KeyOf): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { logins } of sessions) {
    for (const key of new Set(logins.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
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
