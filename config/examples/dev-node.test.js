// @ts-check
/**
 * The development node in the tests of what you build on it: blocks, time and snapshots when a test wants them.
 *
 *     npx vitest run dev-node.test.js
 *
 * In TypeScript `await using node = await startDevNode()` closes it with its scope.
 */
import { startDevNode } from 'stratum-bridge/dev-node';
import { NodeClient } from 'stratum-bridge/node-client';
import { afterAll, beforeEach, expect, it } from 'vitest';

// A free port, blocks without proof of work, and the same blocks in every run.
const node = await startDevNode({ proofOfWork: false, seed: 'example' });
const client = await NodeClient.connect({ nodes: node.url });
afterAll(async () => {
  await client.close();
  await node.close();
});

// Each test begins where the first one did.
node.orders.snapshots.take('begin');
beforeEach(() => void node.orders.snapshots.revert('begin'));

it('mines when it is told to', async () => {
  const { mined } = await node.orders.mine({ count: 2 });
  expect(mined.length).toBe(20);
  const { height, hashes } = await client.maintenance.cut();
  expect(height).toBe(20);
  expect(hashes[0]?.height).toBe(2);
});

it('says which chains wait for their neighbours, and mines those, too, where that is wanted', async () => {
  const { mined, blocked } = await node.orders.mine({ chains: [0], count: 2 });
  expect(mined.length).toBe(1);
  expect(blocked).toEqual([{ chainId: 0, waitsFor: [2, 3, 5] }]);
  await node.orders.mine({ chains: [0], withNeighbours: true });
  expect(node.cut().heights[0]).toBe(2);
});

it('has the time that it is given', async () => {
  node.orders.advance(3_600_000);
  const tomorrow = node.orders.clock.nowMs + 86_400_000;
  node.orders.nextBlockAt(tomorrow);
  const { mined } = await node.orders.mine({ chains: [7] });
  const header = await client.chain(7).header(mined[0]?.hash ?? '');
  expect(header.creationTime).toBe(tomorrow * 1000);
});
