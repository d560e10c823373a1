/** What is decided about a rig: its share target, its leases, what it was issued with, and when it gets a job. */
import { describe, expect, it } from 'vitest';
import { SessionCounts } from '../../../src/bridge/session-counts.js';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { VARDIFF_SETTINGS } from '../../../src/core/shares/vardiff.js';
import { type Difficulty, difficultyOf, targetOf } from '../../../src/core/work/target.js';
import type { OrderedDifficulty } from '../../../src/operations/orders/by-order.js';
import { type Connection, SharedLine } from '../../../src/stratum/admission/connection.js';
import { STRATUM_LIMITS } from '../../../src/stratum/admission/limits.js';
import { JobBoard } from '../../../src/stratum/jobs/job-board.js';
import { JobFeed, type JobLine } from '../../../src/stratum/jobs/job-feed.js';
import { RigOrders } from '../../../src/stratum/operator/rig-orders.js';
import { type Known, targetFor } from '../../../src/stratum/resume/first-target.js';
import { IssuedTargets } from '../../../src/stratum/resume/issued-targets.js';
import { NonceLeases } from '../../../src/stratum/resume/nonce-leases.js';
import { RigBook } from '../../../src/stratum/resume/rig-book.js';
import { ShareTarget } from '../../../src/stratum/resume/share-target.js';
import { RigRules, type RigSettings } from '../../../src/stratum/rig-rules.js';
import type { JobTaker } from '../../../src/stratum/session/session-parts.js';
import type { WireRig } from '../../helpers/rigs/wire-rig.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { mine, startTestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const LOGIN = { account: 'a', rig: 'r' };

function targets() {
  const clock = { now: 0, nowMs: () => clock.now };
  const settings: RigSettings = {
    shareDifficulty: 'vardiff',
    vardiff: { minDifficulty: 1 },
    limits: { sharesPerSecond: 2, remembered: 10 },
  };
  const rules = new RigRules(settings, ['tcp']).at('tcp');
  const parts = {
    clock,
    rigBook: new RigBook(rules),
    ordered: new RigOrders<OrderedDifficulty>(),
    rules,
  };
  const nothing: Known = {
    login: LOGIN,
    addressKey: 'here',
    quirks: {},
    chosen: undefined,
    suggested: undefined,
    remembered: undefined,
    isFresh: true,
    isSettled: true,
    former: new ShareTarget('vardiff', parts.rules.difficulty.vardiff, 0),
    hashesPerSecond: 0,
  };
  const settle = (known: Partial<Known>) => targetFor({ ...nothing, ...known }, parts);
  return { clock, parts, settle };
}

const difficultyIn = (target: ShareTarget): number => Number(difficultyOf(target.own));

/** So many shares a second of a rig, for as long. */
function share(target: ShareTarget, clock: { now: number }, perSecond: number, seconds: number): void {
  for (let i = 0; i < perSecond * seconds; i++) {
    clock.now += 1000 / perSecond;
    const difficulty = difficultyOf(target.own);
    target.share(difficulty, difficulty, clock.now);
  }
}

describe('the speed of a rig', () => {
  it('R4: is known from a difficulty that its shares have found, and from no wish', () => {
    const { parts, settle } = targets();
    expect(settle({})?.hashesPerSecond).toBe(0);
    expect(settle({ suggested: 1e15 })?.hashesPerSecond).toBe(0);
    parts.rigBook.share(
      parts.rigBook.recordOf(LOGIN),
      { difficulty: 1, nextDifficulty: 1e15, sinceMs: 0, addressKey: 'here' },
      0,
    );
    expect(settle({})?.hashesPerSecond).toBe(1e14);
    expect(settle({ chosen: 1e15 })?.hashesPerSecond).toBe(0);
  });

  it('R4: stays known when the rig comes back', () => {
    const { parts, clock } = targets();
    const target = new ShareTarget('vardiff', parts.rules.difficulty.vardiff, 0, {
      difficulty: 1e15,
      isKnown: false,
    });
    target.resume(1);
    expect(target.hashesPerSecond).toBe(0);
    clock.now = 10_000;
    target.share((10n ** 15n) as Difficulty, (10n ** 15n) as Difficulty, clock.now);
    target.resume(20_000);
    expect(target.hashesPerSecond).toBe(1e14);
  });
});

describe('the silence of a rig', () => {
  interface Story {
    readonly difficulty: bigint;
    readonly minutes: number;
    readonly submitsIn?: number;
    /** Minutes without work. */
    readonly away?: readonly number[];
  }
  /** Seconds between the jobs that a rig of unknown speed is given, in each minute. */
  function gaps({ difficulty, minutes, submitsIn, away = [] }: Story): number[] {
    const connection = { unsentBytes: 0, send() {}, sendShared() {} } as unknown as Connection;
    const feed = new JobFeed(connection, STRATUM_LIMITS, () => undefined);
    const issuer = { shareTarget: new ShareTarget(difficulty, VARDIFF_SETTINGS, 0), issue() {} };
    const [book, work, line] = [new JobBook(1), makeWork({ difficulty: 1n << 100n }), new SharedLine('')];
    const give = (ms: number): void => feed.offer(book.add(work, 'n'), line, issuer, ms);
    give(0);
    return Array.from({ length: minutes }, (_, minute) => {
      let jobs = 0;
      for (let ms = minute * 60_000; ms < (minute + 1) * 60_000; ms += 500) {
        if (minute === submitsIn) feed.submitted();
        if (away.includes(minute) || feed.due(issuer.shareTarget, 0, ms) !== 'must') continue;
        give(ms);
        jobs++;
      }
      return Math.round(60 / jobs);
    });
  }

  it.each([1n << 16n, 1n << 30n, 10n ** 12n])(
    'R4: says after a minute that it is slow, where a fast one would have had shares: %d',
    (difficulty) => {
      const [first, ...later] = gaps({ difficulty, minutes: 4 });
      expect(first).toBe(1);
      expect(Math.min(...later)).toBeGreaterThanOrEqual(20);
    },
  );

  it('R4: says nothing where shares are rare, and something when it has lasted for an hour', () => {
    expect(gaps({ difficulty: 10n ** 19n, minutes: 10 })).toEqual(Array(10).fill(1));
    const rare = gaps({ difficulty: 10n ** 15n, minutes: 60 });
    expect([rare[0], rare[1]]).toEqual([1, 1]);
    expect(rare.at(-1)).toBeGreaterThan(10);
  });

  it('R4: ends with whatever it submits, and is not counted while there is no work', () => {
    const heard = gaps({ difficulty: 10n ** 12n, minutes: 4, submitsIn: 2 });
    expect([heard[0], (heard[1] ?? 0) >= 20, heard[2], heard[3]]).toEqual([1, true, 1, 1]);
    const away = Array.from({ length: 10 }, (_, i) => i + 1);
    expect(gaps({ difficulty: 10n ** 15n, minutes: 12, away }).at(-1)).toBe(1);
  });
});

describe('a difficulty of the choice of a rig', () => {
  it('A10: stands while its shares come no faster than the limit', () => {
    const { clock, settle } = targets();
    const target = settle({ chosen: 5000 }) ?? expect.fail();
    expect(difficultyIn(target)).toBe(5000);
    share(target, clock, 1, 60);
    expect(difficultyIn(target)).toBe(5000);
    expect(target.suggest(1, clock.now)).toBe(false);
    expect(target.steeredDifficulty).toBeUndefined();
  });

  it('A10: is raised while they come faster, also for who chooses again, and comes down to it when the rig is slow', () => {
    const { clock, settle } = targets();
    const target = settle({ chosen: 5000 }) ?? expect.fail();
    // 200 shares of 5000 a second: a million hashes, and half of them for each of two shares.
    const hashesPerSecond = 1e6;
    let shares = 0;
    for (let second = 0; second < 60; second++) {
      const perSecond = Math.max(1, Math.round(hashesPerSecond / difficultyIn(target)));
      shares += perSecond;
      share(target, clock, perSecond, 1);
    }
    expect(shares).toBeLessThan(600);
    expect(difficultyIn(target)).toBeGreaterThan(3e5);
    expect(settle({ chosen: 5000, former: target })).toBeUndefined();
    expect(difficultyIn(settle({ chosen: 5001, former: target }) ?? expect.fail())).toBeGreaterThan(3e5);
    for (let second = 0; second < 3600; second++) {
      clock.now += 1000;
      target.tick(difficultyOf(target.own), clock.now);
    }
    expect(difficultyIn(target)).toBe(5000);
  });
});

describe('the share target of a rig', () => {
  const ASIC = [{ agent: 'asic/', floor: 2 ** 40 }];
  const REQUESTS = {
    subscribe: ['mining.subscribe', ['asic/1']],
    authorize: ['mining.authorize', ['a.r', 'x']],
    choose: ['mining.authorize', ['a.r', 'fd=1e13']],
  } as const;
  const firstDifficulty = async (rig: WireRig) => {
    const { params } = await rig.until(({ method }) => method === 'mining.set_target');
    return difficultyOf(Buffer.from(String(params?.[0]), 'hex').reverse() as never);
  };

  it.each([
    [1n << 40n, ['subscribe', 'authorize']],
    [1n << 40n, ['authorize', 'subscribe']],
    [10n ** 13n, ['subscribe', 'choose']],
    [10n ** 13n, ['choose', 'subscribe']],
  ] as const)('R15: is %d by agent and login, whichever comes first: %s', async (difficulty, order) => {
    const vardiff = { startDifficulty: 2 ** 20, minDifficulty: 1 };
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff, agents: ASIC });
    bridge.offer({ difficulty: 1n << 100n });
    const rig = await bridge.connect('tcp');
    for (const step of order) await rig.request(step, ...(REQUESTS[step] as [string, unknown]));
    expect(await firstDifficulty(rig)).toBe(difficulty);
  });

  it('R15: is of its choice also when it comes back by its token after it has chosen', async () => {
    const vardiff = { startDifficulty: 2 ** 20, minDifficulty: 1 };
    const nonceSpace = new NonceSpace(60_000);
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff, nonceSpace });
    bridge.offer({ difficulty: 1n << 100n });
    const first = await bridge.connect('tcp');
    const { result } = await first.request(1, 'mining.subscribe', ['x', '']);
    const [token, nonce1] = result as [string, string];
    await first.request(2, 'mining.authorize', ['a.r', 'x']);
    await firstDifficulty(first);
    first.vanish();
    await until('its session waits for its return', () => bridge.server.resumable === 1);
    const back = await bridge.connect('tcp');
    await back.request(1, 'mining.authorize', ['a.r', 'fd=1e13']);
    expect((await back.request(2, 'mining.subscribe', ['x', token])).result).toContain(nonce1);
    bridge.offer({ difficulty: 1n << 100n, parent: 2 });
    expect(await firstDifficulty(back)).toBe(10n ** 13n);
  });

  it.each<[how: string, method: string, paramsOf: (difficulty: number) => unknown[]]>([
    ['chooses', 'mining.authorize', (difficulty) => ['a.r', `fd=${difficulty}`]],
    ['suggests', 'mining.suggest_difficulty', (difficulty) => [difficulty]],
  ])('A10: is not below what its speed needs where it %s', async (_how, method, paramsOf) => {
    const vardiff = { startDifficulty: 4, minDifficulty: 1 };
    const options = { shareDifficulty: 'vardiff', vardiff, standsStill: true } as const;
    await using bridge = await startTestBridge(options);
    const job = bridge.offer({ difficulty: 1n << 100n });
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    for (let i = 0, from = 0; i < 40; i++) {
      const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      expect((await rig.request(`${i}`, 'mining.submit', ['a.r', job.id, nonce2])).result).toBe(true);
    }
    expect((await rig.request('ask', method, paramsOf(5))).result).toBe(true);
    bridge.offer({ difficulty: 1n << 100n, parent: 2 });
    await until('its target', () => rig.notices('mining.notify').length === 2);
    const [hex] = rig.notices('mining.set_target').at(-1)?.params ?? [];
    // 40 shares of 4 in a second at the most, and half of that for each of two shares.
    expect(difficultyOf(Buffer.from(String(hex), 'hex').reverse() as never)).toBeGreaterThanOrEqual(80n);
  });

  it('A10: is not lowered by a stranger with its name', async () => {
    const vardiff = { startDifficulty: 4, minDifficulty: 1 };
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff });
    const job = bridge.offer({ difficulty: 1n << 100n });
    const start = async (localAddress: string, ...suggest: number[]) => {
      const rig = await bridge.connect('tcp', { localAddress });
      for (const one of suggest) await rig.request(0, 'mining.suggest_difficulty', [one]);
      const { result } = await rig.request(1, 'mining.subscribe', []);
      await rig.request(2, 'mining.authorize', ['a.r']);
      const difficulty = await firstDifficulty(rig);
      const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail();
      const nonce2 = mine(job, nonce1, targetOf(difficulty));
      expect((await rig.request(3, 'mining.submit', ['a.r', job.id, nonce2])).result).toBe(true);
      rig.close();
      return difficulty;
    };
    expect(await start('127.0.0.1', 4096)).toBe(4096n);
    expect(await start('127.0.0.2', 2)).toBe(2n);
    expect(await start('127.0.0.1')).toBe(4096n);
    expect(await start('127.0.0.3')).toBe(4n);
  });
});

describe('what jobs were issued with', () => {
  it('R14: is kept no longer than the jobs, however often it changes', () => {
    const book = new JobBook(1, { live: 10, stale: 10, staleMs: 1e9, noncesPerJob: 1 });
    const issued = new IssuedTargets();
    const lease = { nonce1: 1 as Nonce1, group: 0 };
    const jobs: Job[] = [];
    for (let i = 0; i < 500; i++) {
      const job = book.add(makeWork({ payload: i % 2 }), 'n');
      jobs.push(job);
      issued.issue(job, targetOf(BigInt(i + 1)), lease, book.oldestNumber);
    }
    expect(issued.size).toBeLessThanOrEqual(20);
    const known = jobs.filter((job) => book.find(job.id).state !== 'unknown');
    expect(known).toHaveLength(20);
    for (const job of known) expect(issued.at(job.number)[0]?.own).toEqual(targetOf(BigInt(job.number)));
  });

  it('R14: is kept for a job that stands while nothing changes', () => {
    const issued = new IssuedTargets();
    const lease = { nonce1: 1 as Nonce1, group: 0 };
    const own = targetOf(7n);
    const jobs = new JobBook(1);
    for (let i = 0; i < 100; i++) {
      const job = jobs.add(makeWork({ payload: i }), 'n');
      issued.issue(job, own, lease, job.number);
    }
    expect(issued.at(100)[0]?.own).toBe(own);
  });

  it('R14: forgets earlier sessions with their jobs', () => {
    const lease = { nonce1: 1 as Nonce1, group: 0 };
    const book = new JobBook(1);
    const [earlier, later] = [new IssuedTargets(), new IssuedTargets()];
    earlier.issue(book.add(makeWork({ payload: 1 }), 'n'), targetOf(1n), lease, 1);
    later.follow(earlier);
    expect(later.at(1)).toHaveLength(1);
    later.issue(book.add(makeWork({ payload: 2 }), 'n'), targetOf(2n), lease, 2);
    expect([later.size, later.at(1)]).toEqual([1, []]);
  });
});

describe('groups of sessions', () => {
  it('R18: are given up once nobody has used them for as long as a nonce1 rests', () => {
    const space = new NonceSpace(1000);
    for (let i = 0; i < 65_535; i++) space.lease(0);
    const leases = new NonceLeases(space, 8);
    const [, second = expect.fail()] = [leases.lease(0), leases.lease(0)];
    expect([second?.group, leases.groups]).toEqual([1, 2]);
    leases.shrink(5000);
    expect(leases.groups).toBe(2);
    leases.release(second, 5000);
    leases.shrink(5999);
    expect(leases.groups).toBe(2);
    leases.shrink(6000);
    expect(leases.groups).toBe(1);
    expect(leases.leaseAgain(second, 6000)).toBeUndefined();
    expect(leases.lease(6000)?.group).toBe(1);
  });
});

describe('jobs for rigs that come back', () => {
  it('R7: are one for all who wait, with the next tick, at whatever pace they come', () => {
    const book = new JobBook(1, undefined, 0);
    const sessions = new Set<JobTaker>();
    let rolls = 0;
    const first = book.add(makeWork({}), 'n');
    const board = new JobBoard({
      sessions: () => sessions,
      groups: () => 1,
      sessionCounts: new SessionCounts(),
      jobs: {
        groups: 1,
        oldestJob: 0,
        rollJob: (_chainId, group, clean) => {
          rolls++;
          return book.addVariant(first, group, 0n, clean);
        },
      },
    });
    board.offerJob(first);
    const got: JobLine[][] = [];
    for (let i = 0; i < 500; i++) {
      const jobs: JobLine[] = [];
      const session: JobTaker = {
        lease: { nonce1: i as Nonce1, group: 0 },
        ready: true,
        hashesPerSecond: 0,
        // It had the newest job before it came back.
        lastJobNumber: first.number,
        jobDue: () => (jobs.length === 0 ? 'must' : 'no'),
        offerJob: (line) => void jobs.push(line),
      };
      sessions.add(session);
      got.push(jobs);
      expect(board.newestFor(session)).toBeUndefined();
    }
    expect(rolls).toBe(0);
    board.turnsAt(0);
    for (const session of sessions) board.turn(session, true);
    expect(rolls).toBe(1);
    expect(new Set(got.map((jobs) => jobs.map(({ job }) => job.number).join()))).toEqual(new Set(['2']));
    expect(book.find(first.id).state).toBe('live');
  });
});
