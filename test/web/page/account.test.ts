/** The page of an account, found by its name: for the operator, and for anonymous users where the pool is public. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookEarlierRig } from '../../helpers/books/earlier-books.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { READ } from '../../helpers/web/operators.js';
import { ACCOUNT, type PageStory, startPageStory } from '../../helpers/web/page-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
/** As a proxy passes on who is not on this machine. */

describe.skipIf(missing !== undefined)('an account', () => {
  let browser: TestBrowser;
  let story: PageStory;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory(['--web-public']);
    await Promise.all([story.startNode(), story.startBridge()]);
    story.startRig('cellar');
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const find = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel('Name of an account').fill(name);
    await page.getByRole('button', { name: 'Show the account' }).click();
  };
  const value = (page: Page, name: string) =>
    page
      .locator('.figure')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('.value')
      .textContent();

  it.each([
    ['the operator', READ],
    ['an anonymous user', ''],
  ])('is found by %s, and has what a miner looks at', async (_who, token) => {
    await using opened = await browser.open(story.url, {}, token);
    const { page, faults } = opened;
    // The user name of a rig will do.
    await find(page, ` ${ACCOUNT}.cellar `);
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/account/${encodeURIComponent(ACCOUNT)}`);
    await expect.poll(() => value(page, 'Hash rate'), PATIENT).toMatch(/^[\d.]+\s[kMG]?H\/s$/);
    // Blocks are confirmed after some more: until then it is expected.
    const due = async () => Number(await value(page, 'Expected')) + Number(await value(page, 'Due'));
    await expect.poll(due, PATIENT).toBeGreaterThan(0);
    await expect.poll(() => value(page, 'Paid'), PATIENT).toBe('0');
    await expect.poll(async () => Number(await value(page, 'Expected a day')), PATIENT).toBeGreaterThan(0);
    await page.getByRole('rowheader', { name: 'cellar' }).waitFor();
    await page.getByText('None yet. What is due is paid').waitFor();
    const chart = page.getByRole('region', { name: 'Hash rate', exact: true });
    await chart.getByText('As a table').click();
    await chart
      .getByRole('row')
      .filter({ hasText: /H\/s ±/ })
      .first()
      .waitFor();
    const submits = page.getByRole('region', { name: 'Submits' });
    await submits
      .getByText(/^[\d\s]+ accepted/)
      .first()
      .waitFor();
    await submits.locator('canvas').waitFor();
    expect(faults).toEqual([]);
  });

  it('is told of an old share what the books know: when it was', async () => {
    await bookEarlierRig(story.database, ACCOUNT, 'long-silent');
    await using opened = await browser.open(`${story.url}/#/account/${ACCOUNT}`);
    const row = opened.page.getByRole('row').filter({ hasText: 'long-silent' });
    await row.getByText(/^[56]\sh ago$/).waitFor();
  });

  it('that is not in the books is told what brings it there', async () => {
    await using opened = await browser.open(story.url, {}, '');
    const { page } = opened;
    await find(page, 'k:nobody');
    await page.getByText('No account "k:nobody" is in the books.').waitFor();
    await page.getByText('An account comes into the books with the first accepted share').waitFor();
    await find(page, ACCOUNT);
    await page.getByRole('rowheader', { name: 'cellar' }).waitFor();
  });

  it('is most of what anonymous users see: totals, blocks, and nothing of rigs and nodes', async () => {
    await using opened = await browser.open(story.url, {}, '');
    const { page, faults } = opened;
    const refused: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 401 && pathname !== '/api/v1/stream') refused.push(pathname);
    });
    await page.reload();
    await page.evaluate('window.neverReloaded = true');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => value(page, 'Rigs connected'), PATIENT).toBe('1');
    await page.getByText(/^[\d\s]+ of [\d\s]+ in 24 hours/).waitFor();
    await page.getByRole('region', { name: 'Table of the last blocks' }).waitFor();
    await page.getByRole('region', { name: 'Hash rate of the pool' }).getByRole('slider').waitFor();
    for (const hidden of ['Connect a rig', 'Fastest rigs', 'Nodes'])
      expect(await page.getByRole('heading', { name: hidden }).count()).toBe(0);
    const names = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();
    expect(names).toContain('Overview');
    expect(names).not.toContain('Rigs');
    expect(await axeFaults(page)).toEqual([]);

    await page.evaluate(`location.hash = '#/blocks'`);
    await page.getByRole('heading', { name: 'Blocks', level: 1 }).waitFor();
    await page
      .getByRole('table')
      .getByText(/^(not confirmed yet|confirmed)$/)
      .first()
      .waitFor();
    await page.evaluate(`location.hash = '#/rigs'`);
    await page.getByText('This is for whoever runs the bridge.').waitFor();
    await page.evaluate(`location.hash = '#/'`);
    // It goes on by itself, from one question to the next.
    story.startRig('attic');
    await expect.poll(() => value(page, 'Rigs connected'), PATIENT).toBe('2');
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
  });
});
