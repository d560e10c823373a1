/** Every rig comes back at once (users-ask 19): those that are there do not notice, the others get their turn. */
import { describe, expect, it } from 'vitest';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { targetOf } from '../../../src/core/work/target.js';
import { WIRE_TRANSPORTS, WireRig } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);

/** Lets time pass until it is stopped, ten times as fast as it does. */
function hurry(bridge: TestBridge, stepMs = 200): Disposable {
  const timer = setInterval(() => {
    bridge.skewMs += stepMs;
  }, 20);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const waiting = (bridge: TestBridge): number => bridge.server.watch.counts().waiting;

describe.each(['tcp', 'ws'] as const)('a storm of connections over %s', (transport) => {
  it('is let in by and by, while standing rigs are answered', async () => {
    const limits = { connectsPerSecond: 2, connectBurst: 3, connectsWaiting: 20 };
    await using bridge = await startTestBridge({ limits, standsStill: true });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const storm = Array.from({ length: 40 }, () => WireRig.connect(transport, bridge.port(transport)));
    const ended = Promise.allSettled(
      storm.map(async (connecting) => {
        const stormy = await connecting;
        const answer = await stormy.request(1, 'mining.ping');
        stormy.close();
        return answer.result;
      }),
    );
    // Of the burst two were left.
    await until('all have come', () => waiting(bridge) === 20 && bridge.server.refused === 18);
    let from = 0;
    for (let i = 0; i < 5; i++) {
      const nonce2 = mine(job, nonce1, TARGET, true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      expect((await rig.request(10 + i, 'mining.submit', ['a.r', job.id, nonce2])).result).toBe(true);
    }
    expect(waiting(bridge)).toBe(20);
    const sinceMs = bridge.skewMs;
    {
      using _ = hurry(bridge);
      const ends = await ended;
      const answers = ends.map((end) => (end.status === 'fulfilled' ? end.value : 'refused'));
      expect(answers.filter((answer) => answer === 'pong')).toHaveLength(22);
      expect(answers.filter((answer) => answer === 'refused')).toHaveLength(18);
    }
    expect(bridge.skewMs - sinceMs).toBeGreaterThanOrEqual(20 * 500);
    expect([waiting(bridge), bridge.server.refused]).toEqual([0, 18]);
  });
});

describe('a connection that waits', () => {
  it.each(WIRE_TRANSPORTS)('loses nothing that it sent meanwhile: %s', async (transport) => {
    const limits = { connectsPerSecond: 1, connectBurst: 1 };
    await using bridge = await startTestBridge({
      limits,
      standsStill: true,
      balancers: transport === 'tcp' ? ['127.0.0.1'] : [],
    });
    const preamble = transport === 'tcp' ? { preamble: Buffer.from('PROXY UNKNOWN\r\n') } : {};
    const first = await bridge.connect(transport, preamble);
    await first.request(1, 'mining.ping');
    const connecting = bridge.connect(transport, preamble);
    const sent = connecting.then((waits) => {
      waits.send('{"id":2,"method":"mining.ping"}');
      return waits;
    });
    await until('it waits', () => waiting(bridge) === 1);
    // Longer than a handshake may take, which begins with its turn.
    bridge.skewMs = 20_000;
    expect(await (await sent).next()).toMatchObject({ id: 2, result: 'pong' });
  });

  it('holds no place when it is gone, and none when the bridge stops', async () => {
    const limits = { connectsPerSecond: 1, connectBurst: 1 };
    const bridge = await startTestBridge({ limits, standsStill: true });
    await bridge.readyRig('tcp');
    const gone = await WireRig.connect('tcp', bridge.port('tcp'));
    await until('it waits', () => waiting(bridge) === 1);
    gone.vanish();
    await until('its place is free', () => waiting(bridge) === 0);
    const last = await WireRig.connect('tcp', bridge.port('tcp'));
    await until('it waits', () => waiting(bridge) === 1);
    await bridge[Symbol.asyncDispose]();
    await last.untilClosed();
  });
});

describe('rigs that come back in a storm (users-ask 19)', () => {
  it('have their nonce1 and their late shares once it is their turn', async () => {
    const limits = { connectsPerSecond: 20, connectBurst: 1 };
    const nonceSpace = new NonceSpace(600_000);
    await using bridge = await startTestBridge({ limits, standsStill: true, nonceSpace });
    const job = bridge.offer(HARD);
    const comes = Array.from({ length: 10 }, () => bridge.readyRig('tcp'));
    const rigs = await (async () => {
      using _ = hurry(bridge);
      return await Promise.all(comes);
    })();
    await until('all have the job', () => rigs.every(({ rig }) => rig.notices('mining.notify').length === 1));
    for (const { rig } of rigs) rig.vanish();
    await until('all wait for their returns', () => bridge.server.resumable === 10);
    const back = rigs.map(async ({ nonce1 }) => {
      const rig = await bridge.connect('tcp');
      const hex = nonce1.toString(16).padStart(4, '0');
      await rig.request(1, 'mining.authorize', ['a.r', 'x']);
      const { result } = await rig.request(2, 'mining.subscribe', ['test/1', hex]);
      expect(result).toMatchObject([expect.any(String), hex, 6]);
      return (await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)])).result;
    });
    await until('they wait', () => waiting(bridge) >= 9);
    using _ = hurry(bridge);
    expect(await Promise.all(back)).toEqual(Array(10).fill(true));
  });
});
