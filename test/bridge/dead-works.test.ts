import { expect, it } from 'vitest';
import { DeadWorks } from '../../src/bridge/dead-works.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { makeWork } from '../helpers/rigs/works.js';

const [FIRST, LATER] = [makeWork({ creationTime: 1000n }), makeWork({ creationTime: 2000n })];
const book = new JobBook(1);
const [job, again, elsewhere] = [book.add(FIRST, 'n'), book.add(LATER, 'n'), book.add(FIRST, 'other')];

it('a work that was solved stays dead, at its own node, whatever is handed out', () => {
  const dead = new DeadWorks();
  expect(dead.has(job)).toBe(false);
  dead.add(job, true);
  dead.handedOut(LATER, 'n');
  expect([dead.has(job), dead.has(elsewhere)]).toEqual([true, false]);
});

it('a work that its node forgot lives again when that node hands it out later', () => {
  const dead = new DeadWorks();
  dead.add(job, false);
  for (const [work, node] of [
    [FIRST, 'n'],
    [LATER, 'other'],
  ] as const) {
    dead.handedOut(work, node);
    expect(dead.has(job)).toBe(true);
  }
  dead.handedOut(LATER, 'n');
  expect(dead.has(job)).toBe(false);
});

it('a job of the same payload that came later is alive', () => {
  const dead = new DeadWorks();
  dead.add(job, true);
  expect([dead.has(job), dead.has(again)]).toEqual([true, false]);
});

it('forgets the oldest, so that it holds no more than a thousand or so', () => {
  const dead = new DeadWorks();
  const jobs = Array.from({ length: 1025 }, (_, i) => book.add(FIRST, `node ${i}`));
  for (const each of jobs) dead.add(each, true);
  expect(jobs.filter((each) => !dead.has(each))).toEqual(jobs.slice(0, 1));
});
