/** The system's clock jumps by an hour under a running `serve`, in both directions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { openSystemClock } from '../helpers/processes/system-clock.js';
import { startServeStory } from '../helpers/stories/serve-story.js';
import { until } from '../helpers/until.js';

const HOUR_S = 3_600;

it('an hour ahead, an hour behind, and right again: a word, and nothing else', async ({ skip }) => {
  await using folder = await temporaryFolder();
  const clock = await openSystemClock(folder.path);
  if (!clock) return skip('there is no libfaketime, and it cannot be installed here');
  await using story = await startServeStory(clock.env);
  const reason = async (): Promise<string> =>
    (await story.summary()).nodes.find(({ isActive }) => isActive)?.reason ?? '';
  for (const [aheadS, word] of [
    [HOUR_S, /this machine's clock is 3[56]\d\d s ahead/],
    [-HOUR_S, /this machine's clock is 3[56]\d\d s behind/],
    [0, /^gives work$/],
  ] as const) {
    await clock.set(aheadS);
    await story.isWell();
    await until('a word about it', async () => word.test(await reason()));
    await sleep(5_000);
    await story.isWell();
  }
});
