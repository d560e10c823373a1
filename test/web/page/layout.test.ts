/** Nothing is cut without a sign, and nothing needs scrolling to the side: each view at all widths, with ordinary names and with hostile ones. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../helpers/web/chromium.js';
import { HOSTILE_NAMES } from '../../helpers/web/hostile-names.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const WIDTHS = [360, 390, 480, 600, 640, 768, 900, 960, 1024, 1280, 1440, 1920];
const VIEWS = [
  ...['', 'rigs', 'accounts', 'blocks', 'payouts', 'nodes', 'activity', 'settings'],
  ...[`rigs/${ACCOUNT}/cellar`, `accounts/${ACCOUNT}`],
];

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the page', () => {
  const watched = watchedStory(async (story) => {
    await Promise.all([story.startNode(), story.startBridge()]);
    for (const name of ['cellar', ...HOSTILE_NAMES]) story.startRig(name);
  });

  it.each(VIEWS)('WB20: #/%s: is as wide as the window, and nothing in it is cut', async (view) => {
    await using opened = await watched.browser.open(
      `${watched.story.url}/#/${view}`,
      {},
      await watched.story.adminToken(),
    );
    const { page } = opened;
    await page.locator('main h1').waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined); // a stream stays open
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const faults = async (): Promise<string> => (await faultsAt(page, width)).join('\n');
      await expect.poll(faults, { message: `at ${width} px` }).toBe('');
    }
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('would tell of what is cut, and of what is too wide', async () => {
    await using opened = await watched.browser.open(watched.story.url);
    const { page } = opened;
    await page.locator('main').waitFor();
    const add = (style: string): Promise<unknown> =>
      page.evaluate(
        `{ const box = document.createElement('p'); box.textContent = 'so long a text'; Object.assign(box.style, ${style}); document.querySelector('main').append(box); }`,
      );
    await add(`{ width: '20px', overflow: 'hidden', whiteSpace: 'nowrap' }`);
    expect(await faultsAt(page, 1280)).toEqual([expect.stringContaining('so long a text')]);
    await add(`{ width: '3000px' }`);
    expect(await faultsAt(page, 1280)).toContainEqual(expect.stringContaining('scrolls to the side'));
  });
});

/** What is wrong at this width, in words. */
async function faultsAt(page: Page, width: number): Promise<string[]> {
  return (await page.evaluate(`(${FIND})(${width})`)) as string[];
}

/** Runs in the browser. What scrolls shows its bar and a shade; what is for ears alone has no size. */
const FIND = `(width) => {
  const widest = () => [...document.querySelectorAll('main *')].filter((box) => box.getBoundingClientRect().right > width && !box.closest('.scrolls, details:not([open]) > :not(summary)')).slice(-3).map((box) => ' ' + box.tagName + '.' + box.className + ' ' + box.textContent.slice(0, 40)).join();
  const faults = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > width) faults.push('the page scrolls to the side: ' + scrollWidth + widest(width));
  for (const box of document.querySelectorAll('body *')) {
    const { overflowX, textOverflow, position, clipPath } = getComputedStyle(box);
    const { right, left, width: size } = box.getBoundingClientRect();
    if (size === 0 || clipPath !== 'none' || box.closest('svg, canvas, .uplot, .unseen, dialog, details:not([open]) > :not(summary)')) continue;
    const isCut = overflowX === 'hidden' || overflowX === 'clip';
    if (isCut && textOverflow !== 'ellipsis' && box.scrollWidth > box.clientWidth + 1)
      faults.push('cut: ' + box.className + ' ' + box.textContent.slice(0, 60));
    const scroller = box.closest('.scrolls, .is-tall');
    if (!scroller && position !== 'fixed' && (right > width + 1 || left < -1) && box.childElementCount === 0 && box.textContent.trim() !== '' && position !== 'absolute')
      faults.push('outside: ' + box.className + ' ' + box.textContent.slice(0, 60));
  }
  return faults;
}`;
