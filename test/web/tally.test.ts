import { expect, it } from 'vitest';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { Tally } from '../../src/web/state/tally.js';
import { makeWork } from '../helpers/rigs/works.js';

it('X4: a work is as old as when it came, whatever jobs are made of it since', () => {
  let now = 1_000;
  const events = createBridgeEvents();
  const tally = new Tally(events, { nowMs: () => now });
  const book = new JobBook(1, undefined, 0);
  const job = book.add(makeWork({}), 'n');
  events.emit('job', job);
  now += 60_000;
  const rolled = book.addVariant(job, 0, 0n, false);
  expect([job, rolled].map((one) => one && tally.ageMs(one))).toEqual([60_000, 60_000]);
});
