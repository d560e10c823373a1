/** Nodes, in a real browser: how each is, how soon rigs have a job, and which chains have work. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/operations/state.js';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { fetchAsReader } from '../../helpers/web/operators.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();

describe.skipIf(missing !== undefined)('nodes', () => {
  const watched = watchedStory();

  const nodeRow = (page: Page, text: string | RegExp) =>
    page.getByRole('region', { name: 'Table of nodes' }).getByRole('row').filter({ hasText: text });

  it('WB34: says of each what it is, in use or not, and how soon rigs have its work, over time', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/nodes`);
    const { page, faults } = opened;
    const row = nodeRow(page, '127.0.0.1');
    await row.getByText('healthy').waitFor();
    await row.getByText('in use').waitFor();
    // Nothing is voted, and there is one bridge.
    expect(await page.getByRole('columnheader', { name: /Fork votes|Bridge/ }).count()).toBe(0);
    const figure = (name: string) => page.locator('.figure').filter({ hasText: name });
    await figure('Median job delay')
      .getByText(/of the last/)
      .waitFor();
    await figure('99th percentile')
      .getByText(/at most/)
      .waitFor();
    const chart = page.getByRole('region', { name: 'Job delay', exact: true });
    await chart.getByText(/median .* · 99th percentile /).waitFor();
    await chart.getByRole('link', { name: '24 h' }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/nodes?range=24h');
    await expect.poll(() => page.locator('.chain-cell').count()).toBeGreaterThan(0);
    await page.locator('.chain-cell[title*="height"]').first().waitFor();
    await page.getByText('Table of chains').click();
    await page.getByRole('columnheader', { name: 'Age of the work' }).waitFor();
    // Landmarks are of the frame.
    expect((await axeFaults(page)).filter((fault) => !fault.startsWith('region:'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('WB34: of several bridges it says whose a node is, what it lags and lacks, and what nodes vote', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/settings`);
    const { page } = opened;
    const answer = await fetchAsReader(`${watched.story.url}/api/v1/summary`);
    const summary = (await answer.json()) as Summary;
    const [node] = summary.nodes;
    const forks = { number: 1, leastVotes: 120, mostVotes: 180, isNear: false, isPassed: false };
    const two = {
      ...summary,
      bridges: [summary.bridges[0], { ...summary.bridges[0], instance: 7 }],
      nodes: [
        { ...node, cutHeight: 1_000, url: 'https://a-node-with-a-long-name.example.com:1848/chainweb/0.0/x' },
        {
          ...{
            ...node,
            url: 'http://192.0.2.7:1848/chainweb/0.0/x',
            bridge: 7,
            isActive: false,
            cutHeight: 988,
          },
          ...{
            state: 'away',
            reason: 'it cannot be reached',
            forks: { ...forks, isFor: true, agrees: false },
          },
        },
      ],
    };
    const body = `event: snapshot\ndata: ${JSON.stringify(two)}\n\n`;
    await page.route('**/api/v1/stream*', (route) =>
      route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body }),
    );
    await page.goto(`${watched.story.url}/#/nodes`);
    await page.reload();
    const row = nodeRow(page, '192.0.2.7');
    for (const text of ['away', '12 behind', '120 to 180 · for', '7'])
      await row.getByText(text, { exact: true }).waitFor();
    await page.getByText('It cannot be reached.').waitFor();
    await page.getByRole('heading', { name: 'Nodes do not vote alike' }).waitFor();
    // No name is broken into letters, and none is wider than the window.
    for (const width of [1440, 960, 390, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const name = await page.getByRole('row').getByRole('rowheader').first().locator('.long').boundingBox();
      expect(name?.height, `at ${width} px`).toBeLessThan(80);
      const tooWide = 'document.documentElement.scrollWidth - innerWidth';
      await expect.poll(() => page.evaluate(tooWide), { message: `at ${width} px` }).toBe(0);
    }
  });
});
