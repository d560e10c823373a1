import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { startLeader } from '../../src/ledger/database/leader.js';
import { upkeepChores } from '../../src/ledger/history/upkeep.js';
import { giveUpEntry } from '../../src/ledger/recording/logs.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { useBooks } from '../helpers/books/books.js';
import { keepUp } from '../helpers/books/keep-up.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const HOUR_MS = 3_600_000;
/** On an hour's start, some hours ago. */
const NOW_MS = (Math.floor(Date.now() / HOUR_MS) - 6) * HOUR_MS;

const books = useBooks();

beforeEach(async () => {
  await books.pool.query(
    "TRUNCATE rig_work, account_work, log; UPDATE settlement SET closed_until = 'epoch'",
  );
});

async function one<T>(sql: string): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] as T;
}

describe('upkeep', () => {
  it('knows entries for ever, in the row of their log', async () => {
    const log = randomUUID();
    const record = (number: number) =>
      books.ledger.recordEntry(entryOf({ id: { log, number }, shares: [makeShare()] }));
    for (const number of [1, 2, 3, 5, 9]) await record(number);
    await keepUp(books.pool);
    const numbers = `SELECT numbers::text FROM log WHERE id = '${log}'`;
    expect(await one(numbers)).toBe('{[1,4),[5,6),[9,10)}');
    expect(await Promise.all([1, 2, 3, 5, 9].map(record))).toEqual(Array(5).fill('repeated'));
    expect(await Promise.all([4, 6].map(record))).toEqual(Array(2).fill('recorded'));
    expect(await one(numbers)).toBe('{[1,7),[9,10)}');
    expect(await books.ledger.missingEntries(log, 12, 3)).toEqual([
      { first: 7, last: 8 },
      { first: 10, last: 12 },
    ]);
    expect(await books.ledger.missingEntries(log, 12, 1)).toEqual([{ first: 7, last: 8 }]);
    expect(await books.ledger.missingEntries(randomUUID(), 5, 9)).toEqual([{ first: 1, last: 5 }]);
  });

  it('knows how far a log is only when nothing is missing before, and no later than now', async () => {
    const log = randomUUID();
    await books.ledger.renewLogs([log], 'here');
    const inAnHour = Date.now() + 3_600_000;
    const entry = (number: number, watermarkMs: number, ends = false) => {
      return { ...entryOf({ id: { log, number }, shares: [makeShare()] }), watermarkMs, ends };
    };
    const state = async () => {
      const text = 'SELECT place, watermark, watermark > now() AS future, ended FROM log WHERE id = $1';
      const { rows } = await books.pool.query<{ watermark: Date; ended: boolean }>(text, [log]);
      return rows[0] ?? expect.fail();
    };
    expect(await state()).toMatchObject({ place: 'here', watermark: new Date(0), ended: false });
    await books.ledger.recordEntry(entry(2, NOW_MS + 2000));
    expect((await state()).watermark).toEqual(new Date(0));
    await books.ledger.recordEntries([entry(1, NOW_MS + 1000), entry(4, inAnHour, true)]);
    expect(await state()).toMatchObject({ watermark: new Date(NOW_MS + 2000), ended: false });
    await giveUpEntry(books.pool, { log, number: 3 }, { by: 'anna', shares: 1, work: '1000' });
    expect(await state()).toMatchObject({ future: false, ended: true });
  });

  it('runs by itself', async () => {
    await books.pool.query('TRUNCATE owed');
    const chores = upkeepChores(books.pool, async () => REWARD_RULES);
    const upkeep = startLeader(books.pool, { chores, log: SILENT, intervalMs: 50 });
    await expect.poll(() => one('SELECT count(*)::int FROM owed'), { timeout: 20_000 }).toBe(1);
    await upkeep.close();
  });

  it('adds what src/ledger/README.md states for each account that a block pays', async () => {
    const accounts = 1000;
    const names = Array.from({ length: accounts }, (_, i) => `k:${String(i).padStart(64, 'a')}`);
    await books.empty();
    const tables = ['transfer', 'block_weight', 'block'];
    const size = () =>
      one<string>(`SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest('{${tables}}'::text[]) t`);
    const before = Number(await size());
    const blocks = 5;
    for (let height = 1; height <= blocks; height++) {
      const shares = names.map((account) => makeShare({ account, difficulty: 1n << 60n }));
      await books.ledger.recordEntry(
        entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }),
      );
      await recordSolution(books.ledger, makeSolution({}, { height }), 'received', '');
      const block = await newestBlock(books.pool);
      await sawBlock(books.pool, block, 'confirmed', { reward: 2_304_523_000_000n });
      await settleAll(books.pool, { ...REWARD_RULES, scheme: 'prop' });
    }
    expect(await one('SELECT count(*)::int FROM transfer')).toBe(blocks * (accounts + 1));
    const bytes = (Number(await size()) - before) / (blocks * accounts);
    expect(bytes).toBeLessThan(250);
    process.stdout.write(`${bytes.toFixed(0)} bytes for each account and block\n`);
  });
});
