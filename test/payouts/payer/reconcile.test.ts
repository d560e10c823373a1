/** Books and chain compared: tests 25 and 26 of `payouts.md`. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { resumePayer } from '../../../src/ledger/transactions/orders.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { accountOf, earn, expectPaidOnChain, PayerStory, TestSigner } from '../../helpers/payouts/story.js';
import { World } from '../../helpers/payouts/world.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(5);
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function payAll(blocks = 8): Promise<void> {
  await payer.round();
  await payer.prepare();
  await payer.round();
  await payer.blocks(blocks);
}

async function linesOf(pool: Ledger['pool']): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of dumpBooks(pool)) lines.push(line);
  return lines;
}

/** Books of before, in a database of their own. */
async function restored(lines: readonly string[]): Promise<{ ledger: Ledger; pool: Ledger['pool'] }> {
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  onTestFinished(async () => {
    await ledger.close();
    await postgres.close();
  });
  async function* each() {
    yield* lines;
  }
  await restoreBooks(ledger.pool, each(), 'none');
  return { ledger, pool: ledger.pool };
}

const order = (pool: Ledger['pool'], applies: boolean) =>
  pool.query('UPDATE payer SET reconcile_asked_at = now(), reconcile_applies = $1', [applies]);
const outcome = async (pool: Ledger['pool']) =>
  (await pool.query<{ reconciled: Record<string, unknown> }>('SELECT reconciled FROM payer')).rows[0]
    ?.reconciled;

describe("26: yesterday's backup", () => {
  it('knows after a comparison what was paid since, and pays nobody twice', async () => {
    const signer = new TestSigner();
    payer = await PayerStory.start(world, books, {}, signer);
    await earn(books, { 1: '5' });
    await payAll();
    await earn(books, { 2: '4', 3: '3' });
    await payer.prepare();
    // One line waits in the backup, and is paid after it; others come and are paid after it.
    const backup = await linesOf(books.pool);
    await payer.round();
    await payer.blocks(8);
    await earn(books, { 1: '2' });
    await payAll();
    await payer.close();
    const { pool } = await restored(backup);
    const old = { ...books, pool };
    payer = await PayerStory.start(world, old, {}, signer);
    await payer.round();
    await payer.blocks(3);
    expect(await payer.pause()).toBe('restored');
    expect(signer.signed).toHaveLength(4);
    await order(pool, false);
    await payer.round();
    expect(await outcome(pool)).toMatchObject({
      ...{ applied: false, missingCount: 3, missingTotal: '9.000000000000', foreign: [], isDone: false },
    });
    expect(await coinsIn(pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
    await order(pool, true);
    await payer.round();
    expect(await coinsIn(pool, 'paid')).toEqual({
      [accountOf(1)]: '7',
      [accountOf(2)]: '4',
      [accountOf(3)]: '3',
    });
    expect(await coinsIn(pool, 'balance')).toMatchObject({ [accountOf(1)]: '-2' });
    await expectProved(pool);
    await expectPaidOnChain(world, old, [1, 2, 3]);
    // Nothing that was signed before can come any more once its time is over on every chain.
    expect(await outcome(pool)).toMatchObject({ missingCount: 3, isDone: false });
    await order(pool, true);
    await payer.round();
    expect(await outcome(pool)).toMatchObject({ missingCount: 0 });
    await resumePayer(pool, 'compared', 'test');
    await payer.round(2);
    await payer.blocks(8);
    await expectPaidOnChain(world, old, [1, 2, 3]);
    expect(signer.signed).toHaveLength(4);
    await expectProved(pool);
  });
});
