/** A job of all fronts is counted once, with the time to the last of them. */
import { expect, it } from 'vitest';
import type { JobDelay } from '../../src/bridge/events.js';
import { JobDelays } from '../../src/fleet/watch/job-delays.js';

const delay = (chainIds: readonly number[], delayMs: number, causedAtMs: number, clean = true): JobDelay => ({
  ...{ chainIds, clean, delayMs, causedAtMs },
});

it('is told once that a job has reached the last front, with the longest time', () => {
  const delays = new JobDelays();
  delays.add(delay([3], 5, 1000), 0);
  delays.add(delay([3], 40, 1000.4), 900);
  delays.add(delay([3], 7, 1000.2), 950);
  // Another chain, another kind, another time, all chains of a node.
  delays.add(delay([4], 1, 1000), 0);
  delays.add(delay([3], 2, 1000, false), 0);
  delays.add(delay([3], 3, 1300), 0);
  delays.add(delay([3, 4], 4, 1000), 2000);
  expect(delays.take(2000)).toEqual([]);
  expect(delays.take(2500).map(({ delayMs }) => delayMs)).toEqual([40, 3, 1, 2]);
  expect(delays.take(4500).map(({ delayMs }) => delayMs)).toEqual([4]);
  expect(delays.take(9000)).toEqual([]);
});

it('keeps no more than so many, and has room again for others', () => {
  const delays = new JobDelays();
  for (let i = 0; i < 3000; i++) delays.add(delay([i], i, 0), 0);
  expect(delays.take(2500)).toHaveLength(1000);
  delays.add(delay([5], 1, 0), 3000);
  expect(delays.take(6000)).toHaveLength(1);
});
