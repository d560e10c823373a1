/** The view of nodes, in a real browser, of a bridge whose two nodes come, vote differently and go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../helpers/processes/ports.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { type PageStory, startPageStory, stop } from '../../helpers/web/page-story.js';

const FIVE_VOTES = String(5000n << 32n);

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the view of nodes', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let port: number;
  beforeAll(async () => {
    browser = await useChromium();
    [port = 0] = await freePorts(1);
    const settings = ['--node-urls', `http://127.0.0.1:${port}`, '--work-chains', '10'];
    story = await startPageStory(settings);
    await story.startBridge();
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  it('tells how each is, what it gives, and that they do not vote alike', async () => {
    await using opened = await browser.open(`${story.url}/#/nodes`);
    const { page, faults } = opened;
    await page.evaluate('window.neverReloaded = true');
    const second = page.getByRole('region', { name: `http://127.0.0.1:${port}` });
    await second.getByText('is the node running').waitFor();
    await second.getByText('not known without work').waitFor();
    await page.getByText('None: no node has given work yet.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await story.startNode();
    await page.getByText('rigs work for it now').waitFor();
    await page.getByText('of 10 chains').waitFor();
    await page.getByText('0 blocks, all chains together').waitFor();
    await page.getByText(/^heard .* ago$/).waitFor();
    await page.getByText('fork number 0; 0 votes a chain for the next').waitFor();
    await page.getByText('; it does not vote for that').waitFor();
    const chains = page.getByRole('region', { name: 'Table of chains' });
    await expect.poll(() => chains.getByRole('rowheader').allTextContents()).toEqual([...'0123456789']);

    const other = await story.startNode(['--fork-state', FIVE_VOTES], port);
    await second.getByText('healthy').waitFor();
    await second.getByText('fork number 0; 5 votes a chain').waitFor();
    const warning = page.getByRole('heading', { name: 'Nodes do not vote alike' });
    await warning.waitFor();
    await second.getByText('another node says otherwise').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await stop(other);
    await second.getByText('away').waitFor();
    await warning.waitFor({ state: 'detached' });
    // Why it is away is told on the first view too, though its network is known by now.
    await page.evaluate(`location.hash = '#/'`);
    const line = page.locator('.nodes li').filter({ hasText: `:${port}` });
    await line.getByText('is the node running').waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });
});
