/** Who can use the page: by keyboard, by ear, on a telephone, in the dark; and what it may load and keep. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT, type PageStory, startPageStory } from '../../helpers/web/page-story.js';

const VIEWS = [
  ...['', '?range=24h', 'rigs', 'rigs?q=nobody-has-this-name', 'nowhere'],
  ...[`rigs/${ACCOUNT}/cellar`, `rigs/${ACCOUNT}/nobody`, `account/${ACCOUNT}`, 'account/k:nobody'],
  ...['blocks', 'blocks?state=orphaned', 'money', 'nodes', 'events', 'events?of=payouts', 'settings'],
];

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the page', () => {
  let browser: TestBrowser;
  let story: PageStory;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory();
    await Promise.all([story.startNode(), story.startBridge()]);
    story.startRig('cellar');
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const WORDS: Record<string, string | RegExp> = {
    '': 'All rigs: 1',
    rigs: /^1\srig$/,
    '?range=24h': 'All rigs: 1',
    'rigs?q=nobody-has-this-name': /^No rig has “nobody/,
    [`rigs/${ACCOUNT}/cellar`]: /^[\d\s]+ accepted/,
    [`rigs/${ACCOUNT}/nobody`]: /has no rig nobody/,
    [`account/${ACCOUNT}`]: /^[\d\s]+ accepted/,
    'account/k:nobody': /^An account comes into the books/,
    nowhere: 'There is no view',
    blocks: 'Effort on the next block',
    'blocks?state=orphaned': 'There is none of these.',
    money: 'is of blocks that are not confirmed',
    nodes: 'Chains that are mined',
    events: /, bridge 0/,
    'events?of=payouts': 'Nothing of this kind',
    settings: 'stratum.limits.ban',
  };

  it.each(VIEWS)(
    '#/%s: axe finds no fault in it, light or dark, it needs no scrolling to the side from 360 px on, and asks nobody else',
    async (view) => {
      await using opened = await browser.open(`${story.url}/#/${view}`, { colorScheme: 'light' });
      const { page, requests, faults } = opened;
      // Its numbers are there.
      await page
        .getByText(WORDS[view] ?? '')
        .first()
        .waitFor();
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
      expect(requests.filter((url) => new URL(url).origin !== story.url)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it('would tell what breaks its policy', async () => {
    await using opened = await browser.open(story.url);
    const { page, faults } = opened;
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
    );
    await expect.poll(() => faults.length).toBe(1);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('is used with the keyboard alone', async () => {
    await using opened = await browser.open(story.url);
    const { page } = opened;
    const focused = expect.poll.bind(null, () =>
      page.evaluate('document.activeElement.innerText || document.activeElement.tagName'),
    );
    const focusedId = expect.poll.bind(null, () => page.evaluate('document.activeElement.id'));
    const hash = expect.poll.bind(null, () => new URL(page.url()).hash);
    const press = async (key: string, times = 1): Promise<void> => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key);
    };
    await page.getByText('Live', { exact: true }).waitFor();
    await press('Tab');
    await focused().toBe('Skip to the content');
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'))
      .toBe('solid');
    await press('Enter');
    await focusedId().toBe('main');
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await press('Tab', 3);
    await focused().toBe('Rigs');
    await press('Enter');
    // The overview has a table of rigs, too.
    const table = page.getByRole('region', { name: 'Table of rigs' });
    await table.getByRole('columnheader', { name: 'Rig' }).waitFor();
    await focusedId().toBe('main');
    await expect.poll(() => page.title()).toBe('Rigs – stratum-bridge');
    // Past the search, the choice of states, saving and the table, which scrolls, to the head of the first column. On a busy
    // machine there may be troubles to open before.
    const isAtHead = async (): Promise<boolean> =>
      (await page.evaluate('document.activeElement.matches("th:first-child button")')) as boolean;
    for (let tabs = 0; tabs < 8 && !(await isAtHead()); tabs++) await press('Tab');
    expect(await isAtHead()).toBe(true);
    await press('Enter');
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await press('Space');
    await page.locator('th[aria-sort="descending"]').filter({ hasText: 'Rig' }).waitFor();
    await hash().toBe('#/rigs?sort=name&order=desc');
    expect(await isAtHead()).toBe(true);
  });

  it('keeps the theme that was chosen, and nothing else', async () => {
    await using opened = await browser.open(story.url, { colorScheme: 'light' });
    const { page } = opened;
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByLabel('Theme').selectOption('Dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{"theme":"dark"}');
    await page.getByLabel('Theme').selectOption('System');
    expect(await ground()).toBe(light);
    const kept = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])';
    expect(await page.evaluate(kept)).toBe('[0,0,""]');
  });
});
