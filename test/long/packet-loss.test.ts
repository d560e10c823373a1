/**
 * Half of all packets lost for a minute. The loss is simulated by a tap, which delays what TCP would send again: to drop
 * real packets takes `tc netem`, which not every kernel has.
 */
import { it } from 'vitest';
import { startStory } from '../helpers/upstream-story.js';

it('half of all packets lost for a minute', async () => {
  await using story = await startStory({ chains: 3, timings: { workTimeoutMs: 2_000 } });
  story.tap.set({ lossRate: 0.5 });
  const untilMs = performance.now() + 60_000;
  while (performance.now() < untilMs) {
    await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  story.tap.heal();
  await story.isWell();
}, 120_000);
