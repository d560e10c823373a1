/** An hour of fifty rigs of all kinds in some seconds; test/long has the week of a thousand. */
import { afterAll, beforeAll, it, vi } from 'vitest';
import { hasHeld } from '../helpers/week/verdict.js';
import { WeekStory } from '../helpers/week/week.js';

beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());

it('keeps what each rig was answered for, through losses, restarts, liars and strangers, and holds nothing after', async () => {
  const paces = { stepMs: 20_000, secondsPerShare: 60, lossesAnHour: 5, restarts: [0.3, 0.7] };
  const story = new WeekStory({ seed: 1, rigs: 50, hours: 1, ...paces });
  try {
    await story.run();
    await story.end();
    hasHeld(story);
  } finally {
    await story.close();
  }
});
