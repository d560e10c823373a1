/** The first view, in a real browser, of a real bridge to which things happen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS, until } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { fetchAsReader } from '../../helpers/web/operators.js';
import { type PageStory, startPageStory, stop } from '../../helpers/web/page-story.js';

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
    await seen(page, page.getByText('No shares yet'));
    await seen(page, page.getByText('No rig yet: “Connect a rig” says what to set in one.'));
    const steps = page.getByRole('region', { name: 'From here to the first block' }).getByRole('listitem');
    await expect.poll(() => steps.filter({ hasText: ', not yet' }).count()).toBe(4);
    await shows(page, 'Last block', /^none yet$/);
    expect(await axeFaults(page)).toEqual([]);

    await story.startNode();
    await trouble.getByRole('heading', { name: 'No node gives work' }).waitFor({ state: 'detached' });
    await seen(page, page.getByRole('region', { name: 'Nodes', exact: true }).getByText(/^healthy$/));
    await seen(page, steps.filter({ hasText: 'A node gives work' }).getByText(', done'));

    const rig = story.startRig('cellar');
    const table = page.getByRole('region', { name: 'Rigs to look at, and the fastest' }).getByRole('table');
    await seen(page, table.getByRole('rowheader', { name: 'cellar' }));
    await seen(page, table.getByText(/\d\s[kMG]H\/s ±\s[\d.]+/));
    await shows(page, 'Hash rate', /^[\d.]+\s[kMG]?H\/s$/);
    await shows(page, 'Rigs', /^1\sonline$/);
    await seen(page, page.getByText('all that are known'));
    await seen(page, page.getByText(/^\d+(\.\d)?\s% of shares accepted$/));
    await shows(page, 'Last block', /^(now|\d+\s(s|min) ago)$/);
    await seen(page, page.getByText(/ in 24 h/));
    await shows(page, 'Due to miners', /^\d+(\.\d+)?\stest coins$/);
    // Each of the four has how it went.
    await expect.poll(() => page.locator('.figure .spark').count(), { timeout: PATIENCE_MS }).toBe(4);
    const blocks = page.getByRole('region', { name: 'Table of the last blocks' });
    await seen(page, blocks.getByRole('link', { name: 'cellar' }).first());
    // The newest ones are perhaps found faster than a node is asked for them.
    await seen(page, blocks.getByText(/^(pending|confirmed)$/).first());
    await expect.poll(() => steps.count()).toBe(0);

    await rig.stop();
    await shows(page, 'Rigs', /^0\sonline$/);
    await seen(page, page.getByText(/^1 offline/));
    // It stays in the list, and its age ticks.
    await seen(page, table.getByText(/^\d+\s(s|min|h) ago$/));
    const age = await table.locator('time').textContent();
    await until('time has passed', async () => (await table.locator('time').textContent()) !== age);

    await stop(bridge);
    await seen(page, chip(page, /^Offline$/));
    await seen(page, trouble.getByText(/Is it running\?/));
    await seen(page, trouble.getByText(/^Last heard \d+\s(s|min.*) ago\.$/));
    await seen(page, table.getByRole('rowheader', { name: 'cellar' }));

    expect(await axeFaults(page)).toEqual([]);

    await story.startBridge();
    await seen(page, chip(page, LIVE));
    await trouble.getByRole('heading', { name: 'Offline' }).waitFor({ state: 'detached' });
    // What is counted since the start is counted anew.
    await seen(page, page.getByText('No shares yet'));
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
    await card.getByRole('button', { name: 'WebSocket' }).click();
    expect(await card.getByText(/^ws:/).textContent()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    await card.getByRole('button', { name: 'TCP' }).click();
    await seen(page, card.getByText('takes rigs of its own machine alone'));
    // What stands there for two seconds is written down by the page itself: who looks now and then may miss it.
    await page.evaluate(`
      window.drawn = [];
      new MutationObserver((changes) => {
        for (const { target } of changes) window.drawn.push(target.textContent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    await card.getByRole('button', { name: 'Copy address' }).click();
    await expect.poll(() => page.evaluate('window.drawn')).toContain('Copied');
    // All pages of a browser have one clipboard, and other tests copy too: what one of them put there meanwhile is not meant.
    await expect
      .poll(async () => {
        await card.getByRole('button', { name: 'Copy address' }).click();
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
    await seen(page, chip(page, LIVE));
    await look(page, false);
    await seen(page, chip(page, /^Paused$/));
    const before = requests.length;
    await look(page, true);
    await seen(page, chip(page, LIVE));
    const after = requests.slice(before).map((url) => new URL(url).pathname);
    expect(after.filter((path) => path === '/api/v1/stream')).toHaveLength(1);
  });
});

const LIVE = /^(Connected|No rig mines|Mining|\d+\s)/;

/** The state in the head. */
function chip(page: Page, words: RegExp): ReturnType<Page['locator']> {
  return page.locator('.state-chip').filter({ hasText: words });
}

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

/** Waits until the number of a figure is such a one; behind its name may stand what explains it. */
async function shows(page: Page, name: string, value: RegExp): Promise<void> {
  const figure = page.locator('.figure').filter({ hasText: new RegExp(`^${name}`) });
  await expect
    .poll(async () => ((await figure.locator('.value').textContent()) ?? '').replaceAll('\u202f', ''), {
      timeout: PATIENCE_MS,
      message: `${name} in ${await page.locator('.figures').innerText()}`,
    })
    .toMatch(value);
}
