import { afterAll, beforeAll, expect } from 'vitest';
import { type TestBrowser, useChromium } from './chromium.js';
import { type PageStory, startPageStory } from './page-story.js';

interface WatchedStory {
  readonly browser: TestBrowser;
  readonly story: PageStory;
}

/**
 * A browser and a bridge of the tests around: there from the first to the last of them.
 *
 * @param begin what is to happen before.
 * @param settings of the bridge, as flags.
 */
export function watchedStory(
  begin: (story: PageStory) => Promise<unknown> = beginWithRig,
  settings: readonly string[] = [],
): WatchedStory {
  let browser: TestBrowser | undefined;
  let story: PageStory | undefined;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory(settings);
    await begin(story);
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });
  return {
    get browser() {
      return browser ?? expect.fail('it begins with the first test');
    },
    get story() {
      return story ?? expect.fail('it begins with the first test');
    },
  };
}

/** A node, the bridge, and a rig `cellar`. */
export async function beginWithRig(story: PageStory): Promise<void> {
  await Promise.all([story.startNode(), story.startBridge()]);
  story.startRig('cellar');
}
