/** The timeline on real books: each line once, in one order for all, whatever is repeated, raced or restored. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EventFollower } from '../../src/bridge/timeline/event-follower.js';
import { KINDS } from '../../src/bridge/timeline/events.js';
import type { TimelineEvent } from '../../src/bridge/timeline/timeline-event.js';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toHex } from '../../src/core/bytes/bytes.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { SILENT } from '../../src/core/names/log.js';
import { dumpBooks } from '../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../src/ledger/copies/restore.js';
import { inTransaction } from '../../src/ledger/database/transaction.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { EVENT_CHANNEL, pruneTimeline, SQL, tellInBooks, timelineBook } from '../../src/ledger/timeline.js';
import { useBooks } from '../helpers/books/books.js';
import { giveMoney } from '../helpers/books/money.js';
import { createDatabase } from '../helpers/books/postgres.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock } from '../helpers/books/settlement.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const RUN = randomUUID();
const NOW_MS = Date.now();
const books = useBooks({ onOwnServer: true });
beforeEach(() => books.empty());

const book = () => timelineBook(books.pool);

function line(number: number, more: Partial<TimelineEvent> = {}): TimelineEvent {
  const told = { kind: 'queueAway', says: `line ${number}`, facts: {}, instance: 2, by: null };
  return { run: RUN, number, atMs: NOW_MS + number, ...told, ...more };
}

const lines = (count: number, from = 1): TimelineEvent[] =>
  Array.from({ length: count }, (_, i) => line(from + i));

/** A node of what EXPLAIN says. */
interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Rows Removed by Filter'?: number;
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

async function kept(): Promise<string[]> {
  const all = await book().readLines({ limit: 1000 });
  return all.map(({ kind, says, by }) => `${kind}: ${says}${by ? ` (${by})` : ''}`).reverse();
}

describe('who follows the timeline', () => {
  const listening = async (): Promise<number[]> => {
    const { rows } = await books.pool.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN stratum_bridge_event' AND datname = current_database()",
    );
    return rows.map(({ pid }) => pid);
  };
  const follow = (intervalMs: number) => {
    const heard: number[] = [];
    const follower = new EventFollower({
      ...{ book: book(), run: randomUUID(), log: SILENT, intervalMs },
      onNotice: (look) => books.ledger.notices.on(EVENT_CHANNEL, { onNotice: look, onConnected: look }),
      heard: ({ number }) => void heard.push(number),
    });
    onTestFinished(() => follower.close());
    return heard;
  };

  it('hears at once of what is written, by notices', async () => {
    const heard = follow(3_600_000);
    await expect.poll(listening, { timeout: 20_000 }).toHaveLength(1);
    for (const number of [1, 2]) {
      await book().writeLines([line(number)]);
      await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe(number);
    }
    expect(heard).toEqual([1, 2]);
  });

  it('misses nothing while it does not listen, and listens again', async () => {
    const heard = follow(200);
    await expect.poll(listening, { timeout: 20_000 }).toHaveLength(1);
    const [pid] = await listening();
    await books.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await book().writeLines([line(1)]);
    await expect.poll(() => heard, { timeout: 20_000 }).toEqual([1]);
    await expect.poll(listening, { timeout: 20_000 }).toSatisfy(([now]) => now !== undefined && now !== pid);
  });
});

describe('the timeline', () => {
  it('has each line once, however often it is brought, and gives it back as it was', async () => {
    const told = line(7, {
      facts: { text: 'ä "quoted" \ufffd', list: ['a', 'b'], none: null, n: 1.5 },
      by: 'admin',
    });
    expect(await book().writeLines([told, line(8)])).toBe(0);
    expect(await book().writeLines([told, line(8), line(9)])).toBe(0);
    const [third, second, first, ...more] = await book().readLines({ limit: 10 });
    expect(more).toEqual([]);
    expect(first).toEqual({ ...told, id: first?.id });
    expect([second?.number, third?.number]).toEqual([8, 9]);
    expect(first?.id).toBeLessThan(second?.id ?? 0);
  });

  it('leaves out a line that the database refuses, and counts it', async () => {
    const bad = line(2, { facts: { text: '\u0000' } });
    expect(await book().writeLines([line(1), bad, line(3)])).toBe(1);
    expect(await kept()).toEqual(['queueAway: line 1', 'queueAway: line 3']);
  });

  it('is read page by page while lines come, each once', async () => {
    await book().writeLines(lines(95));
    const read: number[] = [];
    let before: number | undefined;
    for (let page = 0; page < 10; page++) {
      const some = await book().readLines({ limit: 10, before });
      read.push(...some.map(({ number }) => number));
      before = some.at(-1)?.id;
      await book().writeLines(lines(3, 1000 + 3 * page));
    }
    expect(read).toEqual(Array.from({ length: 95 }, (_, i) => 95 - i));
  });

  it('is read by kind and by time', async () => {
    await book().writeLines([line(1), line(2, { kind: 'stopped' }), line(3, { kind: 'started' }), line(4)]);
    const numbers = async (asked: object) =>
      (await book().readLines({ limit: 10, ...asked })).map(({ number }) => number);
    expect(await numbers({ kinds: ['stopped', 'started'] })).toEqual([3, 2]);
    expect(await numbers({ sinceMs: NOW_MS + 3 })).toEqual([4, 3]);
    expect(await numbers({ sinceMs: NOW_MS + 3, kinds: ['queueAway'] })).toEqual([4]);
  });

  it('is read by rig, with what is told of its account as a whole', async () => {
    const facts: TimelineEvent['facts'][] = [
      { account: 'a', rig: 'r' },
      { account: 'a', rig: 'other' },
      { login: 'a.r', of: 'rig' },
      { login: 'a', of: 'account' },
      { login: '', of: 'address' },
      { alert: 'rigOffline', about: 'a.r' },
      { alert: 'rigOffline', about: 'a.r2' },
      { account: 'a', rig: '' },
      // The rig without a name is another one.
      { login: 'a', of: 'login' },
      { login: 'a', to: 'account' },
      { login: 'a.r', session: 7 },
    ];
    await book().writeLines(facts.map((each, i) => line(i + 1, { facts: each })));
    const numbers = async (login: { account: string; rig: string }) =>
      (await book().readLines({ limit: 10, login })).map(({ number }) => number);
    expect(await numbers({ account: 'a', rig: 'r' })).toEqual([11, 10, 6, 4, 3, 1]);
    expect(await numbers({ account: 'a', rig: '' })).toEqual([10, 9, 8, 4]);
    expect(await numbers({ account: 'b', rig: 'r' })).toEqual([]);
    const login = { account: 'a', rig: 'r' };
    const [, , third] = await book().readLines({ limit: 3, login });
    const older = await book().readLines({ limit: 2, login, before: third?.id, sinceMs: NOW_MS + 3 });
    expect(older.map(({ number }) => number)).toEqual([4, 3]);
  });

  it('is found by an index where it is of a rig, or too much of its kind, however many lines there are', async () => {
    await books.pool.query(`
      INSERT INTO event (kind, says, facts)
        SELECT 'blockFound', '', jsonb_build_object('account', 'k' || i % 5000, 'rig', 'r') FROM generate_series(1, 20000) i`);
    await book().writeLines([
      line(1, { facts: { account: 'a', rig: 'r' } }),
      // Longer than an index takes.
      line(2, { facts: { about: 'é'.repeat(1_000) } }),
    ]);
    const values = [50, null, null, null, 'k7.r', 'k7'];
    const { rows } = await books.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${SQL.linesOfRig.text}`, values);
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
    const indexes = nodes.flatMap((node) => node['Index Name'] ?? []);
    expect(indexes).toEqual(['event_by_login', 'event_by_login']);
    expect(nodes.filter((node) => (node['Rows Removed by Filter'] ?? 0) > 0)).toEqual([]);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(await book().readLines({ limit: 50, login: { account: 'k7', rig: 'r' } })).toHaveLength(4);
    await books.pool.query('VACUUM ANALYZE event');
    for (const isOrdered of [false, true]) {
      const text = `EXPLAIN (FORMAT JSON) ${SQL.prune.text}`;
      const plan = await books.pool.query(text, [KINDS, 100, 10, isOrdered]);
      const ways = nodesOf(plan.rows[0]['QUERY PLAN'][0].Plan);
      const index = isOrdered ? 'event_ordered' : 'event_by_kind';
      expect(ways.flatMap((node) => node['Index Name'] ?? []).sort()).toEqual([index, index, 'event_pkey']);
      expect(ways.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    }
    expect(await book().readLines({ limit: 2 })).toHaveLength(2);
  });

  it('shows no line below one that was seen, whoever takes longer', async () => {
    const slow = new pg.Client({
      connectionString: books.connectionString,
      options: '-c search_path=stratum_bridge',
    });
    await slow.connect();
    onTestFinished(() => slow.end());
    await slow.query('BEGIN');
    await tellInBooks(slow, 'ordered', { order: 'x', about: '' }, undefined, 'first');
    const second = book().writeLines([line(1)]);
    const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await expect.poll(async () => (await books.pool.query(waiting)).rows[0].n).toBe(1);
    expect(await kept()).toEqual([]);
    await slow.query('COMMIT');
    await second;
    expect(await kept()).toEqual(['ordered: first', 'queueAway: line 1']);
    const from = (await book().readLines({ limit: 1 }))[0]?.id ?? 0;
    expect([await book().newestId(), await book().linesAfter(from, 9)]).toEqual([from, []]);
    expect((await book().linesAfter(from - 1, 9)).map(({ says }) => says)).toEqual(['line 1']);
  });

  it('is not there when what it tells of is undone', async () => {
    const undone = inTransaction(books.pool, async (client) => {
      await tellInBooks(client, 'queueAway', {});
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await kept()).toEqual([]);
  });

  it('keeps so many lines of each kind, the latest, and takes away so many at a time', async () => {
    await book().writeLines([line(0, { kind: 'stopped' }), ...lines(2_500)]);
    await Promise.all([pruneTimeline(books.pool, 100), pruneTimeline(books.pool, 100)]);
    const count = async () => (await books.pool.query('SELECT count(*)::int AS n FROM event')).rows[0].n;
    expect(await count()).toBeLessThanOrEqual(1_501);
    for (let step = 0; step < 3; step++) await pruneTimeline(books.pool, 100);
    expect(await count()).toBe(101);
    const [newest] = await book().readLines({ limit: 1 });
    const all = await book().readLines({ limit: 1000 });
    expect([newest?.number, all.at(-2)?.number, all.at(-1)?.kind]).toEqual([2_500, 2_401, 'stopped']);
  });

  it('keeps what somebody ordered, however much comes of the same kind that nobody ordered', async () => {
    const orders = Array.from({ length: 30 }, (_, i) => line(i + 1, { kind: 'banned', by: 'ann' }));
    await book().writeLines(orders);
    await book().writeLines(lines(200, 100).map((each) => ({ ...each, kind: 'banned' })));
    await pruneTimeline(books.pool, 20);
    const all = await book().readLines({ limit: 1000 });
    expect([all.length, all[0]?.number]).toEqual([40, 299]);
    expect(all.filter(({ by }) => by === 'ann').map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, i) => 30 - i),
    );
  });
});

describe('what the books themselves tell', () => {
  it('of blocks: what became of each, with what it pays and where it was found', async () => {
    const solution = makeSolution({}, { height: 100 });
    await recordSolution(books.ledger, solution, 'received', '');
    const block = await newestBlock(books.pool);
    await sawBlock(books.pool, block, 'confirmed', { reward: parseAmount('4') ?? 0n });
    await sawBlock(books.pool, block, 'orphaned');
    const of = (became: string) => `the block of chain 3 at height 100 is ${became}`;
    expect(await kept()).toEqual([
      `blockConfirmed: ${of('confirmed')}`,
      `blockOrphaned: ${of('orphaned: another one is confirmed in its place, and it pays nobody')}`,
    ]);
    const [orphaned, confirmed] = await book().readLines({ limit: 2 });
    const facts = { chainId: 3, height: 100, node: 'http://node', account: 'k:a', rig: 'r1' };
    const hash = toHex(blockHashOf(solution.header));
    expect(confirmed).toMatchObject({ instance: null, facts: { ...facts, hash, reward: '4.000000000000' } });
    expect(orphaned).toMatchObject({ instance: null, facts: { ...facts, hash } });
  });

  it('of payouts, with who did it', async () => {
    await giveMoney(books.pool, 'a', 5n * 10n ** 12n);
    await giveMoney(books.pool, 'b', 3n * 10n ** 12n);
    const prepare = () => preparePayout(books.pool, { minimum: parseAmount('1') ?? 0n, by: 'ann' });
    const [batch] = await Promise.all([prepare(), prepare()]);
    const { id = '', name = '' } = batch ?? {};
    for (const outcome of ['unknown', 'unknown', 'sent', 'sent'] as const)
      await markPayout(books.pool, id, { outcome, note: 'tx 1', by: 'bob' });
    expect(await kept()).toEqual([
      `payoutPrepared: payout ${name} is prepared: 8.000000000000 to 2 accounts (ann)`,
      `payoutMarked: payout ${name} is marked unknown: 8.000000000000 to 2 accounts (bob)`,
      `payoutMarked: payout ${name} is marked sent: 8.000000000000 to 2 accounts (bob)`,
    ]);
    expect((await book().readLines({ limit: 1 }))[0]?.facts).toEqual({
      ...{ batch: id, name, outcome: 'sent', note: 'tx 1', accounts: 2, total: '8.000000000000' },
    });
  });

  it('comes through a dump, and goes on where it ended', async () => {
    await book().writeLines([
      line(1, { facts: { list: ['a,"\\\n€'] } }),
      line(2, { by: 'admin', instance: null }),
    ]);
    const before = await book().readLines({ limit: 10 });
    const restored = await openLedger({ connectionString: await createDatabase(books), log: SILENT });
    onTestFinished(() => restored.close());
    await restoreBooks(restored.pool, dumpBooks(books.pool));
    const there = timelineBook(restored.pool);
    expect(await there.readLines({ limit: 10 })).toEqual(before);
    await there.writeLines([line(2), line(3)]);
    const [newest, ...others] = await there.readLines({ limit: 10 });
    expect([newest?.number, others]).toEqual([3, before]);
    expect(newest?.id).toBeGreaterThan(before[0]?.id ?? 0);
  });
});
