/** A bridge that is emptied: nobody comes in, and rigs are asked to go, each at its own time. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import type { Drain } from '../../../src/operations/drain.js';
import type { Refused } from '../../../src/operations/entry/operation.js';
import { Rig } from '../../../src/rig/rig.js';
import { THREAD_URL } from '../../helpers/processes/threads.js';
import { WIRE_TRANSPORTS, type WireRig, type WireTransport } from '../../helpers/rigs/wire-rig.js';
import {
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const ME = 'the operator';
const OVER_MS = 600_000;

/** Its clock moves when it is told to. */
async function startDrained(options: TestBridgeOptions = {}) {
  const told: string[] = [];
  // Rigs here say little, and much time passes.
  const limits = { authorizeTimeoutMs: 3_600_000, idleTimeoutMs: 3_600_000 };
  const bridge = await startTestBridge({ standsStill: true, limits, ...options });
  bridge.events.on('drain', ({ state, left }, by) => told.push(`${state} by ${by}, ${left} left`));
  const { operator } = bridge.server;
  return Object.assign(bridge, {
    told,
    drain: async (over = OVER_MS, stop = false) => operator.drain({ over, stop }, ME),
    cancel: async (by = ME) => operator.cancelDrain({}, by),
  });
}

async function rigWith(bridge: TestBridge, transport: WireTransport, agent: string): Promise<WireRig> {
  const rig = await bridge.connect(transport);
  await rig.request(1, 'mining.subscribe', [agent]);
  return rig;
}

const asked = (rig: WireRig): boolean => rig.notices('client.reconnect').length > 0;
const reportOf = (bridge: TestBridge): Drain => bridge.server.watch.drain();

/** All turns by then have been taken. */
async function pass(bridge: TestBridge, ms: number): Promise<void> {
  const before = reportOf(bridge);
  bridge.skewMs += ms;
  await until('a tick', () => JSON.stringify(reportOf(bridge)) !== JSON.stringify(before));
}

describe.each(WIRE_TRANSPORTS)('a drain, over %s', (transport) => {
  it('lets nobody in, asks those to go who take it, and is done when all have gone', async () => {
    await using bridge = await startDrained();
    const rigs = [
      await rigWith(bridge, transport, 'stratum-bridge/1'),
      await rigWith(bridge, transport, 'stratum-bridge/1'),
      await rigWith(bridge, transport, 'asic/1'),
    ];
    const begun = await bridge.drain();
    expect(begun).toMatchObject({ state: 'draining', by: ME, sessions: 3, asked: 0, left: 3 });
    const late = await bridge.connect(transport).catch(() => undefined);
    await late?.untilClosed();
    await until('it is refused', () => bridge.server.refused === 1);
    await pass(bridge, OVER_MS * 0.9);
    expect(reportOf(bridge)).toMatchObject({ state: 'draining', asked: 2, unsupported: 1, left: 3 });
    for (const rig of rigs) await rig.request('done', 'mining.ping');
    expect(rigs.map(asked)).toEqual([true, true, false]);
    expect(rigs[0]?.notices('client.reconnect')[0]?.params).toEqual(['', 0, 0]);
    for (const rig of rigs) rig.close();
    await until('all have gone', () => reportOf(bridge).state === 'drained');
    expect(reportOf(bridge).left).toBe(0);
    // It stays shut until it is told otherwise.
    const later = await bridge.connect(transport).catch(() => undefined);
    await later?.untilClosed();
    expect(bridge.told).toEqual([`draining by ${ME}, 3 left`, `drained by ${ME}, 0 left`]);
  });
});

describe('real rigs', () => {
  it('go to their next pool when the first one drains, show what they are told, and come back when it is over', async () => {
    await using first = await startTestBridge();
    await using second = await startTestBridge();
    for (const bridge of [first, second]) bridge.offer({ difficulty: 1n << 100n });
    const said: string[] = [];
    const log = { ...SILENT, info: (fields: object) => void said.push(JSON.stringify(fields)) };
    const rig = new Rig({
      ...{
        user: 'a.r',
        password: 'x',
        agent: 'stratum-bridge-rig/1',
        threads: 1,
        kernel: 'scalar',
        tlsInsecure: false,
      },
      urls: [`tcp://127.0.0.1:${first.port('tcp')}`, `ws://127.0.0.1:${second.port('ws')}`],
      timing: { firstPauseMs: 20, longestPauseMs: 100, failbackMs: 100 },
      ...{ log, random: () => 0.5, threadUrl: THREAD_URL },
    });
    onTestFinished(() => rig.close());
    await until('shares', () => first.shares.length > 0);
    expect(await first.server.operator.message({ to: 'all', text: 'we move' }, ME)).toEqual({
      told: 1,
      silent: [],
      sessions: 1,
    });
    await until('it shows the message', () => said.some((line) => line.includes('we move')));
    await first.server.operator.drain({ over: 1000, stop: false }, ME);
    await until('it has gone', () => reportOf(first).state === 'drained');
    await until('shares elsewhere', () => second.shares.length > 0);
    await first.server.operator.cancelDrain({}, ME);
    const before = first.shares.length;
    await until('shares here again', () => first.shares.length > before);
  });
});

describe('a drain', () => {
  it('asks each at a time of its own, spread over the time that is given', async () => {
    await using bridge = await startDrained();
    const rigs = await Promise.all(
      Array.from({ length: 40 }, () => rigWith(bridge, 'tcp', 'stratum-bridge/1')),
    );
    await bridge.drain();
    const counts: number[] = [];
    for (let part = 0; part < 4; part++) {
      await pass(bridge, OVER_MS / 4);
      counts.push(reportOf(bridge).asked);
    }
    expect(counts.at(-1)).toBe(40);
    // A quarter of them each time, by chance; none of this happens once in a billion times.
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[0]).toBeLessThan(30);
    expect(counts[1]).toBeGreaterThan(counts[0] ?? 0);
    for (const rig of rigs) expect(rig.notices('client.reconnect').length).toBeLessThan(2);
  });

  it('comes to an end when its time is over, says who is still here, and goes on letting nobody in', async () => {
    await using bridge = await startDrained();
    const rig = await rigWith(bridge, 'tcp', 'asic/1');
    await bridge.drain();
    await pass(bridge, OVER_MS);
    expect(reportOf(bridge)).toMatchObject({ state: 'timeUp', asked: 0, unsupported: 1, left: 1 });
    expect((await rig.request(9, 'mining.ping')).result).toBe('pong');
    rig.close();
    await until('the last has gone', () => reportOf(bridge).state === 'drained');
    expect(bridge.told).toEqual([
      `draining by ${ME}, 1 left`,
      `timeUp by ${ME}, 1 left`,
      `drained by ${ME}, 0 left`,
    ]);
  });

  it('is cancelled: nobody else is asked, and rigs are let in again', async () => {
    await using bridge = await startDrained();
    const rig = await rigWith(bridge, 'tcp', 'stratum-bridge/1');
    await bridge.drain();
    expect(await bridge.cancel('another')).toEqual({
      ...{ state: 'off', by: null, startedAt: null, endsAt: null, stops: false },
      ...{ sessions: 0, asked: 0, unsupported: 0, left: 1 },
    });
    const other = await rigWith(bridge, 'tcp', 'asic/1');
    bridge.skewMs += OVER_MS;
    // Two ticks: who ends for another reason shows that they were.
    bridge.server.changeRules({ shareDifficulty: 4n, limits: { authorizeTimeoutMs: 1 } });
    await other.untilClosed();
    expect(asked(rig)).toBe(false);
    expect(bridge.told).toEqual([`draining by ${ME}, 1 left`, 'off by another, 1 left']);
  });

  it('that ends the bridge says so, and never ends before its order is answered', async () => {
    await using bridge = await startDrained();
    const ends: boolean[] = [];
    bridge.events.on('drain', ({ stops }) => ends.push(stops));
    expect(await bridge.drain(0, true)).toMatchObject({
      state: 'draining',
      stops: true,
      left: 0,
    });
    await until('it is drained', () => reportOf(bridge).state === 'drained');
    expect(ends).toEqual([true, true]);
    expect(await bridge.cancel()).toMatchObject({ state: 'off', stops: false });
  });

  it('is one at a time, and is done at once where nobody is', async () => {
    await using bridge = await startDrained();
    const why = (outcome: object): string => (outcome as Refused).why;
    expect(why(await bridge.cancel())).toBe('no drain is on');
    expect(await bridge.drain(0)).toMatchObject({ state: 'drained', sessions: 0, left: 0 });
    expect(why(await bridge.drain(0))).toBe('a drain is on already: cancel it first');
    expect(bridge.told).toEqual([`draining by ${ME}, 0 left`, `drained by ${ME}, 0 left`]);
  });
});
