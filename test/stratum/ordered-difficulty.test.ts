/** The share difficulty of a rig as an operator orders it, on the wire. */
import { describe, expect, it } from 'vitest';
import type { OperatorAction } from '../../src/bridge/events.js';
import { NonceSpace, nonce1FromHex } from '../../src/core/jobs/nonce.js';
import { difficultyOf, targetFromHexBigEndian, targetOf } from '../../src/core/work/target.js';
import type { KeptOrders } from '../../src/stratum/operator/order-saver.js';
import { WIRE_TRANSPORTS, type WireRig, type WireTransport } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const VARDIFF = { shareDifficulty: 'vardiff', vardiff: { startDifficulty: 64, minDifficulty: 1 } } as const;
const RIG = { account: 'a', rig: 'r' };
const ALL = { offset: 0, limit: 100 };

const targetsOf = (rig: WireRig): bigint[] =>
  rig.notices('mining.set_target').map(({ params }) => {
    const target = targetFromHexBigEndian(String(params?.[0]));
    return target ? difficultyOf(target) : expect.fail('no target');
  });

async function mining(bridge: TestBridge, transport: WireTransport, login = 'a.r', password = 'x') {
  const rig = await bridge.connect(transport);
  const { result } = await rig.request(1, 'mining.subscribe', ['asic/1', '']);
  const [token, nonce1] = result as [string, string];
  await rig.request(2, 'mining.authorize', [login, password]);
  return { rig, token, nonce1: nonce1FromHex(nonce1) ?? expect.fail() };
}

const hold = async ({ server }: TestBridge, difficulty: bigint | null) =>
  server.operator.difficulty({ ...RIG, difficulty: difficulty === null ? null : String(difficulty) }, 'me');

/** All jobs so far have come. */
async function jobsAt(rig: WireRig, count: number): Promise<void> {
  await until(`${count} jobs`, () => rig.notices('mining.notify').length >= count);
}

describe.each(WIRE_TRANSPORTS)('a difficulty that is ordered for a rig over %s', (transport) => {
  it('is in force with its next job, for all of its sessions and for its return, until it is cleared', async () => {
    const deeds: OperatorAction[] = [];
    await using bridge = await startTestBridge({
      ...{ ...VARDIFF, nonceSpace: new NonceSpace(60_000) },
      // Vardiff itself would move who says nothing for long.
      standsStill: true,
    });
    bridge.events.on('steered', (deed) => deeds.push(deed));
    bridge.offer(HARD);
    const [one, two, other] = [
      await mining(bridge, transport),
      await mining(bridge, transport, 'a.r', 'fd=128'),
      await mining(bridge, transport, 'a.s'),
    ];
    const all = [one, two, other].map(({ rig }) => rig);
    for (const rig of all) await jobsAt(rig, 1);
    expect(await hold(bridge, 4096n)).toEqual({
      ...{ ...RIG, difficulty: '4096', sessions: 2 },
      isKept: false,
    });
    const job = bridge.offer({ ...HARD, parent: 2 });
    for (const rig of all) await jobsAt(rig, 2);
    expect(all.map(targetsOf)).toEqual([[64n, 4096n], [128n, 4096n], [64n]]);
    // Judged by it, and what the rig asks for changes nothing.
    const low = mine(job, one.nonce1, targetOf(4096n), false);
    expect((await one.rig.request(3, 'mining.submit', ['a.r', job.id, low])).error?.[0]).toBe(23);
    const wish = await one.rig.request(4, 'mining.suggest_difficulty', [5]);
    expect(wish.error).toEqual([20, 'the share difficulty is fixed here, or said in the password', null]);
    await two.rig.request(5, 'mining.authorize', ['a.r', 'fd=256']);
    one.rig.vanish();
    await until('its session waits for its return', () => bridge.server.resumable === 1);
    const back = await bridge.connect(transport);
    await back.request(1, 'mining.subscribe', ['asic/1', one.token]);
    await back.request(2, 'mining.authorize', ['a.r', 'x']);
    bridge.offer({ ...HARD, parent: 3 });
    await jobsAt(back, 1);
    await jobsAt(two.rig, 3);
    expect([targetsOf(back), targetsOf(two.rig)]).toEqual([[4096n], [128n, 4096n]]);
    expect(await hold(bridge, null)).toMatchObject({ sessions: 2 });
    bridge.offer({ ...HARD, parent: 4 });
    await jobsAt(two.rig, 4);
    // What the rig chose itself is in force again.
    expect(targetsOf(two.rig).at(-1)).toBe(256n);
    expect(deeds).toMatchObject([
      { kind: 'difficulty', ...RIG, difficulty: '4096', by: 'me' },
      { kind: 'difficulty', ...RIG, difficulty: null },
    ]);
  });
});

describe('a difficulty that is ordered', () => {
  it('gives way to vardiff when it is cleared, which goes on where the rig is', async () => {
    await using bridge = await startTestBridge({ ...VARDIFF, standsStill: true });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await mining(bridge, 'tcp');
    await jobsAt(rig, 1);
    await hold(bridge, 4096n);
    await hold(bridge, null);
    bridge.offer({ ...HARD, parent: 2 });
    await jobsAt(rig, 2);
    // It has shown no speed: it starts where it was held.
    expect(targetsOf(rig).at(-1)).toBe(4096n);
    await hold(bridge, 8n);
    const third = bridge.offer({ ...HARD, parent: 3 });
    await jobsAt(rig, 3);
    for (let i = 0, from = 0; i < 5; i++) {
      const nonce2 = mine(third, nonce1, targetOf(8n), true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      expect((await rig.request(`${i}`, 'mining.submit', ['a.r', third.id, nonce2])).result).toBe(true);
    }
    expect(job.id).not.toBe(third.id);
    await hold(bridge, null);
    bridge.offer({ ...HARD, parent: 4 });
    await jobsAt(rig, 4);
    // Five shares of 8 in a second, as no time has passed, and ten seconds a share.
    expect(targetsOf(rig).at(-1)).toBe(400n);
  });

  it('comes with a job of its own soon where jobs can be rolled', async () => {
    await using bridge = await startTestBridge({ ...VARDIFF, rolls: true });
    bridge.offer(HARD);
    const { rig } = await mining(bridge, 'tcp');
    await jobsAt(rig, 1);
    await hold(bridge, 1n << 40n);
    await until('its target', () => targetsOf(rig).at(-1) === 1n << 40n);
  });

  it('is listed, kept, and holds after a restart; the report of a rig shows it', async () => {
    const kept: KeptOrders[] = [];
    const keeper = { keep: async (orders: KeptOrders) => void kept.push(orders) };
    await using first = await startTestBridge({ ...VARDIFF, keeper });
    expect(await hold(first, 1n << 70n)).toEqual({
      ...{ ...RIG, difficulty: String(1n << 70n), sessions: 0 },
      isKept: true,
    });
    await using bridge = await startTestBridge({ ...VARDIFF, kept: kept.at(-1) ?? expect.fail() });
    expect(bridge.server.watch.difficulties()).toEqual([
      { ...RIG, difficulty: String(1n << 70n), since: expect.any(String), by: 'me' },
    ]);
    bridge.offer(HARD);
    const { rig } = await mining(bridge, 'tcp');
    await jobsAt(rig, 1);
    expect(targetsOf(rig)).toEqual([1n << 70n]);
    expect((await bridge.server.watch.rigs(ALL)).items).toMatchObject([
      { ...RIG, orderedDifficulty: String(1n << 70n), difficulty: String(1n << 70n) },
    ]);
  });

  it('is not for others on a connection of several, and is one of so many', async () => {
    await using bridge = await startTestBridge(VARDIFF);
    const { rig } = await mining(bridge, 'tcp', 'a.first');
    await rig.request(3, 'mining.authorize', ['a.r', 'x']);
    expect(await hold(bridge, 7n)).toMatchObject({ sessions: 0 });
    const other = { account: 'a', rig: 'x', difficulty: null };
    expect(await bridge.server.operator.difficulty(other, 'me')).toEqual({
      refused: 'unknown',
      why: 'a.x is held at no difficulty',
    });
    const order = { since: new Date(0).toISOString(), by: 'me', difficulty: '5', account: 'a' };
    const difficulties = Array.from({ length: 10_000 }, (_, i) => ({ ...order, rig: `${i}` }));
    await using full = await startTestBridge({
      kept: { bans: [], difficulties, labels: [], addresses: [], untold: [] },
    });
    expect(await hold(full, 7n)).toMatchObject({ refused: 'full' });
  });
});
