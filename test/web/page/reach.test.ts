/** Who can use the page: by keyboard, by ear, on a telephone, in the dark; and what it may load and keep. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { isLive } from '../../helpers/web/sign-in.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const VIEWS = [
  ...['', '?range=24h', 'rigs', 'rigs?q=nobody-has-this-name', 'nowhere'],
  ...[`rigs/${ACCOUNT}/cellar`, `rigs/${ACCOUNT}/nobody`, `accounts/${ACCOUNT}`, 'accounts/k:nobody'],
  ...['accounts', 'blocks', 'blocks?state=orphaned', 'payouts', 'nodes', 'activity', 'activity?of=payouts'],
  ...['activity?tab=alerts', 'settings', 'settings?q=limits', 'settings/access'],
];

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the page', () => {
  const watched = watchedStory();

  /** Until nothing of the view is awaited any more. */
  const isWhole = async (page: Page): Promise<void> => {
    await isLive(page);
    const text = (): Promise<string> => page.locator('main').innerText();
    await expect.poll(text).not.toMatch(/Waiting for the answer|Loading …/);
  };

  it.each(VIEWS)(
    '#/%s: axe finds no fault in it, light or dark, it needs no scrolling to the side from 360 px on, and asks nobody else',
    async (view) => {
      await using opened = await watched.browser.open(`${watched.story.url}/#/${view}`, {
        colorScheme: 'light',
      });
      const { page, requests, faults } = opened;
      await isWhole(page);
      expect(await axeFaults(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      // Of all that axe looks at, this alone is another than in the light.
      expect(await axeFaults(page, ['color-contrast']), 'in the dark').toEqual([]);
      for (const width of [768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const tooWide = `Math.max(Math.abs(innerWidth - ${width}), document.documentElement.scrollWidth - ${width})`;
        await expect.poll(() => page.evaluate(tooWide), { message: `at ${width} px` }).toBe(0);
      }
      expect(requests.length).toBeGreaterThan(5);
      expect(requests.filter((url) => new URL(url).origin !== watched.story.url)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it('would tell what breaks its policy', async () => {
    await using opened = await watched.browser.open(watched.story.url);
    const { page, faults } = opened;
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
    );
    await expect.poll(() => faults.length).toBe(1);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('is used with the keyboard alone', async () => {
    await using opened = await watched.browser.open(watched.story.url);
    const { page } = opened;
    const focused = expect.poll.bind(null, () =>
      page.evaluate('document.activeElement.innerText || document.activeElement.tagName'),
    );
    const focusedId = expect.poll.bind(null, () => page.evaluate('document.activeElement.id'));
    const hash = expect.poll.bind(null, () => new URL(page.url()).hash);
    const press = async (key: string, times = 1): Promise<void> => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key);
    };
    await isLive(page);
    await press('Tab');
    await focused().toBe('Skip to the content');
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'))
      .toBe('solid');
    await press('Enter');
    await focusedId().toBe('main');
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await isLive(page);
    // Past the name of the pool and the overview.
    await press('Tab', 4);
    await focused().toBe('Rigs');
    await press('Enter');
    const head = page.locator('main th:first-child button');
    await head.waitFor();
    await focusedId().toBe('main');
    await expect.poll(() => page.title()).toBe('Rigs – stratum-bridge');
    // Past the search, what else there is to choose and to save, and the table, which scrolls. On a busy machine there may be
    // troubles to open before.
    const isAtHead = async (): Promise<boolean> =>
      (await page.evaluate('document.activeElement.matches("main th:first-child button")')) as boolean;
    for (let tabs = 0; tabs < 25 && !(await isAtHead()); tabs++) await press('Tab');
    expect(await isAtHead()).toBe(true);
    await press('Enter');
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await press('Space');
    await page.locator('th:first-child[aria-sort="descending"]').waitFor();
    await hash().toMatch(/^#\/rigs\?.*order=desc/);
    expect(await isAtHead()).toBe(true);
  });

  it('keeps the theme that was chosen, and nothing else', async () => {
    await using opened = await watched.browser.open(watched.story.url, { colorScheme: 'light' });
    const { page } = opened;
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.locator('.rail').getByLabel('Theme').selectOption('Dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    expect(await page.locator('.rail').getByLabel('Theme').inputValue()).toBe('dark');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{"theme":"dark"}');
    await page.locator('.rail').getByLabel('Theme').selectOption('System');
    expect(await ground()).toBe(light);
    const kept = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])';
    expect(await page.evaluate(kept)).toBe('[0,0,""]');
  });
});
