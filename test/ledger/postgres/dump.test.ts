/** Books that go through a dump and come back the same, and what no dump is. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { readPaidFile } from '../../../src/ledger/copies/paid-files.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { markPayout } from '../../../src/ledger/payments/mark.js';
import { payoutAsCsv, payoutAsJson } from '../../../src/ledger/payments/payout-files.js';
import { readPayout } from '../../../src/ledger/payments/payouts.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { sharedPostgres } from '../../helpers/books/books.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { blocksIn, payoutsIn } from '../../helpers/books/lists.js';
import { coinsIn, expectProved, giveMoney } from '../../helpers/books/money.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

let ledger: Ledger;
const log = randomUUID();

beforeAll(async () => {
  ledger = await newLedger();
  const shares = ['a', 'b,"\\\n€', '{x}'].map((account) => makeShare({ account, difficulty: 1n << 90n }));
  const rejections = [
    { account: 'a', rig: '', reason: 'stale' as const, sinceMs: Date.now(), submits: 3, work: 9n },
  ];
  for (let number = 1; number <= 1200; number++)
    await ledger.recordEntry(entryOf({ id: { log, number }, shares, rejections }));
  await keepUp(ledger.pool);
  await ledger.recordEntry(entryOf({ id: { log, number: 1201 }, shares, rejections }));
  await recordSolution(ledger, makeSolution(), 'received', '');
  const block = await newestBlock(ledger.pool);
  await sawBlock(ledger.pool, block, 'confirmed', { reward: 10n ** 13n });
  await settleAll(ledger.pool, REWARD_RULES);
  const batch = await preparePayout(ledger.pool, { minimum: 1n });
  await markPayout(ledger.pool, batch?.id ?? '', { outcome: 'unknown', note: 'no answer' });
});

afterAll(() => ledger.close());

async function newLedger(): Promise<Ledger> {
  return openLedger({ connectionString: await createDatabase(await sharedPostgres()), log: SILENT });
}

async function dumped(from: Ledger): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of dumpBooks(from.pool)) lines.push(line);
  return lines;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

it('is of one moment, also while sums are summed up', async () => {
  const books = await newLedger();
  const hourMs = (Math.floor(Date.now() / 3_600_000) - 5) * 3_600_000;
  const shares = [0, 10_000, 600_000].map((ms) => makeShare({ acceptedAtMs: hourMs + ms }));
  await books.recordEntry(entryOf({ id: { log, number: 1 }, shares }));
  const dump = dumpBooks(books.pool);
  const lines = [(await dump.next()).value as string];
  // All of it could be.
  await keepUp(books.pool);
  for await (const line of dump) lines.push(line);
  const restored = await newLedger();
  expect(await restoreBooks(restored.pool, each(lines), 'none')).toEqual([]);
  const text = 'SELECT coalesce(sum(submits), 0)::int AS shares, max(seconds) AS seconds FROM rig_work';
  expect((await restored.pool.query(text)).rows).toEqual([{ shares: 3, seconds: 10 }]);
  await keepUp(books.pool);
  expect((await books.pool.query(text)).rows).toEqual([{ shares: 3, seconds: 600 }]);
  await Promise.all([books.close(), restored.close()]);
});

it('brings the books back as they were, and they go on', async () => {
  const lines = await dumped(ledger);
  expect(lines.length).toBeGreaterThan(30);
  const restored = await newLedger();
  expect(await restoreBooks(restored.pool, each(lines), 'none')).toEqual([]);
  const isOfLedger = (_: string, i: number, all: readonly string[]) => {
    const head = all.slice(0, i + 1).findLast((line) => line.startsWith('{"table":'));
    return JSON.parse(head ?? '{}').table === 'ledger';
  };
  const others = (all: readonly string[]) =>
    all.filter((line, i) => !isOfLedger(line, i, all) && !line.startsWith('{"end":'));
  expect(others(await dumped(restored))).toEqual(others(lines));
  // It is the same ledger, and no payout of it has a name of before.
  expect(await restored.id()).toBe(await ledger.id());
  expect((await dumped(restored)).filter(isOfLedger)).not.toEqual(lines.filter(isOfLedger));
  expect((await verifyBooks(restored.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  const again = { shares: [makeShare()], rejections: [] };
  const record = (number: number) => restored.recordEntry(entryOf({ id: { log, number }, ...again }));
  // What is booked under these numbers had other totals.
  expect([await record(7), await record(1201), await record(1202)]).toEqual([
    'conflict',
    'conflict',
    'recorded',
  ]);
  await recordSolution(restored, makeSolution({}, { height: 99 }), 'received', '');
  expect((await blocksIn(restored.pool, 9)).map(({ height }) => height).sort()).toEqual([7, 99]);
  await restored.close();
});

it('refuses to restore over books that are there', async () => {
  await expect(restoreBooks(ledger.pool, each(await dumped(ledger)))).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('there are books here already'),
  });
});

it('restores all or nothing, and says what is wrong', async () => {
  const lines = await dumped(ledger);
  const rows = lines.findIndex((line) => line.startsWith('[['));
  const restored = await newLedger();
  const restore = (some: readonly string[]) => restoreBooks(restored.pool, each(some), 'none');
  await expect(restore(lines.slice(0, -1))).rejects.toThrow(/ends after line \d+, before its end/);
  await expect(restore(lines.filter((_, i) => i !== rows))).rejects.toThrow(/rows of \d+|violates/);
  await expect(restore(['{"table":"rig","columns":["id"]}', ...lines.slice(1)])).rejects.toMatchObject({
    code: 'bad-dump',
  });
  await expect(restore(['hello'])).rejects.toThrow('line 1 is none of a dump');
  await expect(restore([])).rejects.toThrow('ends after line 0');
  for (const begins of [{ tables: 'of another' }, { version: 2 }])
    await expect(restore([JSON.stringify({ stratumBridge: 'ledger', ...begins })])).rejects.toMatchObject({
      code: 'other-tables',
      message: expect.stringContaining('restore it with that version'),
    });
  expect(await restored.totals()).toEqual({ shares: 0, work: '0' });
  await restore(lines);
  expect(await restored.totals()).toEqual(await ledger.totals());
  await restored.close();
});

describe('D16: what was paid after a dump is not paid again', () => {
  const balancesIn = ({ pool }: Ledger, kind: Parameters<typeof coinsIn>[1]) => coinsIn(pool, kind);
  const earn = async (to: Ledger, amounts: Record<string, bigint>): Promise<void> => {
    for (const [name, amount] of Object.entries(amounts)) await giveMoney(to.pool, name, amount);
  };
  const prepare = async (to: Ledger) =>
    (await preparePayout(to.pool, { minimum: COIN })) ?? expect.fail('nothing is due');
  const expectBalanced = ({ pool }: Ledger) => expectProved(pool);
  const COIN = 10n ** 12n;

  it('a dump with money is refused until somebody says what was paid since; one without is not', async () => {
    const books = await newLedger();
    const restored = await newLedger();
    await restoreBooks(restored.pool, each(await dumped(books)));
    await earn(books, { a: COIN });
    const lines = await dumped(books);
    const untold = restoreBooks(restored.pool, each(lines));
    await expect(untold).rejects.toThrow(/--after-payments FILE.*--none-were-sent/);
    expect(await balancesIn(restored, 'due')).toEqual({});
    await restoreBooks(restored.pool, each(lines), 'none');
    const names = [(await prepare(books)).name, (await prepare(restored)).name];
    expect(new Set(names).size).toBe(2);
    await Promise.all([books.close(), restored.close()]);
  });

  it('its files are entered as paid, also of a payout that was prepared then, and what was not known is told', async () => {
    const books = await newLedger();
    await earn(books, { a: 5n * COIN, '=b,1': 2n * COIN, c: COIN });
    const prepared = await prepare(books);
    await earn(books, { a: COIN });
    const lines = await dumped(books);
    await earn(books, { '=b,1': 4n * COIN });
    await markPayout(books.pool, prepared.id, { outcome: 'failed', accounts: ['c'] });
    await markPayout(books.pool, prepared.id, { outcome: 'sent' });
    const after = await prepare(books);
    const files = [payoutAsJson(await readPayout(books.pool, prepared.id)), payoutAsCsv(after)];
    const paid = files.flatMap((text, i) => readPaidFile(`file ${i}`, text));
    const restored = await newLedger();
    const told = await restoreBooks(restored.pool, each(lines), paid);
    expect(told).toEqual([
      expect.stringMatching(/^"=b,1" was paid more than the dump knows of: its balance is -4\.0+ until/),
    ]);
    expect(await balancesIn(restored, 'paid')).toEqual({ '=b,1': '6', a: '6', c: '1' });
    expect(await balancesIn(restored, 'paying')).toEqual({});
    expect((await payoutsIn(restored.pool)).map(({ name, state }) => [name, state])).toEqual([
      [after.name, 'sent'],
      [prepared.name, 'sent'],
    ]);
    await expectBalanced(restored);
    await earn(restored, { c: COIN });
    const next = await prepare(restored);
    expect([prepared.name, after.name]).not.toContain(next.name);
    await expectBalanced(restored);
    await Promise.all([books.close(), restored.close()]);
  });

  it.each([
    ['hello', /does not begin with batch,account,amount,chain/],
    ['batch,account,amount,chain\r\nx-1,a', /a line has not four cells/],
    ['batch,account,amount,chain\r\nx-1,a,1,three', /the last of them a chain or empty/],
    ['batch,account,amount,chain\r\nx-1,a,-5,\r\n', /pays "a" no amount: "-5"/],
    ['{"lines":[]}', /its JSON has no name and lines/],
  ])('%j is no file of a payout', (text, expected) => {
    expect(() => readPaidFile('a file', text)).toThrow(expected);
  });

  it('refuses files that are not of these books', async () => {
    const books = await newLedger();
    await earn(books, { a: 5n * COIN });
    const { name } = await prepare(books);
    const restored = await newLedger();
    const other = [{ name, chainId: null, lines: [{ account: 'a', chainId: null, amount: '4' }] }];
    await expect(restoreBooks(restored.pool, each(await dumped(books)), other)).rejects.toThrow(
      /pays "a" 4 in its file, and otherwise in the dump/,
    );
    await Promise.all([books.close(), restored.close()]);
  });
});
