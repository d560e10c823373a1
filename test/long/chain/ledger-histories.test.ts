/** A real ledger and real nodes in random histories, each time others. */
import { expect, it } from 'vitest';
import { useBooks } from '../../helpers/books/books.js';
import { LedgerWorld } from '../../helpers/chain/ledger-world.js';

const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Date.now() % 1_000_000_000);
const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 300);
const STEPS = 40;
const books = useBooks({ onOwnServer: true });

it('the books are what the chain says at the end of each', async () => {
  await using world = await LedgerWorld.open(books);
  for (let i = 0; i < HISTORIES; i++)
    await world.run(SEED + i, STEPS).catch((error: Error) => {
      throw new Error(`seed ${SEED + i}: ${error.message}`, { cause: error });
    });
  // Histories in which nothing happens show nothing.
  expect(Object.entries(world.counts).filter(([, count]) => count < HISTORIES / 10)).toEqual([]);
}, 1_800_000);
