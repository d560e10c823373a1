import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JobRoller, residueOfInstance } from '../../src/bridge/job-roller.js';
import { type Job, JobBook } from '../../src/core/jobs/job.js';
import { decodeHeader } from '../../src/core/work/header.js';
import { makeWork } from '../helpers/rigs/works.js';

const GIVEN = 1_700_000_000_000_000n;
const timeOf = (job: Job | undefined): bigint =>
  decodeHeader(job?.header ?? expect.fail('no job')).creationTime;

function setUp(residue?: number) {
  const book = new JobBook(1, undefined, residue);
  const clock = { now: 5_000_000, nowMs: () => clock.now };
  const roller = new JobRoller(book, clock);
  const add = (parent: number): Job => {
    const job = book.add(makeWork({ parent, creationTime: GIVEN }), 'n');
    roller.offerJob(job);
    return job;
  };
  return { book, clock, roller, add };
}

describe('job roller', () => {
  it('gives the same work a later time, never one that the node has not reached, and never one twice', () => {
    const { book, clock, roller, add } = setUp();
    const job = add(1);
    const times = [timeOf(job)];
    for (const passedMs of [0, 500, 500, 25_000]) {
      clock.now += passedMs;
      const variant = roller.rollJob(3, 0, false) ?? expect.fail();
      expect(variant).toMatchObject({ work: job.work, clean: false, group: 0 });
      expect(variant.number).toBeGreaterThan(job.number);
      times.push(timeOf(variant));
    }
    expect(times).toEqual([GIVEN, GIVEN + 1n, GIVEN + 498_501n, GIVEN + 998_001n, GIVEN + 25_973_001n]);
    expect(book.liveJobs).toHaveLength(5);
    add(2);
    expect(book.find(job.id).state).toBe('stale');
    roller.retireChains([3]);
    expect(roller.rollJob(3, 0, false)).toBeUndefined();
  });

  it('does not follow a clock that leaps', () => {
    const { clock, roller, add } = setUp();
    add(1);
    clock.now += 86_400_000;
    expect(timeOf(roller.rollJob(3, 0, false))).toBe(GIVEN + 599_399_001n);
    clock.now -= 2 * 86_400_000;
    expect(timeOf(roller.rollJob(3, 0, false))).toBe(GIVEN + 599_399_002n);
  });

  it("times are above the work's own, and counts as reached only what the node's clock has reached", () => {
    const step = fc.record({ passedMs: fc.double({ min: 0, max: 30_000, noNaN: true }), group: fc.nat(7) });
    const plan = fc.record({
      given: fc.bigInt({ min: GIVEN, max: GIVEN + 5_000n }),
      instance: fc.nat(127),
      onTheWayMs: fc.double({ min: 0, max: 2_000, noNaN: true }),
      /** The node's clock goes so much faster than ours. */
      rate: fc.double({ min: 0.9991, max: 1.0009, noNaN: true }),
      /** Ours tells whole milliseconds. */
      isCoarse: fc.boolean(),
      steps: fc.array(step, { maxLength: 20 }),
    });
    fc.assert(
      fc.property(plan, ({ given, instance, onTheWayMs, rate, isCoarse, steps }) => {
        const book = new JobBook(1, undefined, residueOfInstance(instance));
        let nowMs = 5_000_000.4;
        const roller = new JobRoller(book, { nowMs: () => (isCoarse ? Math.floor(nowMs) : nowMs) });
        const cameAtMs = nowMs;
        const nodeTime = (): number => (onTheWayMs + (nowMs - cameAtMs) * rate) * 1000;
        const isHeld = (job: Job): void => {
          expect(timeOf(job)).toBeGreaterThan(given);
          const waitMs = roller.untilReachedMs(job);
          expect(waitMs).toBeLessThan(30);
          if (waitMs === 0) expect(Number(timeOf(job) - given)).toBeLessThanOrEqual(nodeTime());
        };
        const job = book.add(makeWork({ creationTime: given }), 'n');
        roller.offerJob(job);
        isHeld(job);
        for (const { passedMs, group } of steps) {
          nowMs += passedMs;
          const variant = roller.rollJob(3, group, false) ?? expect.fail();
          isHeld(variant);
          nowMs += roller.untilReachedMs(variant) + 1;
          expect(roller.untilReachedMs(variant)).toBe(0);
          isHeld(variant);
        }
      }),
    );
  });

  it('keeps groups and instances apart by the residue of the time', () => {
    const { clock, roller, add } = setUp(residueOfInstance(2));
    const seen = new Set<bigint>();
    const jobs = [add(1)];
    for (let i = 0; i < 200; i++) {
      clock.now += i % 3;
      const job = roller.rollJob(3, i % 8, i % 2 === 0) ?? expect.fail();
      expect(timeOf(job) % 1024n).toBe(16n + BigInt(job.group));
      jobs.push(job);
    }
    for (const job of jobs) seen.add(timeOf(job));
    expect(seen.size).toBe(201);
    expect(timeOf(jobs[0])).toBeGreaterThan(GIVEN);
    expect(timeOf(jobs[0])).toBeLessThanOrEqual(GIVEN + 1024n);
    expect(() => residueOfInstance(128)).toThrow(RangeError);
  });

  it('never repeats a time when two nodes hand out the same payload', () => {
    const { book } = setUp(0);
    const one = book.add(makeWork({ parent: 1, creationTime: GIVEN }), 'one');
    const two = book.add(makeWork({ parent: 1, creationTime: GIVEN }), 'two');
    expect(timeOf(two)).toBe(timeOf(one) + 1024n);
  });
});
