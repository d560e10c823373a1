/** A miner checks his split, as he would: over HTTP, on real books, by the command. Each way in which an operator could cheat is found. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateMinerKeys } from '../../src/commands/keygen/keys.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { forgetProofs } from '../../src/ledger/audit/roots.js';
import { rollUp } from '../../src/ledger/history/rolling.js';
import { REWARD_RULES, type RewardRules } from '../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../src/ledger/rules/rules.js';
import { bookOrders } from '../../src/ledger/watch/orders.js';
import { type OpenBooksWatch, openBooksWatch } from '../../src/ledger/watch/watch.js';
import type { WebOptions } from '../../src/web/server.js';
import { useBooks } from '../helpers/books/books.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { signRoot } from '../helpers/books/root-key.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { axeFaults, findChromium, useChromium } from '../helpers/web/chromium.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { RULES } from '../helpers/web/operators.js';
import { startSteeredWeb } from '../helpers/web/steered-web.js';

const books = useBooks();
const START_MS = 1_700_000_400_000;
const MINUTE_MS = 60_000;
const FEES = { basisPoints: 100, overrides: new Map<string, number>() };
const PROP: RewardRules = { ...REWARD_RULES, scheme: 'prop', fees: FEES };
const pplns = (permille: bigint): RewardRules => ({
  ...PROP,
  scheme: 'pplns',
  pplnsWindow: { of: 'difficulty', permille },
});
let watch: OpenBooksWatch;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let blocks = 0;
let keys = generateMinerKeys();

beforeAll(async () => {
  const { connectionString, ledger } = books;
  watch = openBooksWatch({ connectionString, ready: ledger.ready });
  folder = await temporaryFolder();
});
afterAll(async () => {
  await watch.close();
  await folder[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await books.empty();
  keys = generateMinerKeys();
  await writeFile(join(folder.path, 'keys.json'), JSON.stringify(keys));
});

async function mine(work: Record<string, bigint>, afterMs: number): Promise<void> {
  const shares = Object.entries(work).map(([account, difficulty]) =>
    makeShare({ account, difficulty, acceptedAtMs: START_MS + afterMs }),
  );
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
}

async function block(afterMs: number, rules: RewardRules): Promise<void> {
  const solution = makeSolution(
    { account: 'finder', foundAtMs: START_MS + afterMs },
    { parent: ++blocks % 256, height: blocks },
  );
  await recordSolution(books.ledger, solution, 'found', '');
  await recordSolution(books.ledger, solution, 'received', '');
  const reward = parseAmount('7.000000000001') ?? expect.fail();
  await sawBlock(books.pool, await newestBlock(books.pool), 'confirmed', { reward, fees: 3n });
  await settleAll(books.pool, rules);
}

/** Of a pool that shows anybody what miners may see. */
const sources = (): Partial<WebOptions> => ({
  sources: { ...idleBridge().sources, books: watch },
  access: () => ({ ...RULES, isPublic: true }),
  built: new URL('../../dist/src/web/', import.meta.url),
});

interface Told {
  readonly code: number;
  readonly stderr: string;
  readonly verdicts: readonly string[];
}

/** At a bridge of its own: answers are kept for a second. */
async function audit(...flags: string[]): Promise<Told> {
  await using steered = await startSteeredWeb({}, sources());
  const told = await runHere('audit', [
    steered.web.url,
    '--key',
    join(folder.path, 'keys.json'),
    '--json',
    ...flags,
  ]);
  const rows = told.text === '' ? [] : (JSON.parse(told.text) as { verdict: string }[]);
  return { code: told.code, stderr: told.stderr, verdicts: rows.map(({ verdict }) => verdict) };
}

/** Three hours of work, with a block in each, that are split by what came up to then. */
async function history(rulesOf: (i: number) => RewardRules): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const hourMs = i * 60 * MINUTE_MS;
    await mine({ [keys.account]: 300n, 'k:other': 500n, '': 7n }, hourMs);
    await mine({ [keys.account]: 101n, 'k:third': 99n }, hourMs + 12 * MINUTE_MS);
    await mine({ 'k:other': 1000n, [keys.account]: 1n }, hourMs + 12 * MINUTE_MS + 30_000);
    await block(hourMs + 12 * MINUTE_MS + 40_000, rulesOf(i));
  }
}

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the page of an account', () => {
  it('checks in the browser what the pool shows, and says where it is wrong', async () => {
    await history(() => pplns(1_500_000n));
    await using browser = await useChromium();
    const signed = (await runHere('keygen', ['proofs', join(folder.path, 'keys.json')])).text.trim();
    const told = async (log?: string): Promise<string> => {
      await using steered = await startSteeredWeb({}, sources());
      await using opened = await browser.open(
        `${steered.web.url}/#/accounts/${encodeURIComponent(keys.account)}`,
      );
      const { page, faults } = opened;
      // By the keyboard: charts above it are still coming, and move it.
      await page.getByRole('button', { name: 'Check', exact: true }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('The line that it printed').fill(signed);
      const file = { name: 'rig.csv', mimeType: 'text/csv', buffer: Buffer.from(log ?? '') };
      if (log !== undefined) await dialog.getByLabel('What your rigs were answered').setInputFiles(file);
      await dialog.getByRole('button', { name: 'Check', exact: true }).click();
      const says = dialog.getByRole('status').getByText(keys.account);
      await says.waitFor();
      expect(faults).toEqual([]);
      expect(await axeFaults(page)).toEqual([]);
      return (await dialog.getByRole('status').textContent()) ?? '';
    };
    expect(await told()).toMatch(/got its part of each block \(blocks checked: 3, by roots: \d+\)\.$/);
    const at = new Date(START_MS).toISOString();
    expect(await told(`time,work\n${at},99999\n`)).toContain(
      'that 99999 hashes of work were accepted before',
    );
    await books.pool.query("UPDATE root SET signature = repeat('ab', 64) WHERE number = 1");
    expect(await told()).toContain('root 1 is not signed by the key that it comes with');
  });
});

describe.skipIf(missing !== undefined)('the page of an account, to its owner', () => {
  it('takes how he is to be paid in words that his key has signed, and shows it', async () => {
    await writeFirstRules(books.pool, REWARD_RULES, 'a test');
    await history(() => PROP);
    const { rows } = await books.pool.query('SELECT key FROM root LIMIT 1');
    const other = generateMinerKeys().account;
    const flags = ['--pool', rows[0].key, '--beneficiaries', `${other}=12.5%`, '--minimum', '3'];
    const signed = await runHere('keygen', ['wish', join(folder.path, 'keys.json'), ...flags]);
    await using browser = await useChromium();
    const payouts = bookOrders({ pool: books.pool, chains: () => [0] });
    await using steered = await startSteeredWeb({}, { ...sources(), payouts });
    await using opened = await browser.open(
      `${steered.web.url}/#/accounts/${encodeURIComponent(keys.account)}`,
    );
    const { page, faults } = opened;
    const card = page.getByRole('region', { name: 'How it is paid' });
    await card.getByText('From the minimum of everybody on').waitFor();
    await card.getByRole('button', { name: 'Change how you are paid' }).press('Enter');
    await page.getByRole('dialog').getByText(`--pool ${rows[0].key}`).waitFor();
    await page.getByRole('dialog').getByLabel('The line that it printed').fill(signed.text.trim());
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await card.getByText(/^12\.5 % of what it earns of blocks goes to/).waitFor();
    await card.getByText(/From 3\s.* on/).waitFor();
    expect(faults).toEqual([]);
    expect(await axeFaults(page)).toEqual([]);
  });
});

describe('an audit', () => {
  it.each([
    ['pplns of a slot', () => pplns(100_000n)],
    ['pplns of some minutes', () => pplns(1_500_000n)],
    ['pplns of more than there is', () => pplns(10n ** 9n)],
    ['pplns by time', () => ({ ...pplns(1n), pplnsWindow: { of: 'time' as const, ms: 10 * MINUTE_MS } })],
    ['prop', () => PROP],
  ])('finds that each block of %s was split by the rules', async (_name, rules) => {
    await history(rules);
    const told = await audit();
    expect(told).toEqual({
      code: 0,
      stderr: expect.stringContaining(`${keys.account} got its part of each block (blocks checked: 3, `),
      verdicts: ['right', 'right', 'right'],
    });
  });

  it('goes on when what roots are counted from was summed up', async () => {
    await history(() => pplns(1_500_000n));
    await books.pool.query('UPDATE settlement SET round_until = closed_until');
    await rollUp(books.pool);
    await mine({ [keys.account]: 17n, 'k:other': 4n }, 4 * 60 * MINUTE_MS);
    await block(4 * 60 * MINUTE_MS + 10_000, pplns(1_500_000n));
    expect(await audit()).toMatchObject({ code: 0, verdicts: ['right', 'right', 'right', 'right'] });
  });

  it('leaves out what roots do not tell, and says so', async () => {
    await history((i) => (i === 1 ? { ...PROP, scheme: 'solo' } : pplns(1000n)));
    const told = await audit();
    expect(told.verdicts).toEqual(['right', 'unchecked', 'right']);
    expect(told.stderr).toContain('; 1 not checked: solo');
  });

  it('finds a share that was answered and left out', async () => {
    await history(() => PROP);
    const log = join(folder.path, 'log.csv');
    const at = (afterMs: number): string => new Date(START_MS + afterMs).toISOString();
    const lines = [
      `${at(0)},0,1,300,accepted`,
      `${at(1000)},0,1,9999,rejected`,
      `${at(MINUTE_MS)},0,1,101,accepted`,
    ];
    await writeFile(log, ['time,chain,height,work,answer', ...lines, ''].join('\n'));
    expect(await audit('--log', log)).toMatchObject({ code: 0 });
    await writeFile(log, `time,chain,height,work,answer\n${lines[0]}\n${at(MINUTE_MS)},0,1,1001,accepted\n`);
    const told = await audit('--log', log);
    expect(told.code).toBe(1);
    expect(told.stderr).toMatch(/1301 hashes of work were accepted before .*, and the roots have 1206/);
  });

  it('finds an account that was added after the root', async () => {
    await history(() => PROP);
    await books.pool.query(
      "UPDATE root SET accounts = accounts || (SELECT id FROM account WHERE name = 'finder'), work = work || 500, shares = shares || 1 WHERE number = 1",
    );
    const told = await audit();
    expect(told.code).toBe(1);
    expect(told.stderr).toContain(`the proof of what ${keys.account} did does not lead to root 1`);
  });

  it('finds a sum that was changed after the root, whether it is signed anew or not', async () => {
    await history(() => PROP);
    await books.pool.query(
      'UPDATE root SET text = replace(text, \'"work":"\', \'"work":"9\') WHERE number = 1',
    );
    const told = await audit();
    expect(told.stderr).toContain('root 1 is not signed by the key that it comes with');
    expect(told.verdicts).toContain('wrong');
    const { rows } = await books.pool.query('SELECT text FROM root WHERE number = 1');
    const { key, signature } = signRoot(rows[0].text);
    await books.pool.query('UPDATE root SET key = $1, signature = $2 WHERE number = 1', [key, signature]);
    await mine({ [keys.account]: 5n }, 3 * 60 * MINUTE_MS);
    await block(3 * 60 * MINUTE_MS + 10_000, PROP);
    expect((await audit()).stderr).toContain('root 1 was another one when root 2 was signed');
  });

  it('finds a split by other weights', async () => {
    await history(() => PROP);
    await books.pool.query(
      `UPDATE transfer SET amount = amount - 0.1 WHERE code = 'block' AND of = (SELECT max(id) FROM block)
         AND credit = (SELECT id FROM account WHERE name = $1)`,
      [keys.account],
    );
    const told = await audit();
    expect(told).toMatchObject({ code: 1, verdicts: ['wrong', 'right', 'right'] });
    expect(told.stderr).toMatch(/was credited, and 1\.\d{12} is the part of the account/);
  });

  it('is of splits whose proofs are kept: with them they are forgotten', async () => {
    await history(() => pplns(1_500_000n));
    const keptIn = async () =>
      (await books.pool.query('SELECT FROM root WHERE seed IS NOT NULL')).rowCount ?? 0;
    const all = await keptIn();
    await forgetProofs(books.pool, 0);
    expect(await audit()).toMatchObject({ code: 0, verdicts: ['right', 'right', 'right'] });
    await books.pool.query(
      'DELETE FROM block_weight WHERE block_id < (SELECT max(block_id) FROM block_weight)',
    );
    await forgetProofs(books.pool, 0);
    expect(await keptIn()).toBeLessThan(all);
    expect(await audit()).toMatchObject({ code: 0, verdicts: ['right'] });
  });

  it('finds a window that is shorter than it is said to be, whatever is credited by it', async () => {
    await history(() => pplns(1_500_000n));
    await books.pool.query('UPDATE block SET window_work = 1000000 WHERE id = (SELECT max(id) FROM block)');
    const told = await audit();
    expect(told).toMatchObject({ code: 1, verdicts: ['wrong', 'right', 'right'] });
    expect(told.stderr).toMatch(/its window of 1000000 does not end where it is said to/);
  });

  it('finds that others were shown other roots', async () => {
    await history(() => PROP);
    const seen = join(folder.path, 'roots');
    expect(await audit('--roots', seen)).toMatchObject({ code: 0 });
    expect(await audit('--roots', seen)).toMatchObject({ code: 0 });
    const lines = (await readFile(seen, 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(4);
    await writeFile(seen, `${lines.join('\n')}\n`.replace('\\"accounts\\":', '\\"accounts\\":1'));
    const told = await audit('--roots', seen);
    expect(told.code).toBe(1);
    expect(told.stderr).toContain('root 1 is another one than in');
  });
});
