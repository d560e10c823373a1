/** The main faults, on `serve` as operators run it; `test/long/faults-serve.test.ts` has all of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startServeStory } from '../../helpers/stories/serve-story.js';
import { until } from '../../helpers/until.js';

it('a storm of 503, works that hang, and a node that is gone: rigs stay, and work on', async () => {
  await using story = await startServeStory();
  const both = story.taps;

  for (const tap of both) tap.set({ answers: 503 });
  for (const tap of both) tap.cut();
  await until('it says so', async () => (await story.state()) === 'away');
  await sleep(1_000);
  for (const tap of both) tap.heal();
  await story.isWell();

  const hangs = (text: string, path: string): string => (path.includes('/mining/work') ? '' : text);
  for (const tap of both) tap.set({ onAnswer: hangs });
  await until('it says so', async () => (await story.state(await story.active())) === 'stalled');
  for (const tap of both) tap.heal();
  await story.isWell();

  const former = await story.active();
  story.taps[former]?.set({ refuses: true });
  await until('rigs work for the other', async () => (await story.active()) === 1 - former);
  await story.isWell(1 - former);
  expect((await story.summary()).freshness.jobs).toBeGreaterThan(0);
});
