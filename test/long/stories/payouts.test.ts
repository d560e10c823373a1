/** The operator's commands killed at any moment: nobody is paid twice, and nobody is forgotten. */

import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runProgram, startProgram } from '../../helpers/processes/program.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const EARNED = { a: '5', b: '3', c: '2' };

let postgres: TestPostgres;
let databaseUrl: string;
let ledger: Ledger;
let blocks = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await createDatabase(postgres);
  ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
});
afterAll(async () => {
  await ledger.close();
  await postgres.close();
});

/** A block of ten coins, by work. */
async function earn(): Promise<void> {
  const shares = Object.entries(EARNED).map(([account, coins]) =>
    makeShare({ account, difficulty: BigInt(coins) }),
  );
  await ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
  await recordSolution(ledger, makeSolution({}, { height: ++blocks }), 'received', '');
  const block = await newestBlock(ledger.pool);
  const rules = { ...REWARD_RULES, scheme: 'prop' as const, fees: { basisPoints: 0, overrides: new Map() } };
  await sawBlock(ledger.pool, block, 'confirmed', { reward: 10n ** 13n });
  await settleAll(ledger.pool, rules);
}

const command = (words: readonly string[]): string[] => [
  'ledger',
  ...words,
  '--ledger-database-url',
  databaseUrl,
];

async function run(words: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stderr, text } = await runProgram(command(words));
  expect(code, stderr).toBe(0);
  return JSON.parse(text) as Record<string, unknown>[];
}

/** Starts it several times at once, and kills each somewhere in the time that it takes. */
async function crash(words: readonly string[], afterMs: number): Promise<void> {
  const crashing = Array.from({ length: 4 }, async (_, i) => {
    await using program = startProgram(command(words));
    await pause(afterMs * (0.5 + 0.2 * i) + 50 * Math.random());
    program.kill('SIGKILL');
    await program.ended;
  });
  await Promise.all(crashing);
}

/** What an operator has paid who pays each batch of which he has a file, by account. */
async function paidByFiles(folder: string): Promise<Record<string, bigint>> {
  const paid: Record<string, bigint> = {};
  for (const name of (await readdir(folder)).filter((name) => name.endsWith('.csv'))) {
    const [, ...lines] = (await readFile(join(folder, name), 'utf8')).trim().split('\r\n');
    for (const line of lines) {
      const [, account = '', amount = ''] = line.split(',');
      paid[account] = (paid[account] ?? 0n) + (parseAmount(amount) ?? 0n);
    }
  }
  return paid;
}

it('pays each batch once, whenever prepare and mark are killed', async () => {
  await using folder = await temporaryFolder();
  const out = join(folder.path, 'payouts');
  const prepare = ['payout', 'prepare', '--out', out, '--payouts-minimum', '1'];
  const startedMs = performance.now();
  expect(await run(['payouts'])).toEqual([]);
  const tookMs = performance.now() - startedMs;
  for (let round = 1; round <= 2; round++) {
    await earn();
    await crash(prepare, tookMs);
    const [batch] = await run(prepare);
    expect(batch).toMatchObject({ state: 'prepared', total: '10.000000000000', accounts: 3 });
    const id = String(batch?.['id']);
    const outcome = round === 1 ? 'sent' : 'unknown';
    const one = [
      'payout',
      'mark',
      String(batch?.['name']),
      'sent',
      '--line',
      'a',
      '--request-key',
      `key ${round}`,
    ];
    await crash(one, tookMs);
    await run(one);
    await crash(['payout', 'mark', id, outcome], tookMs);
    await run(['payout', 'mark', id, outcome]);
    await run(['payout', 'mark', id, 'sent', '--note', 'tx']);
    expect(await run(prepare)).toEqual([]);
  }
  const twice = Object.entries(EARNED).map(([account, coins]) => [account, 2n * (parseAmount(coins) ?? 0n)]);
  expect(await paidByFiles(out)).toEqual(Object.fromEntries(twice));
  expect((await run(['payouts'])).map(({ state, total, payments }) => [state, total, payments])).toEqual(
    Array(2).fill(['sent', '10.000000000000', expect.objectContaining({ prepared: 0, sent: 3 })]),
  );
  expect(await run(['verify'])).not.toContainEqual(expect.objectContaining({ passes: false }));
});

it('writes files that only the operator may read, whatever lay there before', async () => {
  await using folder = await temporaryFolder();
  await earn();
  const prepare = ['payout', 'prepare', '--out', folder.path, '--payouts-minimum', '1'];
  const [batch] = await run(prepare);
  const paths = batch?.['files'] as string[];
  expect(paths.map((path) => path.replace(/.*\./, ''))).toEqual(['csv', 'json']);
  for (const path of paths) await writeFile(path, 'torn', { mode: 0o644 });
  await run(prepare);
  for (const path of paths) {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('5.000000000000');
  }
  const left = (await readdir(folder.path)).filter((name) => name.endsWith('.new'));
  expect(left).toEqual([]);
});

it('X12: prepares nothing while a chain is not followed, and all of it once it is', async () => {
  await earn();
  await run(['payout', 'mark', await lastBatch(), 'sent']);
  const trouble = 'no node can be asked: a: connection refused';
  await ledger.pool.query(
    "INSERT INTO chain (id, network, head_height, trouble) VALUES (0, 'test', 9, ''), (1, 'test', 9, $1)",
    [trouble],
  );
  const prepare = ['payout', 'prepare', '--payouts-minimum', '1'];
  const { code, stderr, text } = await runProgram(command(prepare));
  expect([code, text]).toEqual([1, '']);
  expect(stderr).toContain(`nothing is prepared: chain 1 stands still: ${trouble}`);
  await ledger.pool.query("UPDATE chain SET trouble = ''");
  await using folder = await temporaryFolder();
  const [batch] = await run([...prepare, '--out', folder.path]);
  expect(batch).toMatchObject({ state: 'prepared', total: '10.000000000000' });
});

async function lastBatch(): Promise<string> {
  const [latest] = await run(['payouts']);
  return String(latest?.['id']);
}
