/** Many rigs come, mine and go in every way there is; what is left is nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { targetOf } from '../../src/core/work/target.js';
import { WIRE_TRANSPORTS, type WireRig } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge } from '../helpers/stories/stratum-bridge.js';

/** `RIGS=10000` for the long run. */
const RIGS = Number(process.env['RIGS'] ?? 400);
const AT_ONCE = 40;

const GOODBYES: readonly ((rig: WireRig) => void)[] = [
  (rig) => rig.close(),
  (rig) => rig.vanish(),
  (rig) => rig.sendBytes(Buffer.alloc(9000, 0x41)),
  (rig) => rig.sendBytes(Buffer.from('nonsense\n'.repeat(30))),
  (rig) => {
    rig.send('{"id":1,"method":"mining.submit","params":["a.r","5d4","1"]}');
    rig.vanish();
  },
];

function handles(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap' && name !== 'PipeWrap');
}

describe('a server', () => {
  it(`holds nothing of ${RIGS} rigs that are gone (users-ask 3)`, async () => {
    const before = handles().length;
    const nonceSpace = new NonceSpace(50);
    // Some of them leave with noise, which bans their address otherwise.
    const bridge = await startTestBridge({ nonceSpace, rolls: true, limits: { banMs: 1 } });
    bridge.offer({ difficulty: 1n << 100n });
    let accepted = 0;
    const live = async (number: number): Promise<void> => {
      const transport = WIRE_TRANSPORTS[number % WIRE_TRANSPORTS.length] ?? 'tcp';
      const { rig, nonce1 } = await bridge.readyRig(transport);
      // Its time may have been rolled since the first.
      const { params } = await rig.until(({ method }) => method === 'mining.notify');
      const job = bridge.book.liveJobs.find(({ id }) => id === params?.[0]) ?? expect.fail('an unknown job');
      const nonce2 = mine(job, nonce1, targetOf(4n), true, number * 100);
      const answer = await rig.request(3, 'mining.submit', ['a.r', job.id, nonce2]);
      if (answer.result === true) accepted++;
      GOODBYES[number % GOODBYES.length]?.(rig);
      await rig.untilClosed();
    };
    for (let number = 0; number < RIGS; number += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => live(number + i)));
    }
    while (bridge.server.sessions > 0) await sleep(5);
    expect(accepted).toBe(RIGS);
    expect(bridge.closings).toHaveLength(RIGS);
    expect(nonceSpace.leased).toBe(0);
    bridge.skewMs = 60_000;
    while (bridge.server.resumable > 0) await sleep(50);
    const { total, items } = await bridge.server.watch.rigs({ offset: 0, limit: 1 });
    expect([total, items[0]?.state, items[0]?.sessions]).toEqual([1, 'offline', 0]);
    await bridge[Symbol.asyncDispose]();
    await expect.poll(() => handles().length).toBeLessThanOrEqual(before);
    expect(bridge.events.eventNames().sort()).toEqual(['sessionClosed', 'submit']);
  });
});
