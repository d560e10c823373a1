/** One chain at a depth, in random histories: what is taken over, and by whose word. */
import { expect, it } from 'vitest';
import { runHistories } from '../../helpers/chain/follower-world.js';

const HISTORIES = 600;

it('in random histories no block is taken over twice, none is left out, and each stands on the cursor', async () => {
  const counts = await runHistories(HISTORIES, 1_000_003);
  // Histories in which nothing happens show nothing.
  expect(Object.entries(counts).filter(([, count]) => count < HISTORIES / 20)).toEqual([]);
});
