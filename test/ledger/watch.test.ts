/** What the books show, of shares and blocks that were booked. */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  BooksAwayError,
  type BooksWatch,
  type History,
  type HistoryQuestion,
} from '../../src/bridge/watch/books-watch.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { SILENT } from '../../src/core/names/log.js';
import { disownBlock } from '../../src/ledger/blocks/claims.js';
import type { Statement } from '../../src/ledger/database/statements.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { Lane } from '../../src/ledger/watch/lane.js';
import { openQuestions } from '../../src/ledger/watch/questions.js';
import { openBooksWatch } from '../../src/ledger/watch/watch.js';
import type { HistoryOf } from '../../src/operations/history.js';
import { useBooks } from '../helpers/books/books.js';
import { keepUp } from '../helpers/books/keep-up.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { type Decided, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { openGate } from '../helpers/processes/gate.js';
import { entryOf, makeShare, type RejectionCount } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { until } from '../helpers/until.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const POOL: HistoryOf = { kind: 'pool' };
const PROP = {
  ...REWARD_RULES,
  scheme: 'prop' as const,
  fees: { basisPoints: 200, overrides: new Map([['a', 50]]) },
};
const READY = Promise.resolve();
/** Far more than a machine that others keep busy needs for a question. */
const PATIENCE_MS = 60_000;

const books = useBooks({ onOwnServer: true });
let blocks = 0;
/** When the next block is found, unless it is said when: each in a slot of its own. */
let nextMs = 0;

beforeEach(async () => {
  nextMs = Date.now() - 10 * MINUTE_MS;
  await books.empty();
  await books.pool.query('TRUNCATE rig CASCADE');
});

function watchAt(connectionString: string, patienceMs = PATIENCE_MS): BooksWatch {
  const watch = openBooksWatch({ connectionString, ready: READY, patienceMs });
  onTestFinished(() => watch.close());
  return watch;
}

const watching = (): BooksWatch => watchAt(books.connectionString);

interface Mined {
  readonly account?: string;
  readonly rigs?: number;
  readonly atMs: number;
  readonly difficulty?: bigint;
  readonly rejected?: number;
}

async function mine({
  account = 'farm',
  rigs = 1,
  atMs,
  difficulty = 6000n,
  rejected = 0,
}: Mined): Promise<void> {
  const shares = Array.from({ length: rigs }, (_, i) =>
    makeShare({ account, rig: `r${i}`, acceptedAtMs: atMs, difficulty }),
  );
  const rejections: RejectionCount[] = rejected
    ? [{ account, rig: 'r0', reason: 'stale', sinceMs: atMs, submits: rejected, work: 1n }]
    : [];
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections }));
}

async function find(
  account = 'a',
  difficulty = 1000n,
  foundAtMs = nextMs,
  chainId = 3,
  said: 'received' | 'lost' = 'received',
): Promise<string> {
  const solution = makeSolution(
    { account, foundAtMs },
    { parent: ++blocks % 256, height: blocks, difficulty, chainId },
  );
  await recordSolution(books.ledger, solution, said, 'taken');
  nextMs += 10_000;
  const { rows } = await books.pool.query<{ id: string }>('SELECT max(id) AS id FROM block');
  return rows[0]?.id ?? '';
}

async function see(id: string, state: Decided, reward: string | null = '10'): Promise<void> {
  const amount = reward === null ? undefined : (parseAmount(reward) ?? expect.fail());
  await sawBlock(books.pool, id, state, amount === undefined ? undefined : { reward: amount });
  await settleAll(books.pool, PROP, { ofPeriods: false });
}

function question(more: Partial<HistoryQuestion> = {}): HistoryQuestion {
  return { metric: 'hashRate', of: POOL, stepMs: MINUTE_MS, steps: 60, ...more };
}

async function historyOf(watch: BooksWatch, more: Partial<HistoryQuestion> = {}): Promise<History> {
  return (await watch.history(question(more))) ?? expect.fail('nothing is known of it');
}

/** Reads a table that no recorder writes. */
const FRESHNESS = question({ metric: 'freshness' });

/** The value of the step that a time lies in. */
function at(
  { fromMs, columns }: History,
  name: string,
  stepMs: number,
  timeMs: number,
): number | null | undefined {
  return columns[name]?.[Math.floor((timeMs - fromMs) / stepMs)];
}

describe('history', () => {
  /** In a minute that is over, whole minutes ago. */
  const minutesAgo = (minutes: number): number =>
    Math.floor(Date.now() / MINUTE_MS - minutes) * MINUTE_MS + 5000;
  const OF = {
    pool: POOL,
    'a large account': { kind: 'account', account: 'farm' },
    'a small account': { kind: 'account', account: 'home' },
    'a rig': { kind: 'rig', account: 'farm', rig: 'r1' },
  } as const satisfies Record<string, HistoryOf>;

  it.each([
    ['pool', 8],
    ['a large account', 6],
    ['a small account', 2],
    ['a rig', 1],
  ] as const)('of %s: its hash rate with its error, and gaps where there was nothing', async (of, rigs) => {
    const times = [50, 40, 39, 20, 3].map(minutesAgo);
    for (const atMs of times) {
      await mine({ account: 'farm', rigs: 6, atMs });
      await mine({ account: 'home', rigs: 2, atMs });
    }
    await keepUp(books.pool);
    const watch = watching();
    const history = await historyOf(watch, { of: OF[of] });
    expect(history.columns['hashesPerSecond']).toHaveLength(60);
    for (const atMs of times) {
      expect(at(history, 'hashesPerSecond', MINUTE_MS, atMs)).toBe(rigs * 100);
      expect(at(history, 'standardError', MINUTE_MS, atMs)).toBeCloseTo(100 * Math.sqrt(rigs), 2);
    }
    const known = history.columns['hashesPerSecond']?.filter((value) => value !== null);
    expect(known).toHaveLength(times.length);
    for (const [stepMs, steps] of [
      [10 * MINUTE_MS, 144],
      [HOUR_MS, 168],
      [3 * HOUR_MS, 240],
      [DAY_MS, 365],
    ] as const) {
      const longer = await historyOf(watch, { of: OF[of], stepMs, steps });
      const values = longer.columns['hashesPerSecond'] ?? [];
      expect([values.length, values.at(-40)]).toEqual([steps, null]);
      // All of it lies in the last steps, the last of which is not over.
      const hashes = values.map((value, i) => (value ?? 0) * lasted(longer, i, stepMs));
      const all = hashes.reduce((sum, one) => sum + one, 0) / 1000;
      expect(all / (rigs * 6000 * times.length)).toBeCloseTo(1, 3);
    }
  });

  function lasted({ fromMs, untilMs }: History, step: number, stepMs: number): number {
    return Math.max(0, Math.min(stepMs, untilMs - fromMs - step * stepMs));
  }

  it.each(['pool', 'a large account', 'a rig'] as const)(
    'of %s: counts what came seconds ago',
    async (of) => {
      const atMs = Date.now() - 20_000;
      await mine({ account: 'farm', rigs: 6, atMs });
      const history = await historyOf(watching(), { of: OF[of], metric: 'shares' });
      expect(at(history, 'accepted', MINUTE_MS, atMs)).toBe(of === 'a rig' ? 1 : 6);
    },
  );

  it('of the pool: shows no minute of which it has read a part alone', async () => {
    const nowMs = Date.now();
    // One in every ten seconds.
    const shares = Array.from({ length: 60 }, (_, i) =>
      makeShare({ account: 'farm', rig: 'r0', acceptedAtMs: nowMs - (i + 1) * 10_000, difficulty: 6000n }),
    );
    await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
    const history = await historyOf(watching());
    const { columns, fromMs, untilMs } = history;
    const whole = columns['hashesPerSecond']?.slice(0, Math.floor((untilMs - fromMs) / MINUTE_MS));
    const known = whole?.filter((rate) => rate !== null) ?? [];
    expect(known.length).toBeGreaterThanOrEqual(4);
    // The first one began before the shares, the last one may have ended since.
    expect(new Set(known.slice(1, -1))).toEqual(new Set([600]));
  });

  it('reaches back a year, over all that was summed up meanwhile', async () => {
    const nowMs = Date.now();
    const times = [300, 100, 40, 20, 5, 2].map((days) => nowMs - days * DAY_MS);
    for (const atMs of times)
      await mine({ account: 'farm', rigs: 6, atMs, difficulty: 86_400n, rejected: 4 });
    await keepUp(books.pool);
    const year = { stepMs: DAY_MS, steps: 365 };
    const watch = watching();
    for (const [of, rigs] of [
      [OF.pool, 6],
      [OF['a large account'], 6],
      [OF['a rig'], 1],
    ] as const) {
      const rates = await historyOf(watch, { of, ...year });
      const shares = await historyOf(watch, { of, metric: 'shares', ...year });
      for (const atMs of times) {
        expect(at(rates, 'hashesPerSecond', DAY_MS, atMs)).toBe(rigs);
        expect(at(shares, 'accepted', DAY_MS, atMs)).toBe(rigs);
        expect(at(shares, 'stale', DAY_MS, atMs)).toBe(of.kind === 'rig' ? 0 : 4);
        expect(at(shares, 'duplicate', DAY_MS, atMs)).toBe(0);
      }
      expect(shares.columns['stale']?.filter((value) => value === null)).toHaveLength(365 - times.length);
    }
  });

  it('counts rigs online by ten minutes', async () => {
    const tenMs = 10 * MINUTE_MS;
    const atMs = Math.floor(Date.now() / tenMs - 3) * tenMs;
    await mine({ account: 'farm', rigs: 6, atMs });
    await mine({ account: 'farm', rigs: 6, atMs: atMs + 3 * MINUTE_MS });
    await mine({ account: 'farm', rigs: 4, atMs: atMs + tenMs });
    await keepUp(books.pool);
    const watch = watching();
    const asked = { metric: 'rigs', stepMs: tenMs, steps: 144 } as const;
    for (const of of [OF.pool, OF['a large account']]) {
      const history = await historyOf(watch, { ...asked, of });
      expect([0, tenMs].map((more) => at(history, 'online', tenMs, atMs + more))).toEqual([6, 4]);
      expect(history.columns['online']?.filter((value) => value !== null)).toHaveLength(2);
    }
    const rig = await historyOf(watch, { ...asked, of: OF['a rig'] });
    expect(at(rig, 'online', tenMs, atMs)).toBe(1);
    // Of a day that is over: two times ten minutes of 144.
    await books.empty();
    const dayMs = Math.floor(Date.now() / DAY_MS - 40) * DAY_MS;
    await mine({ account: 'farm', rigs: 6, atMs: dayMs });
    await mine({ account: 'farm', rigs: 6, atMs: dayMs + tenMs });
    await keepUp(books.pool);
    const year = await historyOf(watch, { metric: 'rigs', stepMs: DAY_MS, steps: 365 });
    expect(at(year, 'online', DAY_MS, dayMs)).toBeCloseTo(12 / 144, 5);
  });

  it('counts blocks and their effort', async () => {
    // At noon, so that all of it is of one day.
    const foundAtMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 12 * HOUR_MS;
    const watch = watching();
    const asked = { stepMs: DAY_MS, steps: 7 };
    await mine({ account: 'a', atMs: foundAtMs - 2000, difficulty: 500n });
    await see(await find('a', 1000n, foundAtMs), 'confirmed');
    await mine({ account: 'b', atMs: foundAtMs - 1000, difficulty: 1500n });
    await see(await find('b', 1000n, foundAtMs), 'orphaned');
    await mine({ account: 'b', atMs: foundAtMs - 1000, difficulty: 1000n });
    await see(await find('b', 1000n, foundAtMs), 'orphaned');
    await keepUp(books.pool);
    const found = await historyOf(watch, { metric: 'blocks', ...asked });
    expect(at(found, 'found', DAY_MS, foundAtMs)).toBe(3);
    expect(at(found, 'orphaned', DAY_MS, foundAtMs)).toBe(2);
    expect(found.columns['found']?.[0]).toBeNull();
    const ofAccount = await historyOf(watch, {
      metric: 'blocks',
      of: { kind: 'account', account: 'a' },
      ...asked,
    });
    expect(at(ofAccount, 'found', DAY_MS, foundAtMs)).toBe(1);
    const ofRig = await historyOf(watch, {
      metric: 'blocks',
      of: { kind: 'rig', account: 'b', rig: 'r0' },
      ...asked,
    });
    expect([at(ofRig, 'found', DAY_MS, foundAtMs), at(ofRig, 'orphaned', DAY_MS, foundAtMs)]).toEqual([0, 0]);
    const efforts = await historyOf(watch, { metric: 'effort', ...asked });
    expect(at(efforts, 'effort', DAY_MS, foundAtMs)).toBe(1);
  });

  it('tells what was unpaid, as last seen in each step', async () => {
    const tenMs = 10 * MINUTE_MS;
    const atMs = Math.floor(Date.now() / HOUR_MS - 2) * HOUR_MS;
    await books.pool.query(
      `INSERT INTO owed (starts_at, due, expected, paying)
       SELECT to_timestamp($1::float8 / 1000 + 600 * i), 5 + i, i, 2 * i FROM generate_series(0, 5) i`,
      [atMs],
    );
    const watch = watching();
    const day = await historyOf(watch, { metric: 'unpaid', stepMs: tenMs, steps: 144 });
    const owed = (history: History, stepMs: number, timeMs: number) =>
      ['due', 'expected', 'paying'].map((book) => at(history, book, stepMs, timeMs));
    expect(owed(day, tenMs, atMs)).toEqual([5, 0, 0]);
    expect(owed(day, tenMs, atMs + 3 * tenMs)).toEqual([8, 3, 6]);
    expect(owed(day, tenMs, atMs - tenMs)).toEqual([null, null, null]);
    const week = await historyOf(watch, { metric: 'unpaid', stepMs: HOUR_MS, steps: 168 });
    expect(owed(week, HOUR_MS, atMs)).toEqual([10, 5, 10]);
    // Upkeep sees it once in ten minutes, whoever does it; what the operator keeps is owed to nobody.
    await books.empty();
    await mine({ account: 'a', atMs: nextMs, difficulty: 500n });
    await see(await find('a', 1000n), 'confirmed');
    await Promise.all([keepUp(books.pool), keepUp(books.pool)]);
    const now = await historyOf(watch, { metric: 'unpaid', stepMs: tenMs, steps: 144 });
    const seen = now.columns['due']?.filter((value) => value !== null);
    expect(new Set(seen)).toEqual(new Set([9.95]));
  });

  it('is of all bridges on the ledger, and as before after a restart', async () => {
    const other = await openLedger({ connectionString: books.connectionString, log: SILENT });
    const atMs = minutesAgo(10);
    await mine({ account: 'farm', rigs: 6, atMs });
    const shares = [makeShare({ account: 'farm', rig: 'elsewhere', acceptedAtMs: atMs, difficulty: 6000n })];
    await other.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
    await keepUp(other.pool);
    await other.close();
    const before = await historyOf(watching());
    const again = await openLedger({ connectionString: books.connectionString, log: SILENT });
    await keepUp(again.pool);
    await again.close();
    for (const history of [before, await historyOf(watching())])
      expect(at(history, 'hashesPerSecond', MINUTE_MS, atMs)).toBe(700);
  });

  it('knows nothing of who is not in the books', async () => {
    const watch = watching();
    await mine({ account: 'home', rigs: 1, atMs: Date.now() });
    for (const of of [
      { kind: 'account', account: 'nobody' },
      { kind: 'rig', account: 'home', rig: 'nothing' },
    ] as const)
      expect(await watch.history(question({ of }))).toBeUndefined();
    const nothing = await historyOf(watch, { of: { kind: 'rig', account: 'home', rig: 'r0' }, steps: 3 });
    expect(nothing.columns['hashesPerSecond']).toHaveLength(3);
  });
});

describe('an account', () => {
  it('has its money, rigs, payments and rate', async () => {
    const nowMs = Date.now();
    const watch = watching();
    await mine({ account: 'a', rigs: 2, atMs: nowMs - 30 * MINUTE_MS, difficulty: 9_000_000n });
    await mine({ account: 'a', rigs: 1, atMs: nowMs - 20 * MINUTE_MS, difficulty: 9_000_000n });
    await see(await find('a', 1000n, nowMs - 25 * MINUTE_MS), 'confirmed');
    const first = await preparePayout(books.pool, { minimum: 1n });
    await markPayout(books.pool, first?.id ?? '', { outcome: 'sent', note: 'tx 1' });
    await mine({ account: 'a', rigs: 1, atMs: nowMs - 20 * MINUTE_MS, difficulty: 9_000_000n });
    await see(await find('a', 1000n, nowMs - 18 * MINUTE_MS), 'confirmed', '4');
    const second = await preparePayout(books.pool, { minimum: 1n });
    await mine({ account: 'a', rigs: 1, atMs: nowMs - 17 * MINUTE_MS, difficulty: 9_000_000n });
    await see(await find('a', 1000n, nowMs - 16 * MINUTE_MS), 'pending', '2');
    await books.pool.query(
      "INSERT INTO account_fee (account_id, valid_from, basis_points) SELECT id, '-infinity', 50 FROM account WHERE name = 'a'",
    );
    const account = (await watch.account('a')) ?? expect.fail();
    expect(account).toMatchObject({
      due: '0.000000000000',
      expected: '1.990000000000',
      paying: '3.980000000000',
      paid: '9.950000000000',
      payments: [
        { payout: second?.name, amount: '3.980000000000', state: 'prepared', note: '' },
        { payout: first?.name, amount: '9.950000000000', state: 'sent', note: 'tx 1' },
      ],
      // What is only expected of a block is not counted.
      pay: { reward: '7.000000000000', blocks: 2, feeBasisPoints: 50 },
      rigCount: 2,
      rigs: [{ rig: 'r0' }, { rig: 'r1', bestEver: { difficulty: '9000000' } }],
      bestEver: { difficulty: '9000000', at: expect.stringContaining('Z') },
    });
    const [latest] = account.rigs;
    expect(latest?.lastShareSpanMs).toBe(MINUTE_MS);
    const lastShareMs = Date.parse(latest?.lastShareAt ?? '');
    expect(Math.abs(lastShareMs - (nowMs - 17 * MINUTE_MS))).toBeLessThanOrEqual(MINUTE_MS);
    const { hashesPerSecond = 0, standardError = 0, overMs = 0 } = account.rate ?? {};
    expect((hashesPerSecond * overMs) / 1000 / 45_000_000).toBeCloseTo(1, 6);
    // Two of one rig in ten seconds, and others of before and after.
    expect(standardError / hashesPerSecond).toBeCloseTo(1 / Math.sqrt(5), 6);
    const money = await watch.moneyOf(['a', 'nobody']);
    expect([...money]).toEqual([['a', expect.objectContaining({ paid: '9.950000000000' })]]);
    // The operator's fee is nobody's money.
    expect(await watch.allMoney()).toMatchObject(money.get('a') ?? {});
    const others = (leftOut: string[], offset = 0) => watch.otherAccounts(leftOut, { offset, limit: 9 });
    expect(await others([])).toEqual({ total: 1, items: [{ account: 'a', ...money.get('a') }] });
    expect(await others(['b'], 1)).toEqual({ total: 1, items: [] });
    expect(await others(['b', 'a'])).toEqual({ total: 0, items: [] });
    const called = (q: string) => watch.otherAccounts([], { offset: 0, limit: 9, q });
    expect([(await called('A')).total, (await called('%')).total]).toEqual([1, 0]);
  });

  it('is in the next payout, has too little for one, or is on hold; and all of them were paid so much a day', async () => {
    const watch = watching();
    for (const account of ['a', 'b', 'c']) {
      await mine({ account, atMs: nextMs - 1_000 });
      await see(await find(account), 'confirmed', '10');
    }
    await books.pool.query("UPDATE account SET minimum_payout = 1000 WHERE name = 'b'");
    await books.pool.query("UPDATE account SET held_why = 'asked' WHERE name = 'c'");
    const { due, next, tooLittle, onHold } = await watch.allMoney();
    expect([next.accounts, tooLittle.accounts, onHold.accounts]).toEqual([1, 1, 1]);
    const parts = [next, tooLittle, onHold].map(({ amount }) => Number(amount));
    expect(Math.min(...parts)).toBeGreaterThan(0);
    expect(parts.reduce((sum, part) => sum + part)).toBeCloseTo(Number(due), 9);
    const payout = await preparePayout(books.pool, { minimum: 1n });
    await markPayout(books.pool, payout?.id ?? '', { outcome: 'sent', note: '' });
    const { paid } = await watch.allMoney();
    const days = await watch.paidDays();
    expect([days.length, days.at(-1)?.paid, days.at(-2)?.paid]).toEqual([30, paid, '0.000000000000']);
    expect(Number(paid)).toBeGreaterThan(0);
  });

  it('that is large has the same, from its own sums', async () => {
    await mine({ account: 'farm', rigs: 6, atMs: Date.now() - 10 * MINUTE_MS });
    await mine({ account: 'farm', rigs: 6, atMs: Date.now() - 20_000 });
    await keepUp(books.pool);
    const account = (await watching().account('farm')) ?? expect.fail();
    expect(account.rigCount).toBe(6);
    const { hashesPerSecond = 0, overMs = 0 } = account.rate ?? {};
    expect((hashesPerSecond * overMs) / 1000).toBeCloseTo(12 * 6000, 3);
  });

  it('has what it earned a day, less what a reorganisation took back', async () => {
    const watch = watching();
    const earn = async (reward: string): Promise<string> => {
      await mine({ account: 'a', atMs: nextMs - 1_000 });
      const block = await find('a');
      await see(block, 'confirmed', reward);
      return block;
    };
    await earn('10');
    await earn('4');
    const lost = await earn('20');
    await books.pool.query("UPDATE transfer SET at = at - interval '48 hours' WHERE of = $1", [lost]);
    await see(lost, 'orphaned');
    await books.pool.query(
      `INSERT INTO transfer (code, of, time, debit, credit, amount, at)
       SELECT 'block', of, 99, debit, credit, 7, now() - interval '30 days' FROM transfer WHERE code = 'block' LIMIT 1`,
    );
    const days = (await watch.earnedDays('a')) ?? expect.fail();
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    expect(days).toHaveLength(30);
    expect(days[0]).toEqual({ day: day(29), earned: '0.000000000000' });
    expect(days.at(-3)).toEqual({ day: day(2), earned: '19.900000000000' });
    expect(days.at(-1)).toEqual({ day: day(0), earned: '-5.970000000000' });
    expect([await watch.earnedDays('nobody'), await watch.earnedDays('')]).toEqual([undefined, undefined]);
  });

  it('is not in the books under another name, nor is the operator', async () => {
    await mine({ account: 'a', atMs: Date.now() - 3 * HOUR_MS });
    await see(await find('a'), 'confirmed');
    const watch = watching();
    expect([await watch.account('A'), await watch.account('')]).toEqual([undefined, undefined]);
    expect(await watch.account('a')).toMatchObject({ rate: undefined, payments: [] });
  });
});

describe('blocks', () => {
  it('come in pages that stay as they are while others are found', async () => {
    const watch = watching();
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await find());
    const first = await watch.blocks({ limit: 3 });
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    await find();
    const second = await watch.blocks({ limit: 3, before: first.next ?? '' });
    expect(second.items.map(({ id }) => id)).toEqual(ids.slice(3, 6));
    const third = await watch.blocks({ limit: 3, before: second.next ?? '' });
    expect([third.items.map(({ id }) => id), third.next]).toEqual([ids.slice(6), null]);
    expect(await watch.blocks({ limit: 3, before: ids.at(-1) ?? '' })).toEqual({ items: [], next: null });
  });

  it('are told with state, reward, finder and effort, by state and by chain', async () => {
    const watch = watching();
    const foundAtMs = nextMs;
    await mine({ account: 'a', atMs: foundAtMs - 1000, difficulty: 1430n });
    const confirmed = await find('a', 1000n, foundAtMs);
    await see(confirmed, 'confirmed');
    await books.pool.query(
      "INSERT INTO chain (id, network, head_height) SELECT chain_id, 'test', height + 5 FROM block WHERE id = $1",
      [confirmed],
    );
    const unpaid = await find('a', 1000n, foundAtMs, 5);
    await see(unpaid, 'confirmed', null);
    const pending = await find('b');
    await recordSolution(books.ledger, makeSolution({}, { height: 7001 }), 'refused', 'no');
    await recordSolution(books.ledger, makeSolution({}, { height: 7002 }), 'found', '');
    const { items } = await watch.blocks({ limit: 10 });
    expect(items).toMatchObject([
      { id: pending, state: 'pending', finder: { account: 'b' }, effort: null, reward: null, depth: 4 },
      {
        id: unpaid,
        state: 'confirmed',
        chainId: 5,
        reward: null,
        detail: expect.stringContaining('schedule'),
        effort: 0,
      },
      {
        ...{
          id: confirmed,
          state: 'confirmed',
          chainId: 3,
          reward: '10.000000000000',
          depth: 6,
          effort: 1.43,
        },
        ...{
          finder: { account: 'a', rig: 'r1' },
          node: 'http://node',
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          foundAt: new Date(foundAtMs).toISOString(),
        },
      },
    ]);
    const only = async (more: object) =>
      (await watch.blocks({ limit: 10, ...more })).items.map(({ id }) => id);
    expect(await only({ state: 'pending' })).toEqual([pending]);
    expect(await only({ state: 'orphaned' })).toEqual([]);
    expect(await only({ chain: 3 })).toEqual([pending, confirmed]);
    expect(await only({ chain: 3, state: 'confirmed' })).toEqual([confirmed]);
    expect(await only({ chain: 99 })).toEqual([]);
    const refused = (await watch.blocks({ limit: 10, state: 'refused' })).items;
    expect(refused).toMatchObject([{ state: 'refused', height: 7001, hash: '', detail: 'no', effort: null }]);
    expect((await watch.blocks({ limit: 10, state: 'found' })).items).toMatchObject([{ height: 7002 }]);
    // What no node has taken is no block.
    const id = refused[0]?.id ?? '';
    expect(await watch.split(id, { offset: 0, limit: 1 })).toBeUndefined();
    await expect(disownBlock(books.pool, { id, note: 'a test', by: 'anna' })).rejects.toThrow(
      `there is no block ${id}`,
    );
    await keepUp(books.pool);
    // Summed up or not, it is the same.
    expect((await watch.blocks({ limit: 10 })).items).toEqual(items);
  });

  it('are expected by the work of the rounds', async () => {
    const SAID = {
      3: ['lost', 'orphaned'],
      4: ['received', 'orphaned'],
      5: ['lost', 'confirmed'],
    } as Readonly<Record<number, readonly ['received' | 'lost', Decided]>>;
    const watch = watching();
    for (let i = 0; i < 12; i++) {
      await mine({ account: 'a', atMs: nextMs, difficulty: 2000n });
      const [said, became] = SAID[i] ?? (['received', 'pending'] as const);
      await see(await find('a', 1000n, nextMs, 3, said), became);
    }
    await mine({ account: 'a', atMs: Date.now(), difficulty: 123n });
    await mine({ account: 'b', atMs: Date.now(), difficulty: 1n });
    await keepUp(books.pool);
    const rounds = await watch.rounds();
    expect(rounds.open.work).toBe('124');
    // The fourth was no block; an orphan was one.
    expect(rounds.last).toEqual({ blocks: 11, expected: 24 });
    expect(rounds.best?.difficulty).toBe('2000');
  });
});

describe('payouts', () => {
  it('come in pages, and each with its lines', async () => {
    const watch = watching();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      for (const account of ['c', 'a', 'b']) await mine({ account, atMs: nextMs });
      await see(await find(), 'confirmed');
      const batch = (await preparePayout(books.pool, { minimum: 1n })) ?? expect.fail();
      if (i < 2)
        await markPayout(books.pool, batch.id, { outcome: i === 0 ? 'sent' : 'failed', note: `note ${i}` });
      ids.unshift(batch.id);
    }
    const first = await watch.payouts({ limit: 2 });
    expect(first.items.map(({ id, state, accounts }) => [id, state, accounts])).toEqual([
      [ids[0], 'prepared', 3],
      [ids[1], 'failed', 3],
    ]);
    expect(first.next).toBe(ids[1]);
    expect(await watch.payouts({ limit: 2, before: first.next ?? '' })).toMatchObject({
      items: [{ id: ids[2], state: 'sent', note: 'note 0', minimum: '0.000000000001' }],
    });
    const payout = (await watch.payout(ids[2] ?? '', { offset: 1, limit: 1 })) ?? expect.fail();
    expect(payout).toMatchObject({ id: ids[2], accounts: 3, lines: [{ account: 'b' }] });
    const all = (await watch.payout(ids[2] ?? '', { offset: 0, limit: 10 })) ?? expect.fail();
    const sum = all.lines.reduce((total, { amount }) => total + (parseAmount(amount) ?? 0n), 0n);
    expect(sum).toBe(parseAmount(all.total));
    expect(await watch.payout('999999', { offset: 0, limit: 1 })).toBeUndefined();
  });
});

describe('questions', () => {
  const KINDS: Record<string, (watch: BooksWatch) => Promise<unknown>> = {
    account: (watch) => watch.account('a'),
    earnedDays: (watch) => watch.earnedDays('a'),
    moneyOf: (watch) => watch.moneyOf(['a']),
    otherAccounts: (watch) => watch.otherAccounts(['a'], { offset: 0, limit: 1 }),
    allMoney: (watch) => watch.allMoney(),
    paidDays: (watch) => watch.paidDays(),
    blocks: (watch) => watch.blocks({ limit: 1 }),
    rounds: (watch) => watch.rounds(),
    split: (watch) => watch.split('1', { offset: 0, limit: 1 }),
    payouts: (watch) => watch.payouts({ limit: 1 }),
    payout: (watch) => watch.payout('1', { offset: 0, limit: 1 }),
    history: (watch) => watch.history(question()),
  };

  it.each(Object.keys(KINDS))(
    '%s: says so while the ledger is away, silent or not there yet, and is answered after',
    async (kind) => {
      const ask = KINDS[kind] ?? expect.fail();
      const gate = await openGate(Number(new URL(books.connectionString).port));
      onTestFinished(() => gate.shut());
      const url = new URL(books.connectionString);
      url.port = String(gate.port);
      const watch = watchAt(url.href, 700);
      await until('it is answered', () =>
        ask(watch).then(
          () => true,
          () => false,
        ),
      );
      gate.freeze();
      await expect(ask(watch)).rejects.toThrow(BooksAwayError);
      await gate.shut();
      await expect(ask(watch)).rejects.toThrow('the ledger does not answer now');
      await gate.open();
      await until('it is answered again', () =>
        ask(watch).then(
          () => true,
          () => false,
        ),
      );
      const early = openBooksWatch({ connectionString: url.href, ready: new Promise(() => {}) });
      await expect(ask(early)).rejects.toThrow(BooksAwayError);
      await early.close();
    },
  );

  it('hold up nobody who records, however many there are, and end by themselves', async () => {
    const watch = watchAt(books.connectionString, 700);
    const client = await books.pool.connect();
    onTestFinished(() => client.release(true));
    await client.query('BEGIN; LOCK TABLE freshness IN ACCESS EXCLUSIVE MODE');
    const asked = Promise.allSettled(Array.from({ length: 150 }, () => watch.history(FRESHNESS)));
    await mine({ atMs: Date.now() });
    expect((await books.ledger.totals()).shares).toBe(1);
    const words = (await asked).map((each) =>
      each.status === 'rejected' ? String(each.reason.message) : 'answered',
    );
    expect(words.filter((each) => each.includes('wait already'))).toHaveLength(118);
    expect(words.filter((each) => each.includes('does not answer now'))).toHaveLength(32);
    await client.query('ROLLBACK');
    await until('the next one is answered', () =>
      watch.history(question()).then(
        () => true,
        () => false,
      ),
    );
  });

  it('about history are asked one at a time, and leave the way free for others', async () => {
    const watch = watching();
    const client = await books.pool.connect();
    onTestFinished(() => client.release(true));
    await client.query('BEGIN; LOCK TABLE freshness IN ACCESS EXCLUSIVE MODE');
    const asked = Promise.all(Array.from({ length: 20 }, () => watch.history(FRESHNESS)));
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE application_name = 'stratum-bridge watch' AND wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await books.pool.query(waiting)).rows[0].n, { timeout: PATIENCE_MS })
      .toBe(1);
    // One after the other, on the connection that is left.
    for (let i = 0; i < 5; i++) expect(await watch.payouts({ limit: 1 })).toEqual({ items: [], next: null });
    expect((await books.pool.query(waiting)).rows[0].n).toBe(1);
    await client.query('ROLLBACK');
    expect((await asked).filter((each) => each?.columns['p50'])).toHaveLength(20);
  });

  it('that fail keep no other from their turn', async () => {
    const lane = new Lane(2);
    const failed = lane.run(() => Promise.reject(new Error('no')));
    const answered = lane.run(async () => 7);
    await expect(lane.run(async () => 8)).rejects.toThrow(BooksAwayError);
    await expect(failed).rejects.toThrow('no');
    expect(await answered).toBe(7);
    expect(await lane.run(async () => 9)).toBe(9);
  });

  it('change nothing', async () => {
    const statement = (text: string): Statement<[]> => ({ text });
    const questions = openQuestions({
      connectionString: books.connectionString,
      ready: READY,
      patienceMs: PATIENCE_MS,
    });
    onTestFinished(() => questions.close());
    const write = questions.ask((ask) =>
      ask(statement("INSERT INTO rig (account_id, name, key) VALUES (0, 'y', '') RETURNING id")),
    );
    await expect(write).rejects.toThrow();
    expect((await books.pool.query('SELECT FROM rig')).rowCount).toBe(0);
    await expect(questions.ask((ask) => ask(statement('SELECT nonsense')))).rejects.toThrow('nonsense');
  });
});
