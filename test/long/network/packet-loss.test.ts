/**
 * Half of all packets lost for a minute. The kernel drops them, in a network of the story's own. Where that cannot be, a tap
 * delays what TCP would send again.
 */
import { expect, it } from 'vitest';
import { runIsolated, whyNotIsolated } from '../../helpers/processes/isolated.js';
import { startStory } from '../../helpers/stories/upstream-story.js';

const LOSS_MS = 60_000;
const whyNot = whyNotIsolated(['ip', 'nft']);
if (whyNot) process.stdout.write(`no packet is really dropped here: ${whyNot}; a tap delays them instead\n`);

it.runIf(whyNot === undefined)(
  'half of all packets dropped for a minute',
  async () => {
    expect(await runIsolated('packetLoss')).toMatch(/packets dropped/);
  },
  180_000,
);

it.skipIf(whyNot === undefined)(
  'half of all packets delayed for a minute as if they were lost',
  async () => {
    await using story = await startStory({ chains: 3 });
    story.tap.set({ lossRate: 0.5 });
    const untilMs = performance.now() + LOSS_MS;
    while (performance.now() < untilMs) {
      await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    story.tap.heal();
    await story.isWell();
  },
  180_000,
);
