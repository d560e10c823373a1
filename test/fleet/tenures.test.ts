/** Rigs that come back to another front of a fleet. */
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/jobs/job.js';
import { type Nonce1, nonce1FromHex } from '../../src/core/jobs/nonce.js';
import { type Difficulty, targetOf } from '../../src/core/work/target.js';
import type { WireMessage, WireOptions, WireRig } from '../helpers/rigs/wire-rig.js';
import { startFleet, type TestFleet } from '../helpers/stories/fleet.js';
import { mine, type TestBridge, type TestBridgeOptions } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
/** So hard that no share is one under another nonce1, nearly always. */
const EASY = 256n as Difficulty;
const ALL = { offset: 0, limit: 100 };

interface Rig {
  readonly wire: WireRig;
  readonly nonce1: Nonce1;
  readonly token: string;
}

const STEPS = ['s', 'a'] as const;
type Order = readonly (typeof STEPS)[number][];

async function come(
  bridge: TestBridge,
  { named, login = 'a.r', order = STEPS, ...options }: Coming = {},
): Promise<Rig> {
  const wire = await bridge.connect('tcp', options);
  const requests = {
    s: ['mining.subscribe', ['old/1', named ?? '']],
    a: ['mining.authorize', [login, 'x']],
  } as const;
  // Nothing waits for the answer before: the front has to keep them in order.
  for (const step of order)
    wire.send(JSON.stringify({ id: step, method: requests[step][0], params: requests[step][1] }));
  const answers = new Map<string, WireMessage>();
  for (const step of order)
    answers.set(step, await wire.until(({ id, result }) => id === step && result !== undefined));
  expect(answers.get('a')?.result).toBe(true);
  const [token, hex] = (answers.get('s')?.result ?? []) as [string, string];
  await until('it has a job', () => wire.notices('mining.notify').length > 0);
  return { wire, token, nonce1: nonce1FromHex(hex) ?? expect.fail() };
}

interface Coming extends WireOptions {
  readonly named?: string;
  readonly login?: string;
  readonly order?: Order;
}

/** `true`, or the code of the error. */
async function submit({ wire, nonce1 }: Rig, job: Job, from = 0, difficulty = EASY): Promise<unknown> {
  const nonce2 = mine(job, nonce1, targetOf(difficulty), true, from);
  const id = `${job.id} ${nonce1} ${from} ${Math.random()}`;
  const { result, error } = await wire.request(id, 'mining.submit', ['a.r', job.id, nonce2]);
  return result === true || error?.[0];
}

async function reportIn(bridge: TestBridge) {
  // Lists are up to a second old.
  bridge.skewMs += 1000;
  const { items } = await bridge.server.watch.sessions(ALL);
  return items[0] ?? expect.fail('no session');
}

const at = ({ fronts }: TestFleet, front: number): TestBridge => fronts[front] ?? expect.fail();

/** A fleet with a job at each front. */
async function start(count: number, options: TestBridgeOptions = {}) {
  const fleet = await startFleet(count, { shareDifficulty: EASY, ...options });
  const jobs = fleet.fronts.map((front) => front.offer(HARD));
  return Object.assign(fleet, { jobs });
}

async function vanishes(fleet: TestFleet, front: number, { wire }: Rig): Promise<void> {
  wire.vanish();
  await until('its session has ended', () => at(fleet, front).server.sessions === 0);
}

const isKnown = (fleet: TestFleet, tenures = 1): Promise<unknown> =>
  until('the hub knows of it', () => fleet.hub.tenures === tenures);

describe('a rig that comes back to another front', () => {
  it('has what it had by its token, and its late shares are judged where their jobs are', async () => {
    await using fleet = await start(2);
    const [jobA = expect.fail(), jobB = expect.fail()] = fleet.jobs;
    const before = await come(at(fleet, 0));
    expect(await submit(before, jobA)).toBe(true);
    expect(await submit(before, jobA, 1000)).toBe(true);
    expect(await submit(before, jobA)).toBe(22);
    const had = await reportIn(at(fleet, 0));
    await isKnown(fleet);
    await vanishes(fleet, 0, before);
    const after = await come(at(fleet, 1), { named: before.token });
    expect(after.token).not.toBe(before.token);
    const has = await reportIn(at(fleet, 1));
    expect(has).toMatchObject({ accepted: 2, bestShare: had.bestShare, rejections: { duplicate: 1 } });
    expect(has.hashRates.map(({ hashesPerSecond }) => hashesPerSecond > 0)).toEqual(Array(4).fill(true));
    // Under the nonce1 of then: what it has submitted there is known there.
    const late = { ...after, nonce1: before.nonce1 };
    expect(await submit(late, jobA)).toBe(22);
    expect(await submit(late, jobA, 50_000)).toBe(true);
    expect(await submit(late, jobA, 50_000)).toBe(22);
    expect(await submit(after, jobB)).toBe(true);
    expect(at(fleet, 0).shares.map(({ account, rig, jobId }) => [account, rig, jobId])).toEqual(
      Array(3).fill(['a', 'r', jobA.id]),
    );
    expect(at(fleet, 1).shares.map(({ jobId }) => jobId)).toEqual([jobB.id]);
    expect((await reportIn(at(fleet, 1))).accepted).toBe(4);
    // It is at one front alone, and holds one nonce1.
    expect([at(fleet, 0).server.parked, at(fleet, 0).nonceSpace.leased]).toEqual([0, 0]);
    expect(at(fleet, 1).nonceSpace.leased).toBe(1);
  });

  it('may send all at once: each message waits for those before it', async () => {
    await using fleet = await start(2);
    const [jobA = expect.fail()] = fleet.jobs;
    const before = await come(at(fleet, 0));
    await vanishes(fleet, 0, before);
    const wire = await at(fleet, 1).connect('tcp');
    const nonce2 = mine(jobA, before.nonce1, targetOf(EASY));
    const messages = [
      ['s', 'mining.subscribe', ['old/1', before.token]],
      ['p', 'mining.ping', []],
      ['a', 'mining.authorize', ['a.r', 'x']],
      ['late', 'mining.submit', ['a.r', jobA.id, nonce2]],
      ['b', 'mining.authorize', ['a.second', 'x']],
      ['again', 'mining.submit', ['a.second', jobA.id, nonce2]],
    ].map(([id, method, params]) => JSON.stringify({ id, method, params }));
    wire.send(messages.join('\n'));
    const answers = async (): Promise<WireMessage[]> =>
      Promise.all(['late', 'again'].map((wanted) => wire.until(({ id }) => id === wanted)));
    expect((await answers()).map(({ result, error }) => error?.[0] ?? result)).toEqual([true, 22]);
    const ids = wire.lines.map((line) => (JSON.parse(line) as WireMessage).id).filter((id) => id !== null);
    expect(ids.slice(0, 3)).toEqual(['s', 'p', 'a']);
    expect(at(fleet, 0).shares).toHaveLength(1);
  });

  it('is known by its token before its front has told anybody of it', async () => {
    await using fleet = await start(2);
    let last = await come(at(fleet, 0));
    expect(await submit(last, fleet.jobs[0] ?? expect.fail())).toBe(true);
    // Many times a second, there and back.
    for (let i = 1; i <= 10; i++) {
      await vanishes(fleet, (i - 1) % 2, last);
      const { accepted } = await come(at(fleet, i % 2), { named: last.token }).then(async (rig) => {
        last = rig;
        return reportIn(at(fleet, i % 2));
      });
      expect(accepted).toBe(1);
    }
  });

  it.each<[string, Order]>([
    ['subscribes first', ['s', 'a']],
    ['authorizes first', ['a', 's']],
  ])('has its late shares by its name and address alone, if it %s', async (_name, order) => {
    await using fleet = await start(2);
    const [jobA = expect.fail()] = fleet.jobs;
    const before = await come(at(fleet, 0), { order });
    expect(await submit(before, jobA)).toBe(true);
    await isKnown(fleet);
    await vanishes(fleet, 0, before);
    const after = await come(at(fleet, 1), { order });
    expect(await submit({ ...after, nonce1: before.nonce1 }, jobA, 1000)).toBe(true);
    expect((await reportIn(at(fleet, 1))).accepted).toBe(2);
    expect(at(fleet, 0).shares).toHaveLength(2);
  });

  it.each<[string, Order]>([
    ['subscribes first', ['s', 'a']],
    ['authorizes first', ['a', 's']],
  ])('ends its old session by token and name, if it %s', async (_name, order) => {
    await using fleet = await start(2);
    const before = await come(at(fleet, 0));
    await isKnown(fleet);
    const after = await come(at(fleet, 1), { named: before.token, order });
    await until('its old session is closed', () => before.wire.closed);
    expect(at(fleet, 0).closings).toEqual(['the rig came back on another connection']);
    expect(await submit({ ...after, nonce1: before.nonce1 }, fleet.jobs[0] ?? expect.fail())).toBe(true);
  });

  it('is no stranger: a token alone, another name or another address get nothing', async () => {
    await using fleet = await start(2);
    const [jobA = expect.fail()] = fleet.jobs;
    const rig = await come(at(fleet, 0));
    expect(await submit(rig, jobA)).toBe(true);
    await isKnown(fleet);
    const thief = await come(at(fleet, 1), { named: rig.token, login: 'thief.r' });
    expect(await submit({ ...rig, wire: thief.wire }, jobA, 1000)).toBe(24);
    expect(rig.wire.closed).toBe(false);
    await vanishes(fleet, 0, rig);
    const others = [
      await come(at(fleet, 1), { login: 'a.other' }),
      await come(at(fleet, 1), { localAddress: '127.0.0.2' }),
    ];
    expect(at(fleet, 0).server.parked).toBe(1);
    expect(await submit({ ...rig, wire: others[1]?.wire ?? expect.fail() }, jobA, 1000)).toBe(21);
    expect(at(fleet, 0).shares).toHaveLength(1);
  });

  it('goes on at the difficulty that vardiff had found, with token and without', async () => {
    const options: TestBridgeOptions = {
      shareDifficulty: 'vardiff',
      vardiff: { startDifficulty: 64, minDifficulty: 1, secondsPerShare: 1 },
    };
    await using fleet = await start(3, options);
    const [jobA = expect.fail()] = fleet.jobs;
    const first = await come(at(fleet, 0));
    expect((await reportIn(at(fleet, 0))).difficulty).toBe(64n);
    for (let i = 0; i < 40; i++) {
      fleet.skewMs += 25;
      expect(await submit(first, jobA, 10_000 * i, 64n as Difficulty)).toBe(true);
    }
    const [[, found] = expect.fail()] = at(fleet, 0).server.kept.difficulties;
    expect(found).toBeGreaterThan(64);
    await isKnown(fleet);
    await vanishes(fleet, 0, first);
    const second = await come(at(fleet, 1), { named: first.token });
    expect(Number((await reportIn(at(fleet, 1))).difficulty)).toBe(Math.round(found));
    await vanishes(fleet, 1, second);
    // The hub has it from the front that gave it up, and the third front from the second.
    await come(at(fleet, 2));
    expect(Number((await reportIn(at(fleet, 2))).difficulty)).toBe(Math.round(found));
  });

  it('has late shares of several fronts, and its own again where it began', async () => {
    await using fleet = await start(3);
    const rigs: Rig[] = [];
    for (const [front, job] of [0, 1, 2, 0].entries()) {
      const named = rigs.at(-1)?.token;
      const rig = await come(at(fleet, job), named === undefined ? {} : { named });
      rigs.push(rig);
      expect(await submit(rig, fleet.jobs[job] ?? expect.fail(), 1000 * front)).toBe(true);
      if (front === 3) break;
      await until('the hub knows its new token', () => fleet.hub.frontOf(rig.token) === job);
      await vanishes(fleet, job, rig);
    }
    const { wire } = rigs.at(-1) ?? expect.fail();
    for (const [i, front] of [0, 1, 2].entries()) {
      const { nonce1 } = rigs[i] ?? expect.fail();
      const job = fleet.jobs[front] ?? expect.fail();
      expect(await submit({ wire, nonce1, token: '' }, job, 70_000)).toBe(true);
      expect(await submit({ wire, nonce1, token: '' }, job, 70_000)).toBe(22);
    }
    expect(fleet.fronts.map(({ shares }) => shares.length)).toEqual([3, 2, 2]);
  });

  it('of a dead front has what that had told, and its late shares are stale', async () => {
    await using fleet = await start(2);
    const [jobA = expect.fail(), jobB = expect.fail()] = fleet.jobs;
    const before = await come(at(fleet, 0));
    expect(await submit(before, jobA)).toBe(true);
    await until('the hub knows of its share', () => fleet.hub.tenures === 1);
    await fleet.kill(0);
    const after = await come(at(fleet, 1), { named: before.token });
    const late = mine(jobA, before.nonce1, targetOf(EASY), true, 1000);
    const { error } = await after.wire.request('late', 'mining.submit', ['a.r', jobA.id, late]);
    expect(error?.slice(0, 2)).toEqual([
      21,
      `job ${jobA.id} was of a part of this bridge that has ended, or has forgotten it`,
    ]);
    expect(await submit(after, jobB)).toBe(true);
    expect(at(fleet, 0).shares).toHaveLength(1);
    // Nor does a new front in its place know the job.
    const again = await fleet.startAgain(0);
    const [jobC] = [again.offer(HARD)];
    const { error: still } = await after.wire.request('later', 'mining.submit', ['a.r', jobA.id, late]);
    expect(still?.[0]).toBe(21);
    await vanishes(fleet, 1, after);
    const third = await come(again, { named: after.token });
    expect(await submit({ ...third, nonce1: after.nonce1 }, jobB, 1000)).toBe(true);
    expect(await submit(third, jobC)).toBe(true);
  });

  it('begins anew where nobody answers in time', async () => {
    await using fleet = await start(2);
    const before = await come(at(fleet, 0));
    await isKnown(fleet);
    await vanishes(fleet, 0, before);
    fleet.silence(0);
    const after = await come(at(fleet, 1), { named: before.token });
    expect(await submit(after, fleet.jobs[1] ?? expect.fail())).toBe(true);
  });
});
