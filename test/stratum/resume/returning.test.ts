/** Rigs that come back without naming what they had, but that take another nonce1 while they work (users-ask 19). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { type Difficulty, targetOf } from '../../../src/core/work/target.js';
import { NonceLeases } from '../../../src/stratum/resume/nonce-leases.js';
import { Resumables } from '../../../src/stratum/resume/resumables.js';
import { Resumption } from '../../../src/stratum/resume/resumption.js';
import { RigRules } from '../../../src/stratum/rig-rules.js';
import type { WireMessage, WireOptions, WireRig } from '../../helpers/rigs/wire-rig.js';
import { makeWork } from '../../helpers/rigs/works.js';
import {
  mine,
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);
const REQUESTS = {
  subscribe: ['mining.subscribe', ['old/1']],
  authorize: ['mining.authorize', ['a.r', 'x']],
  extranonce: ['mining.extranonce.subscribe', []],
} as const;
type Step = keyof typeof REQUESTS;

const ORDERS: readonly (readonly Step[])[] = [
  ['subscribe', 'authorize', 'extranonce'],
  ['authorize', 'subscribe', 'extranonce'],
  ['subscribe', 'extranonce', 'authorize'],
  ['extranonce', 'subscribe', 'authorize'],
  ['authorize', 'extranonce', 'subscribe'],
  ['extranonce', 'authorize', 'subscribe'],
];

const methodsOf = (rig: WireRig): string[] =>
  rig.lines.map((line) => (JSON.parse(line) as WireMessage).method ?? '').filter(Boolean);

/** A bridge from which a rig with a job has vanished. */
async function leftBy(login: string, options: TestBridgeOptions = {}, work = HARD) {
  const nonceSpace = new NonceSpace(60_000);
  const bridge = await startTestBridge({ nonceSpace, rolls: true, standsStill: true, ...options });
  const job = bridge.offer(work);
  const rig = await bridge.connect('tcp');
  const { result } = await rig.request(1, 'mining.subscribe', ['old/1']);
  await rig.request(2, 'mining.authorize', [login, 'x']);
  await until('it has a job', () => rig.notices('mining.notify').length >= 1);
  rig.vanish();
  await until('its session waits for its return', () => bridge.server.resumable === 1);
  const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail();
  return { bridge, job, nonce1 };
}

async function comeBack(bridge: TestBridge, order: readonly Step[], options?: WireOptions): Promise<WireRig> {
  const rig = await bridge.connect('tcp', options);
  for (const step of order) {
    const [method, params] = REQUESTS[step];
    expect((await rig.request(step, method, params)).error).toBeNull();
  }
  return rig;
}

async function submit(rig: WireRig, job: Job, nonce1: Nonce1): Promise<unknown> {
  const nonce2 = mine(job, nonce1, TARGET);
  return (await rig.request(`${job.id} ${nonce1}`, 'mining.submit', ['a.r', job.id, nonce2])).result;
}

describe('a rig that takes mining.set_extranonce', () => {
  it.each(ORDERS.map((order) => [order.join(', '), order] as const))(
    'gets its former nonce1 back: %s',
    async (_name, order) => {
      const { bridge, job, nonce1 } = await leftBy('a.r');
      await using _ = bridge;
      const rig = await comeBack(bridge, order);
      await rig.until(({ method }) => method === 'mining.set_extranonce');
      await rig.until(({ id }) => id === order.at(-1));
      const [told] = rig.notices('mining.set_extranonce');
      expect(told).toEqual({ id: null, method: 'mining.set_extranonce', params: ['0000', 6] });
      await until('it has a job for it', () => methodsOf(rig).at(-1) === 'mining.notify');
      const methods = methodsOf(rig).filter((method) => !method.startsWith('client.'));
      const at = methods.indexOf('mining.set_extranonce');
      expect(methods.slice(at)).toEqual(['mining.set_extranonce', 'mining.set_target', 'mining.notify']);
      const answer = await rig.until(({ id }) => id === 'subscribe');
      const between = nonce1FromHex(String((answer.result as unknown[])[1])) ?? expect.fail();
      expect(between).not.toBe(nonce1);
      const jobs = rig
        .notices('mining.notify')
        .map(({ params }) => bridge.book.find(String(params?.[0])).job);
      expect(jobs.at(-1)).not.toBe(job);
      // Late shares count, and so do those of a job that was searched with the lease in between.
      expect(await submit(rig, job, nonce1)).toBe(true);
      expect(await submit(rig, jobs.at(-1) ?? expect.fail(), nonce1)).toBe(true);
      if (at > 0) expect(await submit(rig, jobs[0] ?? expect.fail(), between)).toBe(true);
      expect(bridge.nonceSpace.leased).toBe(1);
      expect(bridge.server.resumable).toBe(0);
      rig.vanish();
      await until('nothing is held', () => bridge.nonceSpace.leased === 0);
    },
  );

  it('R16: loses no solution that it found with either nonce1, even when it is past its rate', async () => {
    const limits = { messagesPerSecond: 1, messageBurst: 5 };
    const options = { limits, standsStill: true, rolls: false };
    const { bridge, job, nonce1 } = await leftBy('a.r', options, { difficulty: 64n });
    await using _ = bridge;
    const rig = await comeBack(bridge, ORDERS[0] ?? []);
    await rig.until(({ method }) => method === 'mining.set_extranonce');
    for (let i = 0; i < 4; i++) await rig.request(`ping ${i}`, 'mining.ping');
    const between = 1 as Nonce1;
    for (const each of [between, nonce1]) {
      const nonce2 = mine(job, each, targetOf(64n));
      const answer = await rig.request(`late ${each}`, 'mining.submit', ['a.r', job.id, nonce2]);
      expect(answer.result).toBe(true);
    }
    expect(bridge.solutions.map(({ nonce }) => Number(nonce & 0xffffn))).toEqual([between, nonce1]);
    expect(bridge.shares).toHaveLength(2);
  });

  it('gets it by mining.configure too, and keeps it on its next return', async () => {
    const { bridge, job, nonce1 } = await leftBy('a.r');
    await using _ = bridge;
    for (let i = 0; i < 3; i++) {
      const rig = await comeBack(bridge, ['subscribe', 'authorize']);
      await rig.request(1, 'mining.configure', [['subscribe-extranonce'], {}]);
      await rig.until(({ method }) => method === 'mining.set_extranonce');
      if (i === 2) expect(await submit(rig, job, nonce1)).toBe(true);
      rig.vanish();
      await until(
        'its session waits for its return',
        () => bridge.server.resumable === 1 && bridge.server.sessions === 0,
      );
    }
  });

  it.each<[string, string, readonly Step[], WireOptions?]>([
    ['of another name', 'a.other', ORDERS[0] ?? []],
    ['at another address', 'a.r', ORDERS[0] ?? [], { localAddress: '127.0.0.2' }],
  ])('is not one %s', async (_name, login, order, options) => {
    const { bridge } = await leftBy(login);
    await using _ = bridge;
    const rig = await comeBack(bridge, order, options);
    await rig.request(9, 'mining.ping');
    expect(rig.notices('mining.set_extranonce')).toEqual([]);
    expect(bridge.server.resumable).toBe(1);
  });

  it('is not one that has not shown it: its late shares count, by the nonce1 of then and its new one', async () => {
    const { bridge, job, nonce1 } = await leftBy('a.r');
    await using _ = bridge;
    const rig = await comeBack(bridge, ['subscribe', 'authorize']);
    expect(await submit(rig, job, nonce1)).toBe(true);
    const answer = await rig.until(({ id }) => id === 'subscribe');
    const own = nonce1FromHex(String((answer.result as unknown[])[1])) ?? expect.fail();
    const jobs = rig.notices('mining.notify').map(({ params }) => String(params?.[0]));
    const newest = bridge.book.find(jobs.at(-1) ?? '').job ?? expect.fail();
    expect(await submit(rig, newest, own)).toBe(true);
    expect(rig.notices('mining.set_extranonce')).toEqual([]);
    expect(bridge.server.resumable).toBe(0);
  });

  it('has its late shares whichever of several rigs of its login it was', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000), standsStill: true });
    const job = bridge.offer(HARD);
    const former: Nonce1[] = [];
    const rigs: WireRig[] = [];
    for (let i = 0; i < 3; i++) {
      const rig = await comeBack(bridge, ['subscribe', 'authorize']);
      const answer = await rig.until(({ id }) => id === 'subscribe');
      former.push(nonce1FromHex(String((answer.result as unknown[])[1])) ?? expect.fail());
      await until('it has a job', () => rig.notices('mining.notify').length >= 1);
      rigs.push(rig);
    }
    for (const rig of rigs) rig.vanish();
    await until('their sessions wait for them', () => bridge.server.resumable === 3);
    for (const nonce1 of former) {
      const rig = await comeBack(bridge, ['subscribe', 'authorize', 'extranonce']);
      expect(await submit(rig, job, nonce1)).toBe(true);
    }
    expect(bridge.server.resumable).toBe(0);
  });

  it('keeps what it has while the one of its name is still there, and once the nonce1 has rested', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
    bridge.offer(HARD);
    const [first, second] = [
      await comeBack(bridge, ORDERS[0] ?? []),
      await comeBack(bridge, ORDERS[0] ?? []),
    ];
    await first.until(({ method }) => method === 'mining.notify');
    expect(second.notices('mining.set_extranonce')).toEqual([]);
    first.vanish();
    await until('its session waits for its return', () => bridge.server.resumable === 1);
    bridge.skewMs = 60_001;
    const third = await comeBack(bridge, ORDERS[0] ?? []);
    await third.request(9, 'mining.ping');
    expect(third.notices('mining.set_extranonce')).toEqual([]);
    expect(bridge.nonceSpace.leased).toBe(2);
  });
});

describe('leases', () => {
  /** What a rig does next, or time that passes. */
  const action = fc.oneof(
    fc.record({
      kind: fc.constantFrom('come', 'resume', 'take back', 'job', 'leave'),
      rig: fc.nat(3),
    }),
    fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1, 400, 1001) }),
  );

  it('are never held twice, never lost, and rest for all but their former owner', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        let nowMs = 0;
        let tokens = 0;
        const book = new JobBook(1);
        const restMs = 1000;
        const leases = new NonceLeases(new NonceSpace(restMs), 1);
        const parts = {
          leases,
          resumables: new Resumables(restMs, { remembered: 100 }),
          byToken: new Map(),
          newToken: () => `token ${++tokens}`,
          oldestJob: () => book.oldestNumber,
          clock: { nowMs: () => nowMs },
          rules: new RigRules({ shareDifficulty: 4n as Difficulty }, ['tcp']).at('tcp'),
        };
        const held = new Map<number, Resumption>();
        const lastTokens = new Map<number, string>();
        /** nonce1 -> who left it, and when. */
        const left = new Map<Nonce1, { rig: number; atMs: number }>();
        const check = (rig: number, nonce1: Nonce1 | undefined): void => {
          const rest = nonce1 === undefined ? undefined : left.get(nonce1);
          if (rest && rest.rig !== rig) expect(nowMs - rest.atMs).toBeGreaterThanOrEqual(restMs);
        };
        const login = (rig: number) => ({ account: 'a', rig: String(rig) });
        for (const each of actions) {
          if ('ms' in each) {
            nowMs += each.ms;
            continue;
          }
          const { kind, rig } = each;
          const resumption = held.get(rig);
          const before = resumption?.lease;
          if ((kind === 'come' || kind === 'resume') && !resumption) {
            const fresh = new Resumption(parts, '127.0.0.1');
            const lease = fresh.take(kind === 'resume' ? lastTokens.get(rig) : undefined, {
              logins: [],
              end() {},
            });
            held.set(rig, fresh);
            lastTokens.set(rig, fresh.token ?? expect.fail());
            check(rig, lease?.nonce1);
          } else if (kind === 'take back' && resumption) {
            const back = resumption.takeBack(login(rig));
            check(rig, back?.nonce1);
            if (back && before) left.set(before.nonce1, { rig, atMs: nowMs });
          } else if (kind === 'job') {
            const job = book.add(
              makeWork({ parent: nowMs % 251, payload: book.liveJobs.length % 251 }),
              'node',
            );
            for (const one of held.values()) {
              one.issue(job);
              expect(one.resumable.issuesAt(job.number)?.[0]?.lease).toEqual(one.lease);
            }
          } else if (kind === 'leave' && resumption) {
            resumption.leave([login(rig)]);
            held.delete(rig);
            if (before) left.set(before.nonce1, { rig, atMs: nowMs });
          }
          const now = [...held.values()].map((one) => one.lease?.nonce1);
          expect(new Set(now).size).toBe(held.size);
          expect(leases.leased).toBe(held.size);
        }
        for (const [rig, resumption] of held) resumption.leave([login(rig)]);
        expect(leases.leased).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
