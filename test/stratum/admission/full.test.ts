/** Rigs whose connections are full because they do not read. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/core/jobs/job.js';
import { WIRE_TRANSPORTS, type WireMessage, type WireTransport } from '../../helpers/rigs/wire-rig.js';
import { startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HARD = { difficulty: 1n << 100n };

const isNotify = (message: WireMessage): boolean => message.method === 'mining.notify';

/** Offers so many jobs while a rig does not read, and has all of them read by another one. */
async function fillUp(bridge: TestBridge, transport: WireTransport, count: number) {
  const job = bridge.offer(HARD);
  const slow = (await bridge.readyRig(transport)).rig;
  const fast = (await bridge.readyRig(transport)).rig;
  await slow.until(isNotify);
  slow.socket.pause();
  let newest = job;
  for (let i = 1; i < count; i++) {
    newest = { ...job, id: `${job.id}-${i}` as Job['id'], number: job.number + i };
    bridge.server.jobs.offerJob(newest);
    // As jobs come one by one, not so many at once that nobody could have taken them.
    if (i % 10 === 0) await sleep(0);
  }
  await fast.until((message) => message.params?.[0] === newest.id);
  return { slow, fast, newest };
}

describe('a rig that does not read', () => {
  /** More than all buffers between the two ends hold. */
  const count = 15_000;
  /** Longer than this test takes on any machine. */
  const limits = { fullBufferTimeoutMs: 600_000 };

  it.each(WIRE_TRANSPORTS)(
    'is left out until it does, then gets the newest job, and keeps none from others: %s (users-ask 11)',
    async (transport) => {
      await using bridge = await startTestBridge({ limits });
      const { slow, fast, newest } = await fillUp(bridge, transport, count);
      expect(fast.notices('mining.notify')).toHaveLength(count);
      slow.socket.resume();
      await slow.until((message) => message.params?.[0] === newest.id);
      const got = slow.notices('mining.notify');
      expect(got.at(-1)?.params?.[0]).toBe(newest.id);
      expect(got.length).toBeLessThan(count);
      expect((await slow.request('still here', 'mining.ping')).result).toBe('pong');
    },
  );

  it.each(['tcp', 'ws'] as const)('is closed when it stays so: %s', async (transport) => {
    await using bridge = await startTestBridge({ limits });
    const { slow, fast } = await fillUp(bridge, transport, count);
    bridge.skewMs = 600_100;
    await until('it is closed', () => bridge.closings.length > 0);
    expect(bridge.closings).toEqual(['the rig does not take what it is sent']);
    expect((await fast.request('others stay', 'mining.ping')).result).toBe('pong');
    expect(slow.notices('mining.notify').length).toBeLessThan(count);
    await until(
      'nothing is held of it',
      () => bridge.server.sessions === 1 && bridge.nonceSpace.leased === 1,
    );
  });
});
