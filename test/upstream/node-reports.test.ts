/** What is told of nodes besides their state, by real ones. */
import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { until } from '../helpers/until.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const NODE = { genesisDifficulty: 8, blockDelay: 60_000 };
const FIVE_VOTES = 5000n << 32n;

describe('a node that gives work', () => {
  it('is told with its height, its stream, and whether it votes as others do for the same block', async () => {
    const one = await startDevNode(NODE);
    const other = await startDevNode({ ...NODE, forkState: FIVE_VOTES });
    // It votes for a fork that the others do not know.
    const voting = await startDevNode({ ...NODE, forkEpoch: 1_200, forkNumber: 1 });
    const events = createBridgeEvents();
    const sink = new Dispatcher(new JobBook(1), events, { handedOut: () => {} });
    const urls = [one, other, voting].map(({ address }) => `http://127.0.0.1:${address.port}`);
    const upstream = new Upstream({
      ...{ urls, miner: MINER, sink, events, log: SILENT, random: Math.random },
      forkEpoch: 1_200,
      deadAfterMs: 120_000,
      isKnownPublic: () => false,
      timings: { probeMs: 100 },
    });
    try {
      expect(upstream.reports[0]).toMatchObject({ cutHeight: undefined, forks: undefined });
      upstream.start();
      upstream.workOn(100);
      const [first, second, third] = await until('both have told all', () => {
        const told = upstream.reports;
        const isWhole = told.every(
          ({ chains, cutHeight, silentMs, forks }, i) =>
            chains === 10 &&
            cutHeight !== undefined &&
            silentMs !== undefined &&
            (i === 1 || forks?.isFor !== undefined),
        );
        return isWhole && told;
      });
      expect(first).toMatchObject({
        cutHeight: 0,
        silentMs: expect.any(Number),
        forks: { number: 0, leastVotes: 0, mostVotes: 0, isFor: false, agrees: false },
      });
      expect(second).toMatchObject({
        forks: { number: 0, leastVotes: 5, mostVotes: 5, isFor: undefined, agrees: false },
      });
      expect(third).toMatchObject({ forks: { number: 0, mostVotes: 1, isFor: true, isNear: false } });
    } finally {
      await upstream.close();
      await Promise.all([one, other, voting].map((node) => node.close()));
    }
  });
});
