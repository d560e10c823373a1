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
    const table = page.getByRole('region', { name: 'Table of nodes' });
    const row = (host: string) => table.getByRole('row').filter({ hasText: host });
    const second = row(`127.0.0.1:${port}`);
    await second.getByText('away', { exact: true }).waitFor();
    await table.getByText('is the node running').first().waitFor();
    await page.getByText('No node has given work yet.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await story.startNode();
    const first = table.getByRole('row').filter({ hasText: 'in use' });
    await first.getByText('healthy').waitFor();
    await first.getByText('10', { exact: true }).waitFor();
    await first.getByText(/^(now|.* ago)$/).waitFor();
    // Nothing is voted.
    expect(await table.getByRole('columnheader', { name: 'Fork votes' }).count()).toBe(0);
    await page.getByText('Table of chains').click();
    const chains = page.getByRole('region', { name: 'Table of chains' });
    await expect.poll(() => chains.getByRole('rowheader').allTextContents()).toEqual([...'0123456789']);

    const other = await story.startNode(['--fork-state', FIVE_VOTES], port);
    await second.getByText('healthy').waitFor();
    await second.getByTitle('Votes for fork 1 on each chain').filter({ hasText: '5' }).waitFor();
    const warning = page.getByRole('heading', { name: 'Nodes do not vote alike' });
    await warning.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await stop(other);
    await second.getByText('away', { exact: true }).waitFor();
    await warning.waitFor({ state: 'detached' });
    // Why it is away is told on the first view too, though its network is known by now.
    await page.evaluate(`location.hash = '#/'`);
    const line = page.locator('.node-row').filter({ hasText: `:${port}` });
    await line.getByText('is the node running').waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });
});
