/** What a session remembers is bounded in bytes and in steps, whatever its rig and others of its name do. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace } from '../../../src/core/jobs/nonce.js';
import { VARDIFF_SETTINGS } from '../../../src/core/shares/vardiff.js';
import { targetOf } from '../../../src/core/work/target.js';
import { IssuedTargets } from '../../../src/stratum/resume/issued-targets.js';
import { NonceLeases } from '../../../src/stratum/resume/nonce-leases.js';
import { ResumableSession } from '../../../src/stratum/resume/resumable-session.js';
import { Resumables } from '../../../src/stratum/resume/resumables.js';
import { Resumption } from '../../../src/stratum/resume/resumption.js';
import { ShareTarget } from '../../../src/stratum/resume/share-target.js';
import { RigRules } from '../../../src/stratum/rig-rules.js';
import { SelfDescription } from '../../../src/stratum/session/self-description.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { startTestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const ADDRESS = '192.0.2.1';
const LOGINS = Array.from({ length: 16 }, (_, i) => ({ account: 'a', rig: `r${i}` }));
const LEASE = { nonce1: 1 as Nonce1, group: 0 };

describe('the return of a rig', () => {
  /** So many resumable sessions were left by all 16 logins at one address; `looks` counts those that were looked at. */
  function leftBy(count: number) {
    const seen = { looks: 0 };
    const clock = { nowMs: () => 0 };
    const rules = new RigRules({ shareDifficulty: 4n }, ['tcp']).at('tcp');
    const leases = new NonceLeases(new NonceSpace(60_000), 1);
    const resumables = new Resumables(60_000, rules.limits);
    const book = new JobBook(1);
    let tokens = 0;
    for (let i = 0; i < count; i++) {
      const resumable = new ResumableSession(ADDRESS, new ShareTarget(4n, VARDIFF_SETTINGS, 0));
      resumable.lease = leases.lease(0);
      if (resumable.lease) leases.release(resumable.lease, 0);
      resumable.token = `left ${i}`;
      resumable.logins = LOGINS;
      resumable.issue(book.add(makeWork({ payload: i }), 'n'), 0);
      const { issued } = resumable;
      const look = (): IssuedTargets => {
        seen.looks++;
        return issued;
      };
      Object.defineProperty(resumable, 'issued', { get: look });
      resumables.keep(resumable, 60_000);
    }
    const newToken = (): string => `new ${++tokens}`;
    const parts = { leases, resumables, byToken: new Map(), newToken, oldestJob: () => 0, clock, rules };
    const come = (logins: typeof LOGINS): Resumption => {
      const resumption = new Resumption(parts, ADDRESS);
      resumption.take(undefined, { logins: [], end: () => undefined });
      seen.looks = 0;
      resumption.follow(logins);
      return resumption;
    };
    return { come, seen };
  }

  it('ST1: looks at no more of what was left under its names than it may remember, however much that is', () => {
    const looks = [10, 100, 1000].map((count) => {
      const { come, seen } = leftBy(count);
      const most: number[] = [];
      for (let i = 0; i < 5; i++) {
        const { resumable } = come(LOGINS);
        expect(resumable.issued.kept.length).toBeGreaterThan(1);
        expect(resumable.issued.kept.length).toBeLessThanOrEqual(17);
        most.push(seen.looks);
      }
      return Math.max(...most);
    });
    expect(Math.max(...looks)).toBeLessThanOrEqual(20);
  });

  it('ST1: looks at nothing where nothing of it was left', () => {
    const { come, seen } = leftBy(10);
    expect(come([{ account: 'another', rig: '' }]).resumable.issued.kept).toHaveLength(1);
    expect(seen.looks).toBe(0);
  });

  it('ST1: finds what others of its name have taken back before it', () => {
    const { come } = leftBy(3);
    const some = LOGINS.slice(0, 1);
    const known = [come(some), come(some), come(some)].map(({ resumable }) =>
      [1, 2, 3].filter((number) => resumable.issued.at(number).length > 0),
    );
    expect(known).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });
});

describe('what a rig was issued with', () => {
  it('ST2: is 64 changes at the most, of one resumable session and of those before it', () => {
    const book = new JobBook(1);
    let payload = 0;
    const flap = (changes: number): IssuedTargets => {
      const issued = new IssuedTargets();
      for (let i = 0; i < changes; i++) {
        const job = book.add(makeWork({ payload: ++payload }), 'n');
        issued.issue(job, targetOf(BigInt(i + 1)), LEASE, 0);
      }
      return issued;
    };
    const one = flap(500);
    expect(one.size).toBe(64);
    expect(one.at(payload)[0]?.own).toEqual(targetOf(500n));
    let last = one;
    for (let i = 0; i < 20; i++) {
      const next = flap(40);
      next.follow(last);
      last = next;
    }
    expect(last.size).toBeLessThan(2 * 64);
    const others = flap(1);
    others.alsoKnow(Array.from({ length: 16 }, () => flap(60)));
    expect(others.size).toBeLessThan(2 * 64);
  });

  it('ST16: is found by its number also where a lease that was taken back has older jobs', () => {
    const book = new JobBook(1);
    const jobs: Job[] = Array.from({ length: 6 }, (_, i) => book.add(makeWork({ payload: i }), 'n'));
    const [between, former] = [LEASE, { nonce1: 2 as Nonce1, group: 1 }];
    const [easy, hard] = [targetOf(1n), targetOf(2n)];
    const issued = new IssuedTargets();
    const issue = (number: number, own: typeof easy, lease: typeof LEASE): void =>
      issued.issue(jobs[number - 1] ?? expect.fail(), own, lease, 0);
    issue(3, easy, between);
    issue(5, hard, between);
    // The newest job of the other group.
    issue(4, easy, former);
    issue(6, hard, former);
    const at = (number: number) => issued.at(number).map(({ lease, own }) => [lease.nonce1, own]);
    expect(at(3)).toEqual([[1, easy]]);
    expect(at(4)[0]).toEqual([2, easy]);
    expect(at(5)).toContainEqual([1, hard]);
    expect(at(6)).toEqual([[2, hard]]);
    expect([issued.lastJobUnder(between), issued.lastJobUnder(former)]).toEqual([5, 6]);
  });
});

describe('a rig that asks for another share difficulty again and again', () => {
  it.each([
    ['suggests', 'mining.suggest_difficulty', (difficulty: number) => [difficulty]],
    ['chooses', 'mining.authorize', (difficulty: number) => ['a.r', `fd=${difficulty}`]],
  ] as const)('ST2: is heard once in ten seconds where it %s', async (_how, method, paramsOf) => {
    const vardiff = { startDifficulty: 2 ** 20, minDifficulty: 1 };
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff, standsStill: true });
    let offered = 0;
    const { rig } = await bridge.readyRig('tcp');
    const targetsAfter = async (...difficulties: number[]): Promise<number> => {
      for (const difficulty of difficulties)
        await rig.request(`${difficulty}`, method, [...paramsOf(difficulty)]);
      bridge.offer({ difficulty: 1n << 100n, parent: ++offered });
      await until('its job', () => rig.notices('mining.notify').length === offered);
      return rig.notices('mining.set_target').length;
    };
    // Before its first job it costs nothing.
    expect(await targetsAfter(1e6, 2e6, 3e6)).toBe(1);
    expect(await targetsAfter(4e9)).toBe(2);
    expect(await targetsAfter(5e12, 6e6)).toBe(2);
    bridge.skewMs += 10_000;
    expect(await targetsAfter(7e12, 8e6)).toBe(3);
  });
});

describe('the name of an agent', () => {
  it('ST11: keeps nothing of the line that it was cut from', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const rules = new RigRules({ shareDifficulty: 4n }, ['tcp']).at('tcp');
    const heapMb = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = heapMb();
    const all = Array.from({ length: 4000 }, (_, i) => {
      const self = new SelfDescription({ rules } as never, {} as never, ADDRESS);
      self.agent = JSON.parse(`"${String(i).padEnd(8000, 'x')}"`);
      return self;
    });
    // 32 MB of names came.
    expect(heapMb() - before).toBeLessThan(8);
    expect(all[7]?.agent).toHaveLength(256);
  });
});
