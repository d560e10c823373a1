/** The first view, in a real browser, of a real bridge to which things happen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS, until } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { fetchAsReader } from '../../helpers/web/operators.js';
import { ACCOUNT, type PageStory, startPageStory, stop } from '../../helpers/web/page-story.js';

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the overview', () => {
  let browser: TestBrowser;
  let story: PageStory;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory();
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  it('tells how a bridge comes to work, is left by its rig, goes away and comes back, without a reload', async () => {
    const bridge = await story.startBridge();
    await using opened = await browser.open(story.url);
    const { page, faults } = opened;
    // Would be gone after a reload.
    await page.evaluate('window.neverReloaded = true');
    const trouble = page.locator('.troubles');

    await seen(page, trouble.getByRole('heading', { name: 'No node gives work' }));
    await seen(page, trouble.getByText(/127\.0\.0\.1:\d+\S* is away: .*is the node running/));
    await seen(page, page.getByText('no shares yet'));
    await seen(page, page.getByText('No rig yet.'));
    await seen(page, page.getByText('No block yet.'));
    await seen(page, page.getByText('No share was booked in this time.'));
    await seen(page, page.getByText('any share may be the first').first());
    await seen(page, page.getByText('a block has to be found first'));
    expect(await axeFaults(page)).toEqual([]);

    await story.startNode();
    await trouble.getByRole('heading', { name: 'No node gives work' }).waitFor({ state: 'detached' });
    await seen(page, page.locator('.nodes').getByText(/^healthy$/));

    const rig = story.startRig('cellar');
    const table = page.getByRole('region', { name: 'Fastest rigs' }).getByRole('table');
    await seen(page, table.getByRole('rowheader', { name: 'cellar' }));
    await seen(page, table.getByRole('cell', { name: ACCOUNT }));
    await seen(page, table.getByText(/\d\s[kMG]H\/s ±\s[\d.]+/));
    await shows(page, 'Hash rate', /^[\d.]+\s[kMG]?H\/s$/);
    await shows(page, 'Rigs online', /^1$/);
    await seen(page, page.getByText(/^of 1 known/));
    await shows(page, 'Shares accepted', /^\d+(\.\d)?\s%$/);
    await seen(page, page.getByText(/^[\d\s]+ of [\d\s]+ since (\d+ \w+, )?\d\d:\d\d/));
    await shows(page, 'Since the last block', /^\d+\s(s|min)/);
    await seen(page, page.getByText(/^a block takes [\d\w\s]+ on average/));
    await shows(page, 'Effort on the next block', /^[\d.]+\s%$/);
    await shows(page, 'Due', /^\d+(\.\d+)?$/);
    // Each of the six has how it went.
    await expect.poll(() => page.locator('.figure .spark').count(), { timeout: PATIENCE_MS }).toBe(6);
    // A block is paid for once it is confirmed, and expected until then.
    await seen(page, page.getByText(/more once blocks are confirmed|can be paid/));
    const blocks = page.getByRole('region', { name: 'Table of the last blocks' });
    await seen(page, blocks.getByRole('link', { name: 'cellar' }).first());
    // The newest ones are perhaps found faster than a node is asked for them.
    await seen(page, blocks.getByText(/^(not confirmed yet|confirmed)$/).first());

    await rig.stop();
    await shows(page, 'Rigs online', /^0$/);
    // It stays in the list, and its age ticks.
    await seen(page, table.getByText(/^\d+\s(s|min|h) ago$/));
    const age = await table.locator('time').textContent();
    await until('time has passed', async () => (await table.locator('time').textContent()) !== age);

    await stop(bridge);
    await seen(page, page.getByRole('status').getByText('Offline', { exact: true }));
    await seen(page, trouble.getByText(/Is it running\?/));
    await seen(page, trouble.getByText(/^Last heard \d+\s(s|min.*) ago\.$/));
    await seen(page, table.getByRole('rowheader', { name: 'cellar' }));

    expect(await axeFaults(page)).toEqual([]);

    await story.startBridge();
    await seen(page, page.getByRole('status').getByText('Live', { exact: true }));
    await trouble.getByRole('heading', { name: 'Offline' }).waitFor({ state: 'detached' });
    // What is counted since the start is counted anew.
    await seen(page, page.getByText('no shares yet'));
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('shows what a rig has to be told, and copies it', async () => {
    await using opened = await browser.open(story.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    const card = page.getByRole('region', { name: 'Connect a rig' });
    const url = await card.getByText(/^stratum\+tcp:/).textContent();
    expect(url).toMatch(/^stratum\+tcp:\/\/127\.0\.0\.1:\d+$/);
    expect(await card.getByText(/^ws:/).textContent()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    await seen(page, card.getByText('takes rigs of its own machine alone'));
    // What stands there for two seconds is written down by the page itself: who looks now and then may miss it.
    await page.evaluate(`
      window.drawn = [];
      new MutationObserver((changes) => {
        for (const { target } of changes) window.drawn.push(target.textContent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    await card.getByRole('button', { name: 'Copy TCP' }).click();
    await expect.poll(() => page.evaluate('window.drawn')).toContain('Copied');
    // All pages of a browser have one clipboard, and other tests copy too: what one of them put there meanwhile is not meant.
    await expect
      .poll(async () => {
        await card.getByRole('button', { name: 'Copy TCP' }).click();
        return page.evaluate('navigator.clipboard.readText()');
      })
      .toBe(url);
    // With the host that the page was asked by.
    await using other = await browser.open(story.url.replace('127.0.0.1', 'localhost'));
    const itsCard = other.page.getByRole('region', { name: 'Connect a rig' });
    expect(await itsCard.getByText(/^stratum\+tcp:/).textContent()).toMatch(
      /^stratum\+tcp:\/\/localhost:\d+$/,
    );
  });

  it('tells of a drain until it is cancelled', async () => {
    await using opened = await browser.open(story.url);
    const { page } = opened;
    const token = await story.adminToken();
    const drain = async (method: 'POST' | 'DELETE'): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init =
        method === 'POST'
          ? { method, headers, body: '{}' }
          : { method, headers: { authorization: headers.authorization } };
      expect((await fetchAsReader(`${story.url}/api/v1/drain`, init)).status).toBe(200);
    };
    await drain('POST');
    const title = page
      .locator('.troubles')
      .getByRole('heading', { name: /^The bridge (drains|is drained): it lets nobody in/ });
    await seen(page, title);
    await seen(page, page.locator('.troubles').getByText(/It was ordered by admin token/));
    await drain('DELETE');
    await title.waitFor({ state: 'detached' });
  });

  it('reads nothing while nobody looks, and goes on when somebody does', async () => {
    await using opened = await browser.open(story.url);
    const { page, requests } = opened;
    const status = (words: string) => page.getByRole('status').getByText(words, { exact: true });
    await seen(page, status('Live'));
    await look(page, false);
    await seen(page, status('Paused'));
    const before = requests.length;
    await look(page, true);
    await seen(page, status('Live'));
    const after = requests.slice(before).map((url) => new URL(url).pathname);
    expect(after.filter((path) => path === '/api/v1/stream')).toHaveLength(1);
  });
});

/** As when another tab is chosen, which a browser without windows does not have. */
async function look(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${!isSeen}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

async function seen(page: Page, what: ReturnType<Page['locator']>): Promise<void> {
  await what
    .first()
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`${error.message}\nthe page shows:\n${await page.locator('body').innerText()}`);
    });
}

/** Waits until the number of a figure is such a one. */
async function shows(page: Page, name: string, value: RegExp): Promise<void> {
  const figure = page.locator('.figure').filter({ has: page.getByText(name, { exact: true }) });
  await expect
    .poll(async () => ((await figure.locator('.value').textContent()) ?? '').replaceAll('\u202f', ''), {
      timeout: PATIENCE_MS,
      message: `${name} in ${await page.locator('.figures').innerText()}`,
    })
    .toMatch(value);
}
