/** Blocks in a real browser: what is normal in a line, the last ones at a glance, and each with its split. */
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Blocks } from '../../../src/operations/books/blocks.js';
import { bookEarlierBlocks } from '../../helpers/books/earlier-books.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { findChromium } from '../../helpers/web/chromium.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
/** More than the strip has. */
const EARLIER_BLOCKS = 120;
const DAY_MS = 86_400_000;

describe.skipIf(missing !== undefined)('blocks', () => {
  const watched = watchedStory(
    async (story) => {
      await Promise.all([story.startNode(), story.startBridge()]);
      await bookEarlierBlocks(story.database, EARLIER_BLOCKS);
      story.startRig('cellar');
    },
    ['--web-public'],
  );

  const table = (page: Page) => page.getByRole('table', { name: 'Table of blocks' });
  const chip = (page: Page, of: string, name: string) =>
    page.getByRole('navigation', { name: of, exact: true }).getByRole('link', { name, exact: true });
  const addressed = (page: Page) => Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));

  it('WB28, WB31: one line says whether it is normal, and no effort that the books are too late for', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks`);
    const { page, faults } = opened;
    const card = page.getByRole('region', { name: 'Last 100 blocks' });
    await card.getByText(/^Luck \d+\s% ±\s\d+\s% over \d+\sblocks$/).waitFor();
    await card.getByText(/^Last one .* ago$/).waitFor();
    await card.getByText(/^One takes (less than a second|\d+\ss) on average$/).waitFor();
    expect(await card.getByText('Effort since').count()).toBe(0);
    expect(await page.locator('.figures').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('WB31: effort is told where a block takes longer; days part what is older than today', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/nodes`);
    const { page } = opened;
    await page.route('**/api/v1/blocks?limit=100', async (route) => {
      const answer = (await (await route.fetch()).json()) as Blocks;
      const [first, ...others] = answer.blocks;
      const older = others.map((block, i) => ({
        ...block,
        foundAt: new Date(Date.now() - (3 + Math.floor(i / 10)) * DAY_MS).toISOString(),
      }));
      const sinceLast = { ...answer.sinceLast, effort: 1.23, blockDifficulty: 1e15 };
      await route.fulfill({ json: { ...answer, blocks: [first, ...older], sinceLast } });
    });
    await page.goto(`${watched.story.url}/#/blocks`);
    await page.getByText(/^Effort since the last one 123\s%$/).waitFor();
    // 25 rows: of today, and of three days.
    await expect.poll(() => table(page).locator('tr.group').count(), PATIENT).toBe(3);
    expect(await table(page).locator('tr.group').first().innerText()).toMatch(/^\d+ [A-Z][a-z]+/);
  });

  it('each of the last hundred leads to its row, which opens in place', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks`);
    const { page, faults } = opened;
    const strip = page.getByRole('list', { name: 'Last blocks, the latest first' });
    const squares = strip.getByRole('link', { name: /^block \d+ of chain \d+, [a-z ]+, .*(ago|now)$/ });
    await expect.poll(() => squares.count(), PATIENT).toBe(100);
    const words = await squares.nth(60).getAttribute('title');
    await squares.nth(60).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => addressed(page)['open'], PATIENT).toMatch(/^\d+$/);
    const { open, before } = addressed(page);
    expect(Number(before)).toBe(Number(open) + 1);
    const row = table(page).getByRole('row').nth(1);
    const [, height, chain] = /block (\d+) of chain (\d+)/.exec(words ?? '') ?? [];
    const opener = row.getByRole('button', { name: new RegExp(`Block ${chain} · ${height}$`) });
    await expect.poll(() => opener.getAttribute('aria-expanded'), PATIENT).toBe('true');
    await table(page).getByText('How it was split').waitFor();
    await opener.click();
    await expect.poll(() => opener.getAttribute('aria-expanded'), PATIENT).toBe('false');
    expect(addressed(page)['open']).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('WB34: says once how deep it is, and how it is split', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks?state=pending`);
    const { page } = opened;
    await table(page)
      .getByText(/^\d of 6$/)
      .first()
      .waitFor();
    await chip(page, 'State', 'confirmed').click();
    await expect.poll(() => addressed(page)['state'], PATIENT).toBe('confirmed');
    const row = table(page).getByRole('row').nth(1);
    await row.getByText('confirmed', { exact: true }).waitFor();
    await row.getByText(/^[\d.]+\stest coins$/).waitFor();
    await row.getByRole('button').click();
    const detail = page.locator('.block-detail');
    await detail.getByRole('button', { name: 'Copy the hash' }).waitFor();
    await detail.getByText(/^Split by pplns, with a fee of/).waitFor();
    const split = detail.getByRole('table', { name: /^Split of block/ });
    await split
      .getByRole('cell', { name: /^\d[\d.]*\s%$/ })
      .first()
      .waitFor();
    await split
      .getByText(/test coins$/)
      .first()
      .waitFor();
    expect(await detail.innerText()).not.toContain('once');
  });

  it('are listed by state and chain, a page after another, and saved', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks`);
    const { page } = opened;
    await chip(page, 'State', 'orphaned').click();
    await chip(page, 'Chain', '0').click();
    await expect.poll(() => addressed(page), PATIENT).toEqual({ state: 'orphaned', chain: '0' });
    const rows = table(page).getByRole('row').filter({ hasText: 'orphaned' });
    await expect.poll(() => rows.count(), PATIENT).toBe(25);
    await page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(() => addressed(page)['before'], PATIENT).toMatch(/^\d+$/);
    await page.getByRole('link', { name: 'Latest' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await text(await (await saved).createReadStream());
    const [head, ...lines] = file.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,foundAt,chainId,height,state,/);
    expect(lines.length).toBeGreaterThanOrEqual(EARLIER_BLOCKS);
    expect(lines.filter((line) => !line.includes(',orphaned,'))).toEqual([]);
    await page.getByText('Saved as blocks.csv').waitFor();
    await chip(page, 'State', 'disowned').click();
    await page.getByText('No such block.').waitFor();
  });

  it('are shown to anonymous users without who found them, and who is paid', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks?state=confirmed`, {}, '');
    const { page, requests, faults } = opened;
    await table(page).getByText('confirmed', { exact: true }).first().waitFor();
    await page.getByRole('region', { name: 'Effort', exact: true }).locator('canvas').waitFor();
    expect(await table(page).getByRole('columnheader', { name: 'Found by' }).count()).toBe(0);
    await table(page).getByRole('button').first().click();
    await page.locator('.block-detail').getByRole('button', { name: 'Copy the hash' }).waitFor();
    expect(await page.locator('.block-detail').getByText('How it was split').count()).toBe(0);
    expect(requests.filter((url) => url.includes('/split'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('are drawn over time, orphaned ones apart', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/blocks`);
    const { page } = opened;
    const chart = page.getByRole('region', { name: 'Blocks found', exact: true });
    await chart.getByText(/^[\d\s]+ blocks · 12\d orphaned/).waitFor();
    await chart.locator('canvas').waitFor();
    const effort = page.getByRole('region', { name: 'Effort', exact: true });
    await effort.getByText(/^\d+\s% at \d\d:\d\d · \d+\s% to \d+\s%/).waitFor();
    await chart.getByRole('link', { name: '7 d' }).click();
    await expect.poll(() => addressed(page)['range'], PATIENT).toBe('7d');
  });
});
