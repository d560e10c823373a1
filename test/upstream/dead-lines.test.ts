/** Lines that die without a word, while rigs work: nothing ends, and nothing comes. */
import { expect, it } from 'vitest';
import { startStory } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';

/** Longer than the test waits for anything: what finds out is not one of these. */
const NEVER_MS = 600_000;
/** In earnest 1,200 and 1,500; node, bridge and test share one thread here. */
const BUSY = { busyProbeMs: 200, probeTimeoutMs: 1_000 };

it('CH11: probes that are sent while rigs work find them, and the next work comes over new ones at once', async () => {
  const timings = {
    ...BUSY,
    probeMs: NEVER_MS,
    refreshMs: NEVER_MS,
    silenceMs: NEVER_MS,
    workTimeoutMs: NEVER_MS,
  };
  await using story = await startStory({ timings, upstream: { sessionsOn: () => 1 } });
  const job = await story.freshJob();
  const told = story.reports.length;
  story.tap.freeze();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  // A question over one of the dead lines would have been waited for, and the node been stalled.
  expect(story.reports.slice(told).filter(({ state }) => state !== 'healthy')).toEqual([]);
  await story.isWell();
});

it('CH11: at rest nobody is asked so often', async () => {
  const timings = { ...BUSY, probeMs: NEVER_MS };
  await using story = await startStory({ timings, upstream: { sessionsOn: () => 0 } });
  await story.freshJob();
  const asked = story.tap.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 10 * BUSY.busyProbeMs));
  expect(story.tap.requests.slice(asked).filter((line) => line.includes('/cut'))).toEqual([]);
});
