/** Books that go through a dump and come back the same, and what no dump is. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { listFollowed } from '../../src/ledger/blocks/blocks.js';
import { dumpBooks } from '../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../src/ledger/copies/restore.js';
import { keepUp, RETENTION } from '../../src/ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../src/ledger/settlement/reward-rules.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/postgres.js';
import { sawBlock, settleAll } from '../helpers/settlement.js';
import { makeShare } from '../helpers/shares.js';
import { makeSolution } from '../helpers/solutions.js';

let postgres: TestPostgres;
let ledger: Ledger;
const producer = randomUUID();

beforeAll(async () => {
  postgres = await startTestPostgres();
  ledger = await newLedger();
  const shares = ['a', 'b,"\\\n€', '{x}'].map((account) => makeShare({ account, difficulty: 1n << 90n }));
  const rejections = [
    { account: 'a', rig: '', reason: 'stale' as const, sinceMs: Date.now(), submits: 3, work: 9n },
  ];
  for (let number = 1; number <= 1200; number++)
    await ledger.recordEntry({ id: { producer, number }, shares, rejections });
  await keepUp(ledger.pool, { ...RETENTION, entryRowsMs: -1000 });
  await ledger.recordEntry({ id: { producer, number: 1300 }, shares, rejections });
  await ledger.recordSolution(makeSolution(), 'received', '');
  const [block] = await listFollowed(ledger.pool, 1);
  await sawBlock(ledger.pool, block?.solutionId ?? '', 'confirmed', { reward: 10n ** 13n });
  await settleAll(ledger.pool, REWARD_RULES);
  const batch = await preparePayout(ledger.pool, { minimum: 1n, seenSince: new Date(0) });
  await markPayout(ledger.pool, batch?.id ?? '', { outcome: 'unknown', note: 'no answer' });
});

afterAll(async () => {
  await ledger.close();
  await postgres.close();
});

async function newLedger(): Promise<Ledger> {
  return openLedger({ connectionString: await createDatabase(postgres), log: SILENT });
}

async function dumped(from: Ledger): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of dumpBooks(from.pool)) lines.push(line);
  return lines;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

it('brings the books back as they were, and they go on', async () => {
  const lines = await dumped(ledger);
  expect(lines.length).toBeGreaterThan(30);
  const restored = await newLedger();
  await restoreBooks(restored.pool, each(lines));
  expect(await dumped(restored)).toEqual(lines);
  expect((await verifyBooks(restored.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  const again = { shares: [makeShare()], rejections: [] };
  const record = (number: number) => restored.recordEntry({ id: { producer, number }, ...again });
  expect([await record(7), await record(1300), await record(1301)]).toEqual([
    'repeated',
    'repeated',
    'recorded',
  ]);
  await restored.recordSolution(makeSolution({}, { height: 99 }), 'received', '');
  expect((await listFollowed(restored.pool, 9)).map(({ height }) => height).sort()).toEqual([7, 99]);
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
  const restore = (some: readonly string[]) => restoreBooks(restored.pool, each(some));
  await expect(restore(lines.slice(0, -1))).rejects.toThrow(/ends after line \d+, before its end/);
  await expect(restore(lines.filter((_, i) => i !== rows))).rejects.toThrow(/rows of \d+|violates/);
  await expect(restore(['{"table":"rig","columns":["id"]}', ...lines.slice(1)])).rejects.toMatchObject({
    code: 'bad-dump',
  });
  await expect(restore(['hello'])).rejects.toThrow('line 1 is none of a dump');
  await expect(restore([])).rejects.toThrow('ends after line 0');
  await expect(restore(['{"stratumBridge":"ledger","version":1000}'])).rejects.toMatchObject({
    code: 'newer-schema',
  });
  expect(await restored.totals()).toEqual({ shares: 0, work: '0' });
  await restore(lines);
  expect(await restored.totals()).toEqual(await ledger.totals());
  await restored.close();
});
