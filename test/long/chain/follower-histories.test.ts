/** One chain at a depth, in many more random histories than `npm test` has, each time others. */
import { expect, it } from 'vitest';
import { runHistories } from '../../helpers/chain/follower-world.js';

const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Date.now() % 1_000_000_000);

it('no block is taken over twice, none is left out, and each stands on the cursor', async () => {
  const counts = await runHistories(20_000, SEED);
  expect(counts.taken).toBeGreaterThan(100_000);
});
