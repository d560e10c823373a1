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

export function watchOf<Session extends Watched>(parts: WatchParts<Session>): RigWatch {
  const { rigBook, nowMs } = parts;
  const records = <T>(of: Iterable<RigRecord>, keyOf: KeyOf, slice: Slice, make: Make<T>): Listing<T> => {
    const atMs = nowMs();
    const sessions = countSessions(parts.sessions(), keyOf);
    return fastest(
      of,
      slice,
      ({ meter }) => meter.steadyRate(atMs),
      ({ login, meter, lastShareAtMs }) =>
        make(login, {
          account: login.account,
          sessions: sessions.get(keyOf(login)) ?? 0,
          hashRates: meter.rates(atMs),
          lastShareAtMs,
        }),
    );
  };
  return {
    counts: () => parts.counts(),
    sessions: (slice) =>
      fastest(
        parts.sessions(),
        slice,
        (session) => session.hashesPerSecond,
        (session): SessionReport => ({ ...session.report(nowMs()), chainId: parts.chainOf(session) }),
      ),
    rigs: (slice) =>
      records(rigBook.rigs, rigKey, slice, ({ rig }, report): RigReport => ({ ...report, rig })),
    accounts: (slice) =>
      records(
        rigBook.accounts,
        ({ account }) => account,
        slice,
        (_login, report) => report,
      ),
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

function fastest<T, Report>(
  all: Iterable<T>,
  { offset, limit }: Slice,
  speedOf: (item: T) => number,
  report: (item: T) => Report,
): Listing<Report> {
  const timed = Array.from(all, (item) => ({ item, speed: speedOf(item) }));
  timed.sort((a, b) => b.speed - a.speed);
  return {
    total: timed.length,
    items: timed.slice(offset, offset + limit).map(({ item }) => report(item)),
  };
}
