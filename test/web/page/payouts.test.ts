/** Payouts in a real browser, of real books: by a bridge that pays on chain, and by hand. */
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { bookOrders } from '../../../src/ledger/watch/orders.js';
import { openBooksWatch } from '../../../src/ledger/watch/watch.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { useBooks } from '../../helpers/books/books.js';
import { giveMoney } from '../../helpers/books/money.js';
import { accountOf, PayerStory, prepared } from '../../helpers/payouts/payer-story.js';
import {
  axeFaults,
  findChromium,
  type TestBrowser,
  useChromium,
  type WatchedPage,
} from '../../helpers/web/chromium.js';
import { idleBridge } from '../../helpers/web/idle-bridge.js';
import { ADMIN, READ, RULES } from '../../helpers/web/operators.js';

const BUILT = new URL('../../../dist/src/web/', import.meta.url);
const TELEPHONE = { viewport: { width: 390, height: 844 } };
const missing = await findChromium();

/** The page over these books. */
async function pageOf(pool: pg.Pool, connectionString: string) {
  const watch = openBooksWatch({ connectionString, ready: Promise.resolve() });
  const { events, sources: idle } = idleBridge();
  const sources = { ...idle, books: watch };
  const web = await startWebServer({
    ...{ host: '127.0.0.1', port: 0, sources, metrics: createMetrics(events, sources), log: SILENT },
    ...{ payouts: bookOrders({ pool, chains: () => [0, 1, 2] }), access: () => RULES, built: BUILT },
  });
  return {
    url: `${web.url}/#/payouts`,
    [Symbol.asyncDispose]: async () => {
      await web.close();
      await watch.close();
    },
  };
}

/** What is wider than the window, or reaches out of it. */
const tooWide = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Table of payouts' }).getByRole('row').filter({ hasText: name }).first();
const shot = async (page: Page, name: string): Promise<void> => {
  if (process.env['SHOTS'])
    await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true });
};

describe.skipIf(missing !== undefined)('the view of payouts', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await useChromium();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });
  const open = (url: string, token = ADMIN): Promise<WatchedPage> => browser.open(url, TELEPHONE, token);

  it('WB21, WB22: approves a payout on a telephone, and follows it until it is settled', async () => {
    await using story = await PayerStory.open();
    await using web = await pageOf(story.pool, story.connectionString);
    story.pay({ rules: { payoutMode: 'approve' } });
    // More than a chain has: it is paid on two.
    await story.owe({ 1: '5.123456789', 2: '1234.5' });
    const { id, hash } = await prepared(story);
    const name = await nameOf(story.pool, id);
    await using opened = await open(web.url);
    const { page, faults } = opened;
    await row(page, name).getByText('to approve').waitFor();
    await shot(page, 'approve-390');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: `Approve ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(accountOf(2).slice(-4)).first().waitFor();
    await dialog.getByText(hash, { exact: true }).waitFor();
    await shot(page, 'approve-dialog-390');
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve these lines' }).click();
    await page.getByText(`Payout ${name} is approved.`).waitFor();
    await row(page, name).getByText('3 sent').waitFor();
    await row(page, name).getByText('under way').waitFor();

    await page.getByRole('button', { name: `Payout ${name}` }).click();
    const lines = page.getByRole('table', { name: `Lines of payout ${name}` });
    await expect.poll(() => lines.locator('.state').allTextContents()).toEqual(['sent', 'sent', 'sent']);
    await expect.poll(() => lines.getByText('Request key').count()).toBe(3);
    await shot(page, 'sent-390');
    expect(await page.getByText(/^paid$/).count()).toBe(0);
    // State, evidence and what copies it are in the window.
    for (const what of [
      lines.locator('.state'),
      lines.getByRole('button', { name: 'Copy the request key' }),
    ]) {
      const box = await what.first().boundingBox();
      expect(box?.width).toBeGreaterThan(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    expect(await tooWide(page)).toBe(0);

    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await row(page, name).getByText('3 in a block').waitFor();
    await row(page, name).getByText('settled').waitFor();
    await expect
      .poll(() => lines.locator('.state').allTextContents())
      .toEqual(['confirmed', 'confirmed', 'confirmed']);
    await lines
      .getByText(/in block \d+/)
      .first()
      .waitFor();
    await shot(page, 'settled-390');
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('WB14: sends the hash that was on the screen when the dialog was opened', async () => {
    await using story = await PayerStory.open();
    await using web = await pageOf(story.pool, story.connectionString);
    story.pay({ rules: { payoutMode: 'approve' } });
    await story.owe({ 1: '5' });
    const { id, hash } = await prepared(story);
    const name = await nameOf(story.pool, id);
    await using opened = await open(web.url);
    const { page } = opened;
    await page.getByRole('button', { name: `Approve ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(hash, { exact: true }).waitFor();
    const other = 'ab'.repeat(32);
    await page.route(/only=open/, async (route) => {
      const response = await route.fetch();
      const said = await response.text();
      await route.fulfill({ response, body: said.replaceAll(hash, other) });
    });
    await dialog.getByText('It has other lines by now.').waitFor();
    expect(await dialog.getByText(other).count()).toBe(0);
    const [request] = await Promise.all([
      page.waitForRequest(/\/approve$/),
      dialog.getByRole('button', { name: 'Approve these lines' }).click(),
    ]);
    expect(request.postDataJSON()).toEqual({ hash });
  });

  it('pauses payments, says so first of all, and resumes them', async () => {
    await using story = await PayerStory.open();
    await using web = await pageOf(story.pool, story.connectionString);
    story.pay();
    await story.owe({ 1: '5' });
    await story.mineUntil('1 paid');
    await using opened = await open(web.url);
    const { page } = opened;
    await page.getByRole('region', { name: 'Payouts' }).getByText('More').click();
    await page.getByRole('button', { name: 'Pause payments' }).click();
    await page.getByLabel('Why').fill('audit');
    await page.getByRole('button', { name: 'Pause them' }).click();
    const paused = page.getByRole('region', { name: 'Payments are paused' });
    await paused.getByText(/^By order: .*audit.* Resume when the reason for it is over\.$/).waitFor();
    await shot(page, 'paused-390');
    expect(await axeFaults(page)).toEqual([]);
    await paused.getByRole('button', { name: 'Resume payments' }).click();
    await page.getByLabel('Why').fill('checked');
    await page.getByRole('button', { name: 'Resume them' }).click();
    await paused.waitFor({ state: 'detached' });
    await page.getByText('Payments go on.').waitFor();
  });

  describe('by hand', () => {
    const books = useBooks();
    const ACCOUNT = accountOf(7);
    beforeAll(async () => {
      await writeFirstRules(books.pool, REWARD_RULES, 'a test');
      await giveMoney(books.pool, ACCOUNT, parseAmount('1234.567890123') ?? 0n);
    });

    it('tells who may not order what to do', async () => {
      await using web = await pageOf(books.pool, books.connectionString);
      await using opened = await open(web.url, READ);
      const { page } = opened;
      await page.getByText('No payout yet.').waitFor();
      await page.getByText('Sign in with a token that approves').waitFor();
      expect(await page.getByRole('button', { name: 'Prepare a payout' }).count()).toBe(0);
      expect(await axeFaults(page)).toEqual([]);
    });

    it('WB20, WB21: is prepared, downloaded, cancelled, and another one sent and seen', async () => {
      await using web = await pageOf(books.pool, books.connectionString);
      await using opened = await open(web.url);
      const { page, faults } = opened;
      const orders: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') orders.push(new URL(request.url()).pathname);
      });
      const owed = page.locator('.figure').filter({ hasText: 'Owed now' }).locator('.amount').first();
      await expect.poll(() => owed.getAttribute('title')).toBe('1234.567890123 coins');
      expect(await owed.textContent()).toBe('1\u202f234.5678 coins');
      await page.getByRole('button', { name: 'Prepare a payout' }).click();
      await page.getByText('Nothing is sent: you pay it').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(orders).toEqual([]);
      await page.getByRole('button', { name: 'Prepare a payout' }).click();
      await page.getByRole('button', { name: 'Prepare it' }).click();
      await page.getByText('Pay it with your wallet', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Mark the payment to/ }).waitFor();
      await shot(page, 'by-hand-390');
      expect(await axeFaults(page)).toEqual([]);
      expect(await tooWide(page)).toBe(0);
      expect(await download(page, 'CSV')).toMatch(
        new RegExp(`^batch,account,amount,chain\r\n[0-9a-f]{5}-\\d+,${ACCOUNT},1234.567890123000,\r\n$`),
      );
      const json = JSON.parse(await download(page, 'JSON'));
      expect(json).toMatchObject({ state: 'prepared', accounts: 1, lines: [{ account: ACCOUNT }] });

      const dialog = page.getByRole('dialog');
      const mark = async (name: RegExp, outcome: string, note: string, requestKey = ''): Promise<void> => {
        await page.getByRole('button', { name }).click();
        await dialog.getByLabel('What became of it').selectOption(outcome);
        await dialog.getByLabel('Note').fill(note);
        if (requestKey !== '') await dialog.getByLabel('Request key').fill(requestKey);
        await dialog.getByRole('button', { name: 'Mark it' }).click();
      };
      await mark(/^Mark payout/, 'failed', 'the wallet was closed');
      await page.getByText('Note: the wallet was closed').waitFor();
      await page.locator('.state.is-failed').first().waitFor();

      await page.getByRole('button', { name: 'Prepare a payout' }).click();
      await page.getByRole('button', { name: 'Prepare it' }).click();
      await mark(/^Mark payout/, 'sent', 'tx 1234');
      await page.getByText('Note: tx 1234').waitFor();
      const lines = page.getByRole('table', { name: /^Lines of payout/ });
      await expect.poll(() => lines.locator('.state').allTextContents()).toEqual(['sent']);
      expect(await page.locator('.state').getByText('settled').count()).toBe(0);
      await shot(page, 'by-hand-sent-390');
      await mark(/^Mark the payment to/, 'confirmed', 'seen', 'a-key-of-the-wallet');
      await expect.poll(() => lines.locator('.state').allTextContents()).toEqual(['confirmed']);
      await page.locator('.state').getByText('settled').waitFor();
      await lines.getByText('Request key').waitFor();
      const marked = expect.stringMatching(/^\/api\/v1\/payouts\/\d+\/mark$/);
      expect(orders).toEqual(['/api/v1/payouts', marked, '/api/v1/payouts', marked, marked]);
      expect(faults).toEqual([]);
    });
  });
});

async function nameOf(pool: pg.Pool, id: string): Promise<string> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM payout WHERE id = $1', [id]);
  return rows[0]?.name ?? '';
}

async function download(page: Page, form: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download ${form}` }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^payout-[0-9a-f]{5}-\\d+\\.${form.toLowerCase()}$`));
  return text(await file.createReadStream());
}
