import { describe, expect, it } from 'vitest';
import { JOB_BOOK_LIMITS, type Job, JobBook } from '../../src/core/jobs/job.js';
import {
  composeNonce,
  halvesOf,
  type Nonce1,
  NonceSpace,
  nonce1ToHex,
  nonce2FromHex,
} from '../../src/core/jobs/nonce.js';
import { decodeHeader } from '../../src/core/work/header.js';
import { makeWork } from '../helpers/rigs/works.js';

describe('job book', () => {
  it('makes a new cut clean and its predecessors stale, a refreshed payload neither', () => {
    const book = new JobBook(0x10);
    const first = book.add(makeWork({ parent: 1 }), 'n');
    const refreshed = book.add(makeWork({ parent: 1, payload: 2 }), 'n');
    expect([first.clean, refreshed.clean]).toEqual([true, false]);
    expect(book.find(first.id).state).toBe('live');
    const next = book.add(makeWork({ parent: 2 }), 'n');
    expect(next.clean).toBe(true);
    expect([first, refreshed, next].map((job) => book.find(job.id).state)).toEqual([
      'stale',
      'stale',
      'live',
    ]);
    expect(book.find('ffff').state).toBe('unknown');
  });

  it('keeps chains apart', () => {
    const book = new JobBook(1);
    const one = book.add(makeWork({ chainId: 1, parent: 1 }), 'n');
    const two = book.add(makeWork({ chainId: 2, parent: 2 }), 'n');
    book.retire(1);
    expect([one, two].map((job) => book.find(job.id).state)).toEqual(['stale', 'live']);
  });

  it('takes a nonce once, and again only after it was given back', () => {
    const book = new JobBook(1);
    const job = book.add(makeWork({}), 'n');
    expect(book.reserve(job, halvesOf(5n))).toBe('reserved');
    expect(book.reserve(job, halvesOf(5n))).toBe('duplicate');
    book.unreserve(job, halvesOf(5n));
    expect(book.reserve(job, halvesOf(5n))).toBe('reserved');
  });

  it('R3: takes other neighbours for a new cut, also where parent and payload are the same', () => {
    const book = new JobBook(1);
    const first = book.add(makeWork({ adjacent: 1 }), 'n');
    const next = book.add(makeWork({ adjacent: 9 }), 'n');
    expect(next.clean).toBe(true);
    expect([first, next].map((job) => book.find(job.id).state)).toEqual(['stale', 'live']);
  });

  it('R7: pushes live jobs out by those of the same chain and group alone', () => {
    const book = new JobBook(1, { ...JOB_BOOK_LIMITS, live: 2 }, 0);
    const others = [book.add(makeWork({ chainId: 1 }), 'n'), book.add(makeWork({ chainId: 2 }), 'n')];
    const [one = expect.fail()] = others;
    others.push(book.addVariant(one, 1, 0n, false));
    const rolled = Array.from({ length: 50 }, () => book.addVariant(one, 2, 0n, false));
    expect(others.map((job) => book.find(job.id).state)).toEqual(['live', 'live', 'live']);
    expect(rolled.map((job) => book.find(job.id).state)).toEqual([
      ...new Array<string>(48).fill('stale'),
      'live',
      'live',
    ]);
  });

  it('R17: forgets stale jobs by their age', () => {
    let nowMs = 0;
    const book = new JobBook(1, { ...JOB_BOOK_LIMITS, staleMs: 1000 }, undefined, () => nowMs);
    const first = book.add(makeWork({ parent: 1 }), 'n');
    nowMs = 5000;
    const second = book.add(makeWork({ parent: 2 }), 'n');
    nowMs = 5999;
    const third = book.add(makeWork({ parent: 3 }), 'n');
    expect([first, second, third].map((job) => book.find(job.id).state)).toEqual(['stale', 'stale', 'live']);
    nowMs = 6000;
    book.add(makeWork({ parent: 4 }), 'n');
    expect([first, second, third].map((job) => book.find(job.id).state)).toEqual([
      'unknown',
      'stale',
      'stale',
    ]);
  });

  it('R14: names the oldest job that a submit may still count for', () => {
    const book = new JobBook(7, { ...JOB_BOOK_LIMITS, stale: 1 });
    expect(book.oldestNumber).toBe(7);
    for (const parent of [1, 2, 3, 4]) book.add(makeWork({ parent }), 'n');
    expect(book.oldestNumber).toBe(9);
  });

  it('A10: gives no creation time twice, also after its chain was retired', () => {
    let nowMs = 0;
    const book = new JobBook(1, JOB_BOOK_LIMITS, 0, () => nowMs);
    const timeOf = ({ header }: Job): bigint => decodeHeader(header).creationTime;
    const before = book.add(makeWork({}), 'n');
    const times = [timeOf(before)];
    // Ahead of the node's clock, as after a switch to a node whose clock is behind.
    for (let i = 0; i < 256; i++) times.push(timeOf(book.addVariant(before, 0, 0n, false)));
    book.retire(3);
    times.push(timeOf(book.add(makeWork({}), 'n')));
    nowMs = 60_000;
    book.retire(3);
    times.push(timeOf(book.add(makeWork({}), 'n')));
    expect(new Set(times).size).toBe(times.length);
  });

  it('is bounded in every direction', () => {
    const book = new JobBook(1, { live: 2, stale: 2, staleMs: 1000, noncesPerJob: 1 });
    const jobs = Array.from({ length: 5 }, (_, i) => book.add(makeWork({ parent: 1, payload: i }), 'n'));
    expect(jobs.map((job) => book.find(job.id).state)).toEqual(['unknown', 'stale', 'stale', 'live', 'live']);
    const last = jobs[4] ?? expect.fail();
    expect(book.reserve(last, halvesOf(1n))).toBe('reserved');
    expect(book.reserve(last, halvesOf(2n))).toBe('full');
  });
});

describe('nonce', () => {
  it('puts the bridge in the low-order part', () => {
    const nonce2 = nonce2FromHex('456789ABCDEF') ?? expect.fail();
    expect(composeNonce(0x0123 as Nonce1, nonce2)).toBe(0x456789abcdef0123n);
    expect(nonce2FromHex('00f')).toBe(nonce2FromHex('F'));
    for (const text of ['', '0x1', '1234567890abc', ' 1', '１']) expect(nonce2FromHex(text)).toBeUndefined();
    expect(nonce1ToHex(0x38 as Nonce1)).toBe('0038');
  });
});

describe('nonce space', () => {
  it('leases every value once and says when there is none left', () => {
    const space = new NonceSpace(1000);
    const leased = new Set(Array.from({ length: 65_536 }, () => space.lease(0)));
    expect(leased.size).toBe(65_536);
    expect(space.lease(0)).toBeUndefined();
  });

  it('lets a released value rest', () => {
    const space = new NonceSpace(1000);
    for (let i = 0; i < 65_536; i++) space.lease(0);
    space.release(7 as Nonce1, 0);
    expect(space.lease(999)).toBeUndefined();
    expect(space.lease(1000)).toBe(7);
  });

  it('gives a resting value back to the one who asks for it', () => {
    const space = new NonceSpace(1000);
    const mine = space.lease(0) ?? expect.fail();
    expect(space.lease(0, mine)).not.toBe(mine);
    space.release(mine, 0);
    expect(space.lease(1, mine)).toBe(mine);
    expect(() => space.release(9 as Nonce1, 0)).toThrow('0009 is not leased');
  });
});
