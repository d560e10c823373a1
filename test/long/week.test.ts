/**
 * A week of a thousand rigs of all kinds in some minutes: what the bridge kept for each is what the rig was answered `true` for,
 * through losses of connections, restarts of the bridge, liars and strangers; and nothing grows from day to day.
 * BRIDGE_TEST_RIGS, BRIDGE_TEST_HOURS and BRIDGE_TEST_SEED set other numbers.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { hasHeld } from '../helpers/week/verdict.js';
import { WeekStory } from '../helpers/week/week.js';

const RIGS = Number(process.env['BRIDGE_TEST_RIGS'] ?? 1_000);
const HOURS = Number(process.env['BRIDGE_TEST_HOURS'] ?? 168);
const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Math.floor(Date.now() / 1000));
const DAY = 24;
/** In the first two days; from the third on one start of the bridge has to hold still. */
const RESTARTS = [5, 12, 20, 30, 40, 44];
const STEADY_FROM_DAY = 3;
/** A day: of a thousand rigs the tenth part of a session each. */
const GROWTH_BYTES = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());

it(`keeps for ${RIGS} rigs over ${HOURS} hours what each was answered for (seed ${SEED})`, async () => {
  const heap: number[] = [];
  const onHour = (hour: number): void => {
    if (hour % DAY !== 0) return;
    collectGarbage();
    heap.push(process.memoryUsage().heapUsed);
    process.stdout.write(`day ${hour / DAY}\n`);
  };
  const paces = { stepMs: 120_000, secondsPerShare: 900, lossesAnHour: 0.1, restarts: RESTARTS };
  const story = new WeekStory({ seed: SEED, rigs: RIGS, hours: HOURS, ...paces, onHour });
  try {
    await story.run();
    await story.end();
    const { kept: _kept, answered: _answered, ...told } = story.result;
    const shown = heap.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ');
    process.stdout.write(`${JSON.stringify(told)}\nheap in MiB by day: ${shown}\n`);
    hasHeld(story);
    const [first = 0, ...later] = heap.slice(STEADY_FROM_DAY - 1);
    if (later.length > 0) expect(((later.at(-1) ?? 0) - first) / later.length).toBeLessThan(GROWTH_BYTES);
  } finally {
    await story.close();
  }
});
