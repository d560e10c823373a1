/** Every rig comes back at once (users-ask 19): those that are there do not notice, the others get their turn. */
import { describe, expect, it } from 'vitest';
import { NonceSpace } from '../../src/core/nonce.js';
import { targetOf } from '../../src/core/target.js';
import { mine, startTestBridge } from '../helpers/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { WIRE_TRANSPORTS, WireRig } from '../helpers/wire-rig.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);

describe.each(['tcp', 'ws'] as const)('a storm of connections over %s', (transport) => {
  it('is let in by and by, while standing rigs are answered', async () => {
    // So few a second that a slow machine lets no more in while they come; time is hurried on afterwards.
    const rates = { connectsPerSecond: 2, connectBurst: 3, connectsWaiting: 20 };
    const limits = { ...rates, handshakeTimeoutMs: 3_600_000, authorizeTimeoutMs: 3_600_000 };
    await using bridge = await startTestBridge({ limits });
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
    await until('some wait', () => bridge.server.watch.counts().waiting > 10);
    let from = 0;
    for (let i = 0; i < 5; i++) {
      const nonce2 = mine(job, nonce1, TARGET, true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      expect((await rig.request(10 + i, 'mining.submit', ['a.r', job.id, nonce2])).result).toBe(true);
    }
    expect(bridge.server.watch.counts().waiting).toBeGreaterThan(0);
    const hurry = setInterval(() => {
      bridge.skewMs += 500;
    }, 20);
    const ends = await ended;
    clearInterval(hurry);
    const answers = ends.map((end) => (end.status === 'fulfilled' ? end.value : 'refused'));
    const served = answers.filter((answer) => answer === 'pong').length;
    // Some were let in while the last ones came, so a few more than the burst and those that waited.
    expect(served).toBeGreaterThanOrEqual(22);
    expect(served).toBeLessThan(40);
    expect(answers.filter((answer) => answer === 'refused')).toHaveLength(40 - served);
    expect(bridge.server.refused).toBe(40 - served);
    expect(bridge.server.watch.counts().waiting).toBe(0);
  });
});

describe('a connection that waits', () => {
  it.each(WIRE_TRANSPORTS)('loses nothing that it sent meanwhile: %s', async (transport) => {
    const limits = { connectsPerSecond: 5, connectBurst: 1, handshakeTimeoutMs: 100 };
    await using bridge = await startTestBridge({
      limits,
      balancers: transport === 'tcp' ? ['127.0.0.1'] : [],
    });
    const preamble = transport === 'tcp' ? { preamble: Buffer.from('PROXY UNKNOWN\r\n') } : {};
    const first = await bridge.connect(transport, preamble);
    await first.request(1, 'mining.ping');
    const waits = await bridge.connect(transport, preamble);
    waits.send('{"id":2,"method":"mining.ping"}');
    expect(await waits.next()).toMatchObject({ id: 2, result: 'pong' });
  });

  it('holds no place when it is gone, and none when the bridge stops', async () => {
    const bridge = await startTestBridge({ limits: { connectsPerSecond: 1, connectBurst: 1 } });
    await bridge.readyRig('tcp');
    const gone = await WireRig.connect('tcp', bridge.port('tcp'));
    await until('it waits', () => bridge.server.watch.counts().waiting === 1);
    gone.vanish();
    await until('its place is free', () => bridge.server.watch.counts().waiting === 0);
    const last = await WireRig.connect('tcp', bridge.port('tcp'));
    await until('it waits', () => bridge.server.watch.counts().waiting === 1);
    await bridge[Symbol.asyncDispose]();
    await last.untilClosed();
  });
});

describe('rigs that come back in a storm (users-ask 19)', () => {
  it('have their nonce1 and their late shares once it is their turn', async () => {
    const limits = { connectsPerSecond: 20, connectBurst: 1 };
    await using bridge = await startTestBridge({ limits, nonceSpace: new NonceSpace(60_000) });
    const job = bridge.offer(HARD);
    const rigs = await Promise.all(Array.from({ length: 10 }, () => bridge.readyRig('tcp')));
    await until('all have the job', () => rigs.every(({ rig }) => rig.notices('mining.notify').length === 1));
    for (const { rig } of rigs) rig.vanish();
    await until('all are parked', () => bridge.server.parked === 10);
    const back = rigs.map(async ({ nonce1 }) => {
      const rig = await bridge.connect('tcp');
      const hex = nonce1.toString(16).padStart(4, '0');
      await rig.request(1, 'mining.authorize', ['a.r', 'x']);
      const { result } = await rig.request(2, 'mining.subscribe', ['test/1', hex]);
      expect(result).toMatchObject([expect.any(String), hex, 6]);
      return (await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)])).result;
    });
    await until('they wait', () => bridge.server.watch.counts().waiting > 0);
    expect(await Promise.all(back)).toEqual(Array(10).fill(true));
  });
});
