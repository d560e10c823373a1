/** Lists of several fronts: exactly those that one process would give. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PROCESSES } from '../../src/bridge/fleet/watch.js';
import type { OrderedDifficulty, RigLabel } from '../../src/bridge/orders/steering.js';
import {
  RIG_SORTS,
  RIG_STATES,
  type RigQuery,
  type RigWatch,
  type SessionReport,
} from '../../src/bridge/watch/rig-watch.js';
import { SILENT } from '../../src/core/names/log.js';
import type { HashRate } from '../../src/core/shares/hash-rate.js';
import type { Difficulty } from '../../src/core/work/target.js';
import { FleetWatch } from '../../src/fleet/watch/fleet-watch.js';
import { WatchedFronts } from '../../src/fleet/watch/fronts.js';
import { frontWatchOf } from '../../src/stratum/operator/front-watch.js';
import { RigOrders } from '../../src/stratum/operator/rig-orders.js';
import { type Watched, type WatchParts, watchOf } from '../../src/stratum/operator/watch.js';
import { RigBook } from '../../src/stratum/tenure/rig-book.js';
import type { RigSession } from '../../src/stratum/tenure/rig-record.js';
import { cloned } from '../helpers/processes/cloned.js';
import { NO_RIGS } from '../helpers/rigs/no-rigs.js';

const START_MS = 1_000_000_000;
/** Sums of such are exact in a single. */
const SHARE = 2 ** 24;
const ALL = { offset: 0, limit: 1000 };
const SILENCE_MS = 400_000;
/** Of their names some are alike but for large letters, and one account has a rig without a name. */
const LOGINS = ['a.', 'a.R', 'a.r', 'b.1', 'B.1', 'b.2', 'c.x', 'ä.ö'].map((text) => {
  const [account = '', rig = ''] = text.split('.');
  return { account, rig };
});
const BANNED = new Set(['there 0', 'there 3']);

const labels = new RigOrders<RigLabel>([
  { ...{ account: 'b', rig: '1' }, label: 'Ärger', sinceMs: 0, by: 'me' },
]);
const ordered = new RigOrders<OrderedDifficulty>([
  { ...{ account: 'a', rig: 'r' }, difficulty: 5n as Difficulty, sinceMs: 0, by: 'me' },
]);

/** What holds the sessions of one server, and what is known of its rigs. */
function place(time: { nowMs: number }) {
  const sessions = new Set<Session>();
  const rigBook = new RigBook({ limits: { remembered: 10_000 }, accounts: { areProven: true } });
  const parts: WatchParts = {
    ...{ rigBook, ordered, labels, sessions: () => sessions, nowMs: () => time.nowMs },
    isBanned: ({ addressKey }) => BANNED.has(addressKey),
    ...{ counts: NO_RIGS.counts, bans: () => [], drain: NO_RIGS.drain },
  };
  return { sessions, rigBook, parts, watch: watchOf(parts) };
}
type Place = ReturnType<typeof place>;

type Session = RigSession &
  Watched & { answeredAtMs: number; readonly front: number; readonly addressKey: string };

const step = fc.record({
  kind: fc.constantFrom('open', 'open', 'share', 'reject', 'close', 'silence'),
  front: fc.nat(MAX_PROCESSES),
  login: fc.nat(LOGINS.length - 1),
  second: fc.option(fc.nat(LOGINS.length - 1)),
  which: fc.nat(50),
  amount: fc.integer({ min: 1, max: 50 }),
  passedMs: fc.integer({ min: 1, max: 100 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The same happens in one process and in many. */
class Worlds {
  readonly time = { nowMs: START_MS };
  readonly one = place(this.time);
  readonly fronts: readonly Place[];
  readonly many: FleetWatch;
  readonly #open: Session[] = [];
  #opened = 0;

  constructor(count: number) {
    this.fronts = Array.from({ length: count }, () => place(this.time));
    const fronts = new WatchedFronts(() => this.time.nowMs, SILENT);
    for (const [number, { parts, watch }] of this.fronts.entries())
      fronts.join(number, { watch: cloned(frontWatchOf(parts, watch)) });
    this.many = new FleetWatch({
      ...{
        fronts,
        drain: NO_RIGS.drain,
        own: () => ({ leased: 0, bans: 0 }),
        bans: NO_RIGS.bans,
        nowMs: () => this.time.nowMs,
      },
    });
  }

  do({ kind, passedMs, which, ...more }: Step): void {
    this.time.nowMs += passedMs;
    const session = this.#open[which % Math.max(1, this.#open.length)];
    if (kind === 'open') this.#come(more);
    else if (kind === 'silence') this.time.nowMs += SILENCE_MS;
    else if (session) this.#say(session, kind, more.amount);
  }

  #come({ front: any, login, second, amount }: Omit<Step, 'kind' | 'passedMs' | 'which'>): void {
    const front = any % this.fronts.length;
    const numbers = [...new Set([login, second ?? login])];
    const session: Session = {
      info: { id: ++this.#opened * MAX_PROCESSES + front, transport: 'tcp', peer: `there ${front}` },
      ...{
        front,
        whence: { host: '192.0.2.1', port: 'tcp' },
        openedAtMs: this.time.nowMs,
        answeredAtMs: this.time.nowMs,
        addressKey: `there ${amount % 5}`,
      },
      ...{ agent: `Asic/${amount % 3}`, difficulty: BigInt(amount % 7) as Difficulty },
      logins: numbers.flatMap((number) => LOGINS[number] ?? []),
      hashesPerSecond: amount % 4,
      report: () => ({ ...session.info, openedAtMs: session.openedAtMs }) as SessionReport,
    };
    this.#open.push(session);
    for (const { sessions, rigBook } of this.#placesOf(session)) {
      sessions.add(session);
      for (const each of session.logins) rigBook.entered(each, session, session.addressKey);
    }
    // Who has had no share leaves nothing behind: some have none, and stay.
    if (amount % 5 > 0) this.#share(session, amount);
  }

  #say(session: Session, kind: 'share' | 'reject' | 'close', amount: number): void {
    session.answeredAtMs = this.time.nowMs;
    // Where one of several has gone, a fleet goes by when those were heard that are left, and one process by all.
    if (kind === 'close') for (const other of this.#open) other.answeredAtMs = this.time.nowMs;
    if (kind !== 'reject') this.#share(session, amount);
    for (const { sessions, rigBook } of this.#placesOf(session)) {
      for (const login of session.logins)
        if (kind === 'reject') rigBook.rejected(login, amount % 2 ? 'stale' : 'duplicate', this.time.nowMs);
        else if (kind === 'close') rigBook.left(login, session);
      if (kind === 'close') sessions.delete(session);
    }
    if (kind === 'close') this.#open.splice(this.#open.indexOf(session), 1);
  }

  /** All have been mining since the beginning. */
  #share({ logins, addressKey, front }: Session, amount: number): void {
    const { nowMs } = this.time;
    const share = {
      difficulty: amount * SHARE,
      reached: amount * SHARE * 1.5,
      nextDifficulty: 1,
      addressKey,
    };
    for (const { rigBook } of this.#placesOf({ front }))
      for (const login of logins)
        rigBook.share(rigBook.recordOf(login), { ...share, sinceMs: START_MS }, nowMs);
  }

  #placesOf({ front }: Pick<Session, 'front'>): readonly Place[] {
    return [this.one, this.fronts[front] ?? expect.fail()];
  }
}

/** An error is a root of a sum of squares, which rounds another way when it is put together. */
function rounded<T extends { readonly hashRates: readonly HashRate[] }>(report: T): object {
  const hashRates = report.hashRates.map((rate) => ({
    ...rate,
    standardError: rate.standardError.toPrecision(9),
  }));
  return { ...report, hashRates };
}

async function shownBy(watch: RigWatch, query: RigQuery): Promise<object> {
  const [rigs, accounts, sessions] = [
    await watch.rigs(query),
    await watch.accounts(query),
    await watch.sessions(query),
  ];
  const details = await Promise.all(LOGINS.map(({ account, rig }) => watch.rig(account, rig)));
  const online = new Set<string>();
  for await (const part of watch.online())
    for (const { account, rig } of part) online.add(`${account}.${rig}`);
  return {
    rigs: { ...rigs, items: rigs.items.map(rounded) },
    accounts: { ...accounts, items: accounts.items.map(rounded) },
    sessions,
    details: details.map((detail) => detail && { ...detail, rig: rounded(detail.rig) }),
    online: [...online].sort(),
    names: await watch.accountNames(),
    byAccount: [...(await watch.sessionsByAccount())].sort(),
  };
}

const query = fc.record({
  sort: fc.constantFrom(...RIG_SORTS),
  order: fc.constantFrom('asc' as const, 'desc' as const, undefined),
  state: fc.constantFrom(...RIG_STATES, undefined, undefined),
  account: fc.constantFrom('a', 'nobody', undefined, undefined, undefined),
  q: fc.constantFrom('R', 'ärg', '.', '', undefined, undefined),
  offset: fc.nat(4),
  limit: fc.integer({ min: 1, max: 10 }),
});

describe('lists over fronts', () => {
  it('are exactly those of one process, however sessions and rigs are spread over one to eight', async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(step, { maxLength: 80, size: 'max' }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        async (count, steps, queries) => {
          const worlds = new Worlds(count);
          for (const each of steps) worlds.do(each);
          for (const each of [{ ...ALL }, ...queries]) {
            const expected = await shownBy(worlds.one.watch, each);
            expect(await shownBy(worlds.many, each)).toEqual(expected);
            rows += (expected as { rigs: { items: object[] } }).rigs.items.length;
          }
        },
      ),
      { numRuns: 300, seed: 18 },
    );
    expect(rows).toBeGreaterThan(1000);
  });

  it('come in pieces where there are many, and are right at their end', async () => {
    const worlds = new Worlds(3);
    const rigs = 5000;
    for (let i = 0; i < rigs; i++) {
      const login = { account: `k${i % 7}`, rig: `${i}` };
      const share = {
        difficulty: (1 + (i % 1000)) * SHARE,
        nextDifficulty: 1,
        addressKey: 'x',
        sinceMs: START_MS,
      };
      // All on the first front, and some on others too.
      const places = [worlds.one, worlds.fronts[0], i % 3 === 0 ? worlds.fronts[2] : undefined];
      const times = [i % 3 === 0 ? 2 : 1, 1, 1];
      for (const [at, each] of places.entries())
        for (let n = 0; each && n < (times[at] ?? 0); n++)
          each.rigBook.share(each.rigBook.recordOf(login), share, START_MS);
    }
    worlds.time.nowMs += 2000;
    const query = { offset: rigs - 40, limit: 100, sort: 'rate24h' } as const;
    const found = await worlds.many.rigs(query);
    const expected = await worlds.one.watch.rigs(query);
    expect({ ...found, items: found.items.map(rounded) }).toEqual({
      ...expected,
      items: expected.items.map(rounded),
    });
    expect([found.total, found.items.length]).toEqual([rigs, 40]);
  });
});
