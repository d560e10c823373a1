/** Blocks that get their slot while others book, close and weigh: each counts once, after what was found before it, and none is forgotten. */

import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { SolutionState } from '../../../src/bridge/ports.js';
import { SILENT } from '../../../src/core/names/log.js';
import { SQL } from '../../../src/ledger/blocks/blocks.js';
import { run } from '../../../src/ledger/database/statements.js';
import { weighBlocks } from '../../../src/ledger/settlement/weighing.js';
import { useBooks } from '../../helpers/books/books.js';
import { expectProved } from '../../helpers/books/money.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { signRoot } from '../../helpers/books/root-key.js';
import { PROP } from '../../helpers/books/settlement-story.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';
import { until } from '../../helpers/until.js';

const books = useBooks();
beforeEach(() => books.empty());

/** Long ago, so that all slots are over. */
const AT_MS = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;

async function share(account: string, second: number): Promise<void> {
  const shares = [makeShare({ account, difficulty: 100n, acceptedAtMs: AT_MS + 1_000 * second })];
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares }));
}

function find(second: number, state: SolutionState): Promise<void> {
  const solution = makeSolution({ foundAtMs: AT_MS + 1_000 * second }, { height: second }, BigInt(second));
  return recordSolution(books.ledger, solution, state);
}

async function begin() {
  const client = await books.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query('BEGIN');
  return client;
}

const isWaited = async (): Promise<boolean> =>
  (
    await books.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
  ).rowCount === 1;

async function refused(): Promise<string> {
  const { rows } = await books.pool.query("SELECT id FROM block WHERE said = 'refused'");
  return rows[0]?.id ?? expect.fail('no block was refused');
}

it('a block that comes to an earlier slot while the next one is closed is weighed first, and no share counts for two', async () => {
  await share('k:a', 5);
  await find(10, 'refused');
  await share('k:b', 65);
  await find(70, 'received');
  await share('k:c', 125);
  const follower = await begin();
  await run(follower, SQL.isOnChain, [await refused()]);
  const weighing = weighBlocks({ pool: books.pool, rules: async () => PROP, signRoot, log: SILENT });
  await until('it waits until no slot is in use', isWaited);
  await follower.query('COMMIT');
  await weighing;
  const { rows } = await books.pool.query(
    'SELECT height::int, round_work::int AS work FROM block ORDER BY slot',
  );
  expect(rows).toEqual([
    { height: 10, work: 100 },
    { height: 70, work: 100 },
  ]);
  await expectProved(books.pool);
});

it('a block that a chain has after all gets its slot also where its log is booked up to it at that moment', async () => {
  await find(10, 'refused');
  const id = await refused();
  await books.pool.query("UPDATE log SET ended = false, watermark = 'epoch'");
  const recorder = await begin();
  await recorder.query('UPDATE log SET ended = true');
  await recorder.query('SELECT place_blocks(id) FROM log');
  let isDone = false;
  const following = run(books.pool, SQL.isOnChain, [id]).then(() => {
    isDone = true;
  });
  await until('the follower waits, or does not', async () => isDone || (await isWaited()));
  await recorder.query('COMMIT');
  await following;
  const { rows } = await books.pool.query('SELECT slot IS NULL AS lacks FROM block');
  expect(rows).toEqual([{ lacks: false }]);
});
