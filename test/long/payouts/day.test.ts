/**
 * Test 34 of `payouts.md`: a day in fast motion. Two bridges on one set of books, three nodes and PostgreSQL, all of them processes on one clock
 * that goes as fast as they can follow. BRIDGE_TEST_ACCOUNTS, BRIDGE_TEST_HOURS and BRIDGE_TEST_SEED set another
 * size and another course.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { SILENT } from '../../../src/core/names/log.js';
import { seededRandom } from '../../../src/devnode/chance.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runProgram } from '../../helpers/processes/program.js';
import { openSystemClock } from '../../helpers/processes/system-clock.js';
import { DayCredits } from './day-credits.js';
import { DayClock, DayNodes } from './day-nodes.js';
import { DayPool } from './day-pool.js';
import { DayPostgres } from './day-postgres.js';
import { DayStory, TURNS_AN_HOUR } from './day-story.js';

const ACCOUNTS = Number(process.env['BRIDGE_TEST_ACCOUNTS'] ?? 500);
const HOURS = Number(process.env['BRIDGE_TEST_HOURS'] ?? 24);
const SEED = process.env['BRIDGE_TEST_SEED'] ?? '34';
/** Between backup and restore there is an hour, and time before and after both. */
const FEWEST_HOURS = 3;
/** On a machine that others keep busy, an hour of the story takes minutes. */
const PATIENCE_MS = 6 * 3_600_000;
/** Of the paying account, on each chain at first. */
const COINS = 10_000;

const WHAT = `${HOURS} hours of ${ACCOUNTS} accounts, kills, liars, reorganisations and a restored backup (seed ${SEED})`;

it(`34: ${WHAT}: nobody has more than credited, and in the end all of it`, { timeout: PATIENCE_MS }, async ({
  skip,
}) => {
  expect(HOURS, 'BRIDGE_TEST_HOURS').toBeGreaterThanOrEqual(FEWEST_HOURS);
  const open = new CloseStack();
  try {
    const folder = await temporaryFolder();
    open.add('folder', async () => folder[Symbol.asyncDispose]());
    // PostgreSQL runs as another user, and reads the clock too.
    await chmod(folder.path, 0o755);
    const system = await openSystemClock(folder.path);
    if (!system) return skip('there is no libfaketime, and it cannot be installed here');
    const story = await startStory(open, folder.path, new DayClock(system));
    await story.begin();
    for (let turn = 0; turn < HOURS * TURNS_AN_HOUR; turn++) await story.turn(turn);
    await story.end();
    process.stdout.write(`${JSON.stringify(Object.fromEntries([...story.seen].sort()))}\n`);
    expect(story.seen.get('restored')).toBe(1);
    expect([...story.seen.keys()].join()).toMatch(/paused: (left-deep|nodes-reorganised-deeper)/);
  } finally {
    await open.close(SILENT);
  }
});

async function startStory(open: CloseStack, folder: string, clock: DayClock): Promise<DayStory> {
  const { env } = clock;
  const inside = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path);
    return path;
  };
  const keyFile = join(folder, 'payouts.key');
  const made = await runProgram(['ledger', 'payout', 'key', 'new', '--file', keyFile, '--json'], env);
  const account = /k:[0-9a-f]{64}/.exec(made.text)?.[0] ?? expect.fail(made.stderr);
  const postgres = await DayPostgres.start(await inside('database'), env);
  open.add('database', () => postgres.close());
  const nodes = await DayNodes.start(clock, folder, { account, coins: COINS });
  open.add('nodes', () => nodes.close());
  const limits = { line: 15, batch: 8 * ACCOUNTS, day: 100 * ACCOUNTS };
  const pool = await DayPool.start({ folder, env, nodes, postgres, account, keyFile, limits });
  open.add('bridges', () => pool.close());
  const startedAtMs = performance.now();
  const tell = (words: string): void => {
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
    process.stdout.write(`${seconds} s: ${words}\n`);
  };
  const parts = { nodes, pool, postgres, folder, tell, accounts: ACCOUNTS, turns: HOURS * TURNS_AN_HOUR };
  return new DayStory({
    ...parts,
    credits: new DayCredits(account),
    random: seededRandom(SEED, 'day'),
  });
}
