/** What is told of nodes besides their state, by real ones. */
import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/job.js';
import { SILENT } from '../../src/core/log.js';
import { startDevNode } from '../../src/devnode/server.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { until } from '../helpers/until.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const NODE = { listen: { host: '127.0.0.1', port: 0 }, genesisDifficulty: 8, blockDelayMs: 60_000 };
const FIVE_VOTES = 5000n << 32n;

describe('a node that gives work', () => {
  it('is told with its height, its stream, and whether it votes as others do for the same block', async () => {
    const one = await startDevNode(NODE);
    const other = await startDevNode({ ...NODE, forkState: FIVE_VOTES });
    const events = createBridgeEvents();
    const sink = new Dispatcher(new JobBook(1), events, { handedOut: () => {} });
    const urls = [one, other].map(({ address }) => `http://127.0.0.1:${address.port}`);
    const upstream = new Upstream({
      ...{ urls, miner: MINER, sink, events, log: SILENT, random: Math.random },
      timings: { probeMs: 100 },
    });
    try {
      expect(upstream.reports[0]).toMatchObject({ cutHeight: undefined, forks: undefined });
      upstream.start();
      upstream.workOn(100);
      const [first, second] = await until('both have told all', () => {
        const told = upstream.reports;
        const isWhole = told.every(
          ({ chains, cutHeight, silentMs }) =>
            chains === 10 && cutHeight !== undefined && silentMs !== undefined,
        );
        return isWhole && told;
      });
      expect(first).toMatchObject({
        cutHeight: 0,
        silentMs: expect.any(Number),
        forks: { number: 0, leastVotes: 0, mostVotes: 0, agrees: false },
      });
      expect(second).toMatchObject({ forks: { number: 0, leastVotes: 5, mostVotes: 5, agrees: false } });
    } finally {
      await upstream.close();
      await Promise.all([one.close(), other.close()]);
    }
  });
});
