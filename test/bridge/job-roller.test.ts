import { describe, expect, it } from 'vitest';
import { JobRoller, residueOfInstance } from '../../src/bridge/job-roller.js';
import { decodeHeader } from '../../src/core/header.js';
import { type Job, JobBook } from '../../src/core/job.js';
import { makeWork } from '../helpers/works.js';

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
    expect(times).toEqual([GIVEN, GIVEN + 1n, GIVEN + 499_000n, GIVEN + 999_000n, GIVEN + 25_999_000n]);
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
    expect(timeOf(roller.rollJob(3, 0, false))).toBe(GIVEN + 600_000_000n);
    clock.now -= 2 * 86_400_000;
    expect(timeOf(roller.rollJob(3, 0, false))).toBe(GIVEN + 600_000_001n);
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
    expect(timeOf(jobs[0])).toBeLessThan(GIVEN + 1024n);
    expect(() => residueOfInstance(128)).toThrow(RangeError);
  });

  it('never repeats a time when two nodes hand out the same payload', () => {
    const { book } = setUp(0);
    const one = book.add(makeWork({ parent: 1, creationTime: GIVEN }), 'one');
    const two = book.add(makeWork({ parent: 1, creationTime: GIVEN }), 'two');
    expect(timeOf(two)).toBe(timeOf(one) + 1024n);
  });
});
