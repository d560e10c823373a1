/** Blocks and money, in a real browser, of a real bridge: from no block to a payout that is marked, without a reload. */

import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { ask } from '../../helpers/books/ask-postgres.js';
import { bookEarlierBlocks } from '../../helpers/books/earlier-books.js';
import { until } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT, type PageStory, startPageStory } from '../../helpers/web/page-story.js';
import { signIn } from '../../helpers/web/sign-in.js';

const missing = await findChromium();
/** Of the view of blocks. */
const PAGE_ROWS = 25;

describe.skipIf(missing !== undefined)('blocks and money', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let endMining: () => Promise<void>;
  /** In some seconds, in which the page shows them too. */
  const newBlocks = async (): Promise<number> => {
    const count = async (): Promise<number> =>
      Number(await ask({ connectionString: story.database }, `SELECT count(*) FROM ${SCHEMA}.block`));
    const before = await count();
    await pause(4_000);
    return (await count()) - before;
  };
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory(['--chain-depth', '1', '--payouts-minimum', '0.001']);
    await Promise.all([story.startNode(), story.startBridge()]);
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const rows = (page: Page, label: string) =>
    page.getByRole('region', { name: label, exact: true }).getByRole('rowheader');
  const open = async (view: string) => {
    const opened = await browser.open(`${story.url}/#/${view}`);
    await opened.page.getByText('Live', { exact: true }).waitFor();
    return opened;
  };

  it('come on the page as they are found, with who gets what of each', async () => {
    await using opened = await open('blocks');
    const { page, faults } = opened;
    await page.evaluate('window.neverReloaded = true');
    await page.getByText('No block yet.').waitFor();
    await page.getByText('any share may be the first').waitFor();
    // Whatever is chosen of the list, there is none yet.
    const show = page.getByRole('combobox', { name: 'Show' });
    await show.selectOption('refused');
    await page.getByText('There is none of these.').waitFor();
    await page.locator('.value').getByText('none yet', { exact: true }).waitFor();
    await show.selectOption('');
    await page.getByText('No block yet.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    const rig = story.startRig('cellar');
    let ended: Promise<void> | undefined;
    endMining = () => (ended ??= rig.stop());
    await rows(page, 'Table of blocks').first().waitFor();
    await page.getByText('No block yet.').waitFor({ state: 'detached' });
    await page.getByText(/^a block takes .* on average, at the rate of the last hour$/).waitFor();
    await page
      .getByRole('cell', { name: /^not confirmed yet/ })
      .first()
      .waitFor();

    await page
      .getByRole('region', { name: 'Table of blocks' })
      .getByRole('link', { name: 'cellar' })
      .first()
      .waitFor();
    await page.getByRole('row', { name: 'confirmed' }).first().waitFor();
    await endMining();
    // What is booked yet of what was mined pushes older ones off the page, also one that is open.
    await expect.poll(newBlocks).toBe(0);
    // The newest. Of one that is split the effort is known.
    await page
      .getByRole('row', { name: /confirmed.*%/ })
      // What a pending block would bring is split as well, and it may stay pending: nobody mines on it any more.
      .filter({ hasNotText: 'not confirmed yet' })
      .first()
      .getByRole('button')
      .click();
    const split = page.getByRole('region', { name: /^Split of block/ });
    await split.getByRole('rowheader', { name: ACCOUNT }).waitFor();
    await split.getByRole('row', { name: /the operator .* 1\.0\s%/ }).waitFor();
    await page.getByText('Split by pplns, with a fee of 1.0').waitFor();
    await page.getByText('It is in the balances.').waitFor();
    // Of which a telephone has no room in the table.
    await page
      .locator('.below dd')
      .getByText(/^[\d.]+\s% of what a block takes on average$/)
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('are chosen by state, and paged through', async () => {
    await bookEarlierBlocks(story.database, PAGE_ROWS);
    await using opened = await open('blocks');
    const { page } = opened;
    await page.getByRole('combobox', { name: 'Show' }).selectOption('confirmed');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/blocks?state=confirmed');
    await expect
      .poll(() =>
        page
          .locator('td .state')
          .allTextContents()
          .then((states) => [...new Set(states)]),
      )
      .toEqual(['confirmed']);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('refused');
    await page.getByText('There is none of these.').waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('');
    const link = page
      .getByRole('navigation', { name: 'Pages of blocks' })
      .getByRole('link', { name: 'Older' });
    await link.waitFor();
    await endMining();
    await page.setViewportSize({ width: 1280, height: 300 });
    await link.click();
    await expect.poll(() => page.url()).toMatch(/#\/blocks\?before=\d+$/);
    // The link is at the end of the table, and the next page is read from its beginning.
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await expect.poll(() => rows(page, 'Table of blocks').count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Latest' }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/blocks');
    await expect.poll(() => rows(page, 'Table of blocks').count()).toBe(PAGE_ROWS);
    // A solution that was under way when mining ended may have begun the round anew.
    const ageRound = `UPDATE ${SCHEMA}.settlement SET round_since = now() - interval '26 hours 5 minutes' RETURNING 1`;
    const since = page.locator('.figure').filter({ hasText: 'Since the last block' }).locator('.value');
    await expect
      .poll(async () => {
        await ask({ connectionString: story.database }, ageRound);
        return since.textContent();
      })
      .toBe('1\u00a0d 2\u00a0h');
  });

  it('show what is due, and tell who has no token what to do', async () => {
    await using opened = await open('money');
    const { page } = opened;
    await rows(page, 'Table of accounts').getByText(ACCOUNT).waitFor();
    await until('something is due', async () => (await dueOf(page)) > 0);
    await page.getByText('None yet. A payout takes').waitFor();
    await page.getByText('with a token that approves').waitFor();
    expect(await page.getByRole('button', { name: 'Prepare a payout' }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
  });

  it('are paid out by orders, each asked about before, and each once', async () => {
    await using opened = await open('money');
    const { page, faults } = opened;
    const orders: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') orders.push(new URL(request.url()).pathname);
    });
    await signIn(page, await story.adminToken());
    await until('something is due', async () => (await dueOf(page)) > 0);

    await page.getByRole('button', { name: 'Prepare a payout' }).click();
    await page.getByText('Nothing is sent: you pay it').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing is sent: you pay it').waitFor({ state: 'detached' });
    expect(orders).toEqual([]);
    await page.getByRole('button', { name: 'Prepare a payout' }).click();
    await page.getByRole('button', { name: 'Prepare it' }).click();
    await rows(page, 'Table of payouts').first().waitFor();
    const lines = page.getByRole('region', { name: /^Lines of payout/ });
    await lines.getByRole('rowheader', { name: ACCOUNT }).waitFor();
    const total = await lines.getByRole('cell').first().textContent();
    expect(Number(total)).toBeGreaterThan(0);
    // A block may have been confirmed since.
    await expect.poll(() => dueOf(page)).toBeLessThan(Number(total));
    expect(await axeFaults(page)).toEqual([]);

    expect(await download(page, 'CSV')).toMatch(
      new RegExp(`^batch,account,amount\r\n[0-9a-f]{5}-\\d+,${ACCOUNT},${total}0*\r\n$`),
    );
    const json = JSON.parse(await download(page, 'JSON'));
    expect(json).toMatchObject({ state: 'prepared', accounts: 1, lines: [{ account: ACCOUNT }] });

    await page.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByLabel('Why').fill('the wallet was closed');
    await page.getByRole('button', { name: 'Nothing was sent' }).click();
    await page.locator('.state.is-failed').getByText('cancelled').waitFor();
    await page.getByText('Note: the wallet was closed').waitFor();
    await until('it is due again', async () => (await dueOf(page)) > 0);

    await page.getByRole('button', { name: 'Prepare a payout' }).click();
    await page.getByRole('button', { name: 'Prepare it' }).click();
    await page.getByRole('button', { name: /^Mark as paid/ }).click();
    await page.getByLabel('Transaction').fill('tx 1234');
    await page.getByRole('button', { name: 'It is paid' }).click();
    await page.locator('.state.is-sent').getByText('paid').waitFor();
    await page.getByText('Note: tx 1234').waitFor();
    await page.getByRole('button', { name: /^Mark as paid/ }).waitFor({ state: 'detached' });
    expect(orders).toEqual([
      '/api/v1/payouts',
      expect.stringMatching(/^\/api\/v1\/payouts\/\d+\/mark$/),
      '/api/v1/payouts',
      expect.stringMatching(/^\/api\/v1\/payouts\/\d+\/mark$/),
    ]);
    expect(faults).toEqual([]);
  });
});

/** The second cell of the account, `Due`. */
async function dueOf(page: Page): Promise<number> {
  const row = page.getByRole('region', { name: 'Table of accounts' }).getByRole('row').nth(1);
  return Number(await row.getByRole('cell').first().textContent());
}

async function download(page: Page, form: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download ${form}` }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^payout-[0-9a-f]{5}-\\d+\\.${form.toLowerCase()}$`));
  return text(await file.createReadStream());
}
