import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { listFollowed } from '../../src/ledger/blocks/blocks.js';
import { bucketRowsAfterAYear, keepUp, startUpkeep } from '../../src/ledger/history/upkeep.js';
import { REWARD_RULES } from '../../src/ledger/settlement/reward-rules.js';
import { useBooks } from '../helpers/books.js';
import { sawBlock, settleAll } from '../helpers/settlement.js';
import { entryOf, makeShare } from '../helpers/shares.js';
import { makeSolution } from '../helpers/solutions.js';

const HOUR_MS = 3_600_000;
/** On an hour's start, some hours ago: shares of then are closed by any upkeep, and those of a minute lie in one bucket of any width. */
const NOW_MS = (Math.floor(Date.now() / HOUR_MS) - 6) * HOUR_MS;

const books = useBooks();

beforeEach(async () => {
  await books.pool.query("TRUNCATE bucket, rejection, producer; UPDATE closed SET until = 'epoch'");
});

async function one<T>(sql: string): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] as T;
}

const sums = () =>
  books.pool.query(
    'SELECT sum(shares)::int AS shares, sum(work)::int AS work, count(*)::int AS rows FROM bucket',
  );

describe('upkeep', () => {
  it('merges old buckets and loses no share', async () => {
    const producer = randomUUID();
    for (let i = 0; i < 300; i++) {
      const acceptedAtMs = NOW_MS - 63 * 24 * HOUR_MS + i * 5 * HOUR_MS;
      const shares = [0, 10_000, 20_000].map((ms) =>
        makeShare({ rig: `r${i % 2}`, difficulty: 7n, acceptedAtMs: acceptedAtMs + ms }),
      );
      const rejections = [
        { account: 'k:a', rig: 'r0', reason: 'stale' as const, sinceMs: acceptedAtMs, submits: 2, work: 9n },
      ];
      await books.ledger.recordEntry(entryOf({ id: { producer, number: i + 1 }, shares, rejections }));
    }
    expect((await sums()).rows[0]).toEqual({ shares: 900, work: 6300, rows: 900 });
    await keepUp(books.pool);
    const after = (await sums()).rows[0];
    expect(after).toMatchObject({ shares: 900, work: 6300 });
    expect(after.rows).toBeLessThan(330);
    expect(await one('SELECT sum(submits)::int FROM rejection')).toBe(600);
    expect(await one('SELECT sum(work)::int FROM rejection')).toBe(2700);
    await keepUp(books.pool);
    expect((await sums()).rows[0]).toMatchObject({ shares: 900, work: 6300 });
    expect(await one('SELECT count(DISTINCT seconds)::int FROM bucket')).toBeGreaterThan(0);
  });

  it('merges in steps of so many rows, however long it has waited', async () => {
    await books.pool.query(`
      INSERT INTO rig (account, name) SELECT 'late', 'r' || i FROM generate_series(1, 3) i;
      INSERT INTO bucket (rig_id, starts_at, shares, work)
        SELECT id, date_bin('10 seconds', now() - i * interval '10 seconds', 'epoch'), 1, 7
        FROM rig, generate_series(720, 3600) i WHERE account = 'late';
      INSERT INTO rejection (rig_id, starts_at, reason, submits, work)
        SELECT id, date_bin('10 seconds', now() - i * interval '10 seconds', 'epoch'), 'stale', 1, 9
        FROM rig, generate_series(3600, 4000) i WHERE account = 'late' AND name = 'r1';
      UPDATE closed SET until = now() - interval '1 hour';
      UPDATE rolled SET until = now() - interval '1 hour'`);
    const before = (await sums()).rows[0];
    const narrow = () =>
      one<number>(
        'SELECT ((SELECT count(*) FROM bucket WHERE seconds = 10) + (SELECT count(*) FROM rejection WHERE seconds = 10))::int',
      );
    const steps: number[] = [];
    for (let isMore = true; isMore; ) {
      const left = await narrow();
      isMore = await one<boolean>("SELECT merge_some_buckets(10, 600, now() - interval '1 hour', 500)");
      steps.push(left - (await narrow()));
    }
    expect(await narrow()).toBe(0);
    expect(Math.max(...steps)).toBeLessThanOrEqual(500 + 500 + 60);
    expect(steps.length).toBeGreaterThan(10);
    expect((await sums()).rows[0]).toMatchObject({ shares: before.shares, work: before.work });
    expect(await one('SELECT sum(submits)::int FROM rejection')).toBe(401);
    expect(await one("SELECT merge_some_buckets(10, 600, now() - interval '1 hour', 500)")).toBe(false);
  });

  it('credits what comes late to the first bucket that is open', async () => {
    await books.pool.query("SELECT close_slots($1, '1 day')", [new Date(NOW_MS)]);
    const late = makeShare({ acceptedAtMs: NOW_MS - HOUR_MS });
    const later = makeShare({ acceptedAtMs: NOW_MS - 2 * HOUR_MS });
    await books.ledger.recordEntry(
      entryOf({
        id: { producer: randomUUID(), number: 1 },
        shares: [late, later],
        rejections: [],
      }),
    );
    expect((await sums()).rows[0]).toMatchObject({ shares: 2, rows: 1 });
    expect(await one('SELECT starts_at FROM bucket')).toEqual(new Date(NOW_MS));
  });

  it('knows entries for ever, in the row of their producer', async () => {
    const producer = randomUUID();
    const record = (number: number) =>
      books.ledger.recordEntry(entryOf({ id: { producer, number }, shares: [makeShare()] }));
    for (const number of [1, 2, 3, 5, 9]) await record(number);
    await keepUp(books.pool);
    const numbers = `SELECT numbers::text FROM producer WHERE id = '${producer}'`;
    expect(await one(numbers)).toBe('{[1,4),[5,6),[9,10)}');
    expect(await Promise.all([1, 2, 3, 5, 9].map(record))).toEqual(Array(5).fill('repeated'));
    expect(await Promise.all([4, 6].map(record))).toEqual(Array(2).fill('recorded'));
    expect(await one(numbers)).toBe('{[1,7),[9,10)}');
    expect(await books.ledger.missingEntries(producer, 1, 12, 3)).toEqual([7, 8, 10]);
    expect(await books.ledger.missingEntries(randomUUID(), 4, 5, 9)).toEqual([4, 5]);
  });

  it('knows how far a producer is only when nothing is missing before, and no later than now', async () => {
    const producer = randomUUID();
    await books.ledger.announceProducer(producer, 'here');
    const inAnHour = Date.now() + 3_600_000;
    const entry = (number: number, watermarkMs: number, ends = false) => {
      return { ...entryOf({ id: { producer, number }, shares: [makeShare()] }), watermarkMs, ends };
    };
    const state = async () => {
      const text = 'SELECT place, watermark, watermark > now() AS future, ended FROM producer WHERE id = $1';
      const { rows } = await books.pool.query<{ watermark: Date; ended: boolean }>(text, [producer]);
      return rows[0] ?? expect.fail();
    };
    expect(await state()).toMatchObject({ place: 'here', watermark: new Date(0), ended: false });
    await books.ledger.recordEntry(entry(2, NOW_MS + 2000));
    expect((await state()).watermark).toEqual(new Date(0));
    await books.ledger.recordEntries([entry(1, NOW_MS + 1000), entry(4, inAnHour, true)]);
    expect(await state()).toMatchObject({ watermark: new Date(NOW_MS + 2000), ended: false });
    await books.ledger.giveUpEntry({ producer, number: 3 });
    expect(await state()).toMatchObject({ future: false, ended: true });
  });

  it('runs by itself, and settles pay per share as it goes', async () => {
    const rules = {
      ...REWARD_RULES,
      scheme: 'pps' as const,
      schedule: [{ fromHeight: 0, amount: 10n ** 12n }],
    };
    const options = { rules: async () => rules, nowMs: Date.now, log: SILENT, intervalMs: 50 };
    const upkeep = startUpkeep(books.pool, options);
    await expect.poll(() => one('SELECT count(*)::int FROM scheme_in_use')).toBe(1);
    const share = makeShare({ account: 'pps', difficulty: 5n, blockDifficulty: 10n });
    await books.ledger.recordEntry(
      entryOf({
        id: { producer: randomUUID(), number: 1 },
        shares: [share],
        rejections: [],
      }),
    );
    await expect
      .poll(() =>
        one(
          "SELECT trim_scale(amount)::text FROM balance JOIN account ON id = account_id WHERE name = 'pps'",
        ),
      )
      .toBe('0.495');
    await upkeep.close();
  });

  it('holds a year of 10,000 rigs in the size that src/ledger/README.md states', async () => {
    const rows = bucketRowsAfterAYear(10_000);
    expect(rows).toBe(16_190_000);
    await books.pool.query(`
      INSERT INTO rig (account, name) SELECT 'k:' || repeat('ab', 32), 'rig' || i FROM generate_series(1, 100) i;
      INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
        SELECT id, to_timestamp(3600 * i), 3600, 360, 360 * 1e15 FROM rig, generate_series(1, 200) i
        WHERE name LIKE 'rig%'`);
    const bytes = Number(await one("SELECT pg_total_relation_size('bucket')"));
    const bytesPerRow = bytes / Number(await one('SELECT count(*) FROM bucket'));
    expect((rows * bytesPerRow) / 2 ** 30).toBeLessThan(4);
  });

  it('adds what src/ledger/README.md states for each account that a block pays', async () => {
    const accounts = 1000;
    const names = Array.from({ length: accounts }, (_, i) => `k:${String(i).padStart(64, 'a')}`);
    await books.empty();
    const tables = ['block_split', 'block_weight', 'block', 'solution'];
    const size = () =>
      one<string>(`SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest('{${tables}}'::text[]) t`);
    const before = Number(await size());
    const blocks = 5;
    for (let height = 1; height <= blocks; height++) {
      const shares = names.map((account) => makeShare({ account, difficulty: 1n << 60n }));
      await books.ledger.recordEntry(
        entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] }),
      );
      await books.ledger.recordSolution(makeSolution({}, { height }), 'received', '');
      const [block] = await listFollowed(books.pool, 1, 0, 'new');
      await sawBlock(books.pool, block?.solutionId ?? '', 'confirmed', { reward: 2_304_523_000_000n });
      await settleAll(books.pool, { ...REWARD_RULES, scheme: 'prop' });
    }
    expect(await one('SELECT sum(cardinality(accounts))::int FROM block_split')).toBe(
      blocks * (accounts + 1),
    );
    const bytes = (Number(await size()) - before) / (blocks * accounts);
    expect(bytes).toBeLessThan(100);
    process.stdout.write(`${bytes.toFixed(0)} bytes for each account and block\n`);
  });
});
