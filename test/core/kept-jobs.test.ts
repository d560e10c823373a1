/** A book of jobs that goes on in the next start of the bridge. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOB_BOOK_LIMITS, type Job, JobBook } from '../../src/core/jobs/job.js';
import { halvesOf } from '../../src/core/jobs/nonce.js';
import { NonceSet } from '../../src/core/jobs/nonce-set.js';
import { makeWork } from '../helpers/rigs/works.js';

const bookAt = (firstNumber: number, nowMs: () => number): JobBook =>
  new JobBook(firstNumber, JOB_BOOK_LIMITS, 8, nowMs);

describe('what a book keeps for the next start', () => {
  it('judges the same jobs and nonces as before, and makes no job of its own of them', () => {
    const former = bookAt(1, () => 1_000);
    const stale = former.add(makeWork({ parent: 1 }), 'a');
    const live = former.add(makeWork({ parent: 2 }), 'a');
    const variant = former.addVariant(live, 3, 0n, false);
    for (const job of [stale, live, variant]) former.reserve(job, halvesOf(5n));
    former.unreserve(live, halvesOf(5n));

    const book = bookAt(100, () => 50_000);
    expect(book.restore(former.kept, 7_000)).toEqual([stale, live, variant]);
    expect(book.find(stale.id)).toEqual({ state: 'stale', job: stale, because: 'cut' });
    expect(book.find(live.id)).toEqual({ state: 'live', job: live });
    expect(book.find(variant.id)).toEqual({ state: 'live', job: variant });
    expect([stale, live, variant].map((job) => book.reserve(job, halvesOf(5n)))).toEqual([
      'duplicate',
      'reserved',
      'duplicate',
    ]);
    expect([book.liveJobs, book.newestJobs, book.holds(live.work, 'a')]).toEqual([[], [], false]);
    expect(book.oldestNumber).toBe(1);
  });

  it('goes on with the cut of the first work, or ends with another one', () => {
    const former = bookAt(1, () => 0);
    const jobs = [1, 2].map((chainId) => former.add(makeWork({ chainId, parent: 1 }), 'a'));
    const book = bookAt(100, () => 0);
    book.restore(former.kept, 0);
    const same = book.add(makeWork({ chainId: 1, parent: 1, payload: 7 }), 'a');
    book.add(makeWork({ chainId: 2, parent: 9 }), 'a');
    expect(same.clean).toBe(false);
    expect(jobs.map((job) => book.find(job.id).state)).toEqual(['live', 'stale']);
  });

  it('counts what no work confirms for half a minute only', () => {
    const former = bookAt(1, () => 0);
    const [gone, there] = [1, 2].map((chainId) => former.add(makeWork({ chainId }), 'a'));
    let nowMs = 0;
    const book = bookAt(100, () => nowMs);
    book.restore(former.kept, 0);
    book.add(makeWork({ chainId: 2 }), 'b');
    nowMs = 30_001;
    expect([gone, there].map((job) => book.find((job as Job).id).state)).toEqual(['stale', 'live']);
  });

  it('forgets stale jobs as soon as the former start would have', () => {
    const former = bookAt(1, () => 0);
    const job = former.add(makeWork({}), 'a');
    former.retire(job.work.chainId);
    const { staleMs } = JOB_BOOK_LIMITS;
    for (const [agoMs, state] of [
      [staleMs - 1, 'stale'],
      [staleMs, 'unknown'],
    ] as const) {
      const book = bookAt(100, () => 5);
      book.restore(former.kept, agoMs);
      expect(book.find(job.id).state).toBe(state);
    }
  });

  it('refuses jobs with numbers that this start gives, and works that are not there', () => {
    const former = bookAt(1, () => 0);
    former.add(makeWork({}), 'a');
    const { works, jobs } = former.kept;
    expect(() => bookAt(1, () => 0).restore({ works, jobs }, 0)).toThrow(RangeError);
    expect(() => bookAt(9, () => 0).restore({ works: [], jobs }, 0)).toThrow(RangeError);
  });

  it('keeps every set of nonces, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 2n ** 64n - 1n)), fc.nat(), (nonces, taken) => {
        const set = new NonceSet();
        for (const nonce of nonces) set.add(halvesOf(nonce));
        const left = nonces[taken % Math.max(1, nonces.length)];
        if (left !== undefined) set.delete(halvesOf(left));
        const again = NonceSet.of(set.bytes);
        expect(again.size).toBe(set.size);
        for (const nonce of nonces) expect(again.has(halvesOf(nonce))).toBe(set.has(halvesOf(nonce)));
        expect(again.bytes).toEqual(set.bytes);
      }),
    );
  });
});
