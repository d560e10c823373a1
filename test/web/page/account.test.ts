/** A miner's page: for the operator, and for anonymous users where the pool is public. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { bookEarlierRig } from '../../helpers/books/earlier-books.js';
import { PATIENCE_MS, until } from '../../helpers/until.js';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { bearer, READ } from '../../helpers/web/operators.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { beginWithRig, watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
const REQUEST_KEY = '8VeHS0DJjYzTmVkMcVPd9sHKPHtBcbqPKxN1r1E3r7Q';

describe.skipIf(missing !== undefined)('an account', () => {
  const watched = watchedStory(beginWithRig, ['--web-public']);

  const figure = (page: Page, name: string): Locator =>
    // A sign behind the name asks what it is.
    page.locator('.figure').filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}(\\?|$)`) }) });
  const value = (page: Page, name: string) => figure(page, name).locator('.value').textContent();
  /** `1 059.3184 test coins`. */
  const amount = async (page: Page, name: string): Promise<number> =>
    Number((await value(page, name))?.replace('test coins', '').replace(/\s/g, ''));
  const order = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const json = { ...bearer(await watched.story.adminToken()), 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = body === undefined ? bearer(await watched.story.adminToken()) : json;
    return (await fetch(`${watched.story.url}${path}`, { method, headers, ...sent })).json() as never;
  };

  it.each([
    ['the operator', READ, 'Find a rig or an account', ACCOUNT],
    // The user name of a rig will do.
    ['an anonymous user', '', 'Find an account', `${ACCOUNT}.cellar`],
  ])('is found by %s, and has what a miner looks at', async (_who, token, field, typed) => {
    await using opened = await watched.browser.open(watched.story.url, {}, token);
    const { page, faults } = opened;
    await page.getByLabel(field).fill(` ${typed} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'k:cdcd…cdcd', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/accounts/${encodeURIComponent(ACCOUNT)}`);
    await expect.poll(() => value(page, 'Hash rate'), PATIENT).toMatch(/^[\d.]+\s[kMG]?H\/s$/);
    // Blocks are confirmed after some more: until then it is expected.
    const earned = async () => (await amount(page, 'Expected')) + (await amount(page, 'Due'));
    await expect.poll(earned, PATIENT).toBeGreaterThan(0);
    await expect.poll(() => amount(page, 'Expected a day'), PATIENT).toBeGreaterThan(0);
    await figure(page, 'Expected a day')
      .getByText(/^[\d.\s]+ per\s[kMG]?H\/s$/)
      .waitFor();
    await figure(page, 'Due')
      .getByText(/(^| · )(paid by hand|next payout .+)$/)
      .waitFor();
    await figure(page, 'Due').getByRole('progressbar').waitFor();
    await page.getByRole('rowheader', { name: 'cellar' }).waitFor();
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
    expect(await axeFaults(page)).toEqual([]);
  });

  it('shows what each day brought', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/accounts/${ACCOUNT}`, {}, '');
    const days = opened.page.getByRole('region', { name: 'Earned a day' });
    await days.getByText(/test coins earned$/).waitFor();
    await days.getByText(/^Today [1-9]/).waitFor();
    await days.getByText('As a table').click();
    const today = days.getByRole('row').nth(1);
    expect(await today.textContent()).toMatch(/^\d+ \w+[\d.\s]+test coins$/);
    expect(await days.getByRole('row').count()).toBe(8);
  });

  it('WB21, WB20: calls what is only sent so, with all digits and its request key, on a telephone too', async () => {
    await until('something is due', async () => {
      const { due } = (await order('GET', `/api/v1/accounts/${ACCOUNT}`)) as { due: string };
      return Number(due) > 1;
    });
    const { payout } = (await order('POST', '/api/v1/payouts')) as { payout: { id: string; name: string } };
    const marked = { outcome: 'sent', line: [ACCOUNT], requestKey: REQUEST_KEY };
    await order('POST', `/api/v1/payouts/${payout.id}/mark`, marked);
    const telephone = { viewport: { width: 390, height: 844 } };
    await using opened = await watched.browser.open(
      `${watched.story.url}/#/accounts/${ACCOUNT}`,
      telephone,
      '',
    );
    const { page } = opened;
    const payments = page.getByRole('region', { name: 'Payments', exact: true });
    const row = payments.getByRole('row').filter({ hasText: payout.name });
    await row.getByText('sent', { exact: true }).waitFor();
    expect(await row.textContent()).not.toContain('paid');
    expect(await row.getByTitle(REQUEST_KEY).textContent()).toBe('8VeHS0DJjYzT…1E3r7Q');
    await row.getByRole('button', { name: 'Copy the request key' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const isCut = `Array.from(document.querySelectorAll('.amount, .figure .value, .figure .aside'))
      .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline')
      .map((each) => each.textContent)`;
    expect(await page.evaluate(isCut)).toEqual([]);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('payments.csv');
  });

  it('WB27: is put on hold, told and banned there, and all of it is taken back there', async () => {
    const token = await watched.story.adminToken();
    await using opened = await watched.browser.open(`${watched.story.url}/#/accounts/${ACCOUNT}`, {}, token);
    const { page, faults } = opened;
    const give = async (name: string, fields: Record<string, string>, confirm: string): Promise<void> => {
      const item = page.getByRole('button', { name, exact: true });
      if (!(await item.isVisible())) await page.getByText('Actions', { exact: true }).click();
      await item.click();
      const dialog = page.getByRole('dialog', { name });
      for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      // It closes after each order: what is looked for in it next may be there still.
      await page.locator('details.menu[open]').waitFor({ state: 'hidden' });
    };
    await give('Put payments on hold', { 'Why, for the timeline': 'disputed' }, 'Put on hold');
    await page.getByText('Payments on hold', { exact: true }).waitFor();
    await figure(page, 'Due').getByText('on hold: ask the operator').waitFor();
    await give('Allow payments', { 'Why, for the timeline': 'settled' }, 'Allow');
    await page.getByText('Payments on hold', { exact: true }).waitFor({ state: 'hidden' });
    await give('Set terms', { 'Minimum of a payment': '1234' }, 'Set');
    await figure(page, 'Due')
      .getByText(/^minimum 1\s234 ·/)
      .waitFor();
    await give('Send a message', { 'Message, one line': 'hello' }, 'Send');
    await page.getByText(/^Shown by \d+ of 1\ssession/).waitFor();
    await give('Ban the account', { 'Reason, told to the rig': 'a test' }, 'Ban');
    await page.getByText('Banned', { exact: true }).waitFor();
    await give('Lift the ban', {}, 'Lift');
    await page.getByText('Banned', { exact: true }).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });

  it('is told of an old share what the books know: when it was', async () => {
    await bookEarlierRig(watched.story.database, ACCOUNT, 'long-silent');
    await using opened = await watched.browser.open(`${watched.story.url}/#/accounts/${ACCOUNT}`);
    const row = opened.page.getByRole('row').filter({ hasText: 'long-silent' });
    await row.getByText(/^[56]\sh ago$/).waitFor();
    await row.getByText('offline').waitFor();
  });

  it('that has no shares yet is told what opens it', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/accounts/k:nobody`, {}, '');
    const { page } = opened;
    await page.getByText('No shares of k:nobody yet.').waitFor();
    await page.getByText('The first accepted share opens an account.').waitFor();
    await page.getByLabel('Find an account').fill(ACCOUNT);
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: 'cellar' }).waitFor();
  });

  it('is most of what anonymous users see: totals, blocks, and nothing of rigs and nodes', async () => {
    await using opened = await watched.browser.open(watched.story.url, {}, '');
    const { page, faults } = opened;
    const refused: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 401 && pathname !== '/api/v1/stream') refused.push(pathname);
    });
    await page.reload();
    await page.evaluate('window.neverReloaded = true');
    await expect.poll(() => value(page, 'Rigs'), PATIENT).toMatch(/^1\sconnected$/);
    await page.getByRole('region', { name: 'Last blocks' }).first().waitFor();
    await page.getByRole('region', { name: 'Hash rate', exact: true }).getByRole('slider').waitFor();
    for (const hidden of ['Rigs', 'Nodes'])
      expect(await page.getByRole('heading', { name: hidden, exact: true }).count()).toBe(0);
    const names = await page
      .getByRole('navigation', { name: 'Views' })
      .first()
      .getByRole('link')
      .allInnerTexts();
    expect(names).toContain('Overview');
    expect(names).not.toContain('Rigs');
    expect(await axeFaults(page)).toEqual([]);
    await page.evaluate(`location.hash = '#/accounts/${ACCOUNT}'`);
    await page.getByRole('rowheader', { name: 'cellar' }).waitFor();
    expect(await page.getByText('Actions', { exact: true }).count()).toBe(0);

    await page.evaluate(`location.hash = '#/blocks'`);
    await page.getByRole('heading', { name: 'Blocks', level: 1 }).waitFor();
    await page
      .getByRole('table')
      .getByText(/^(pending|confirmed)$/)
      .first()
      .waitFor();
    await page.evaluate(`location.hash = '#/rigs'`);
    await page.getByText('This is for whoever runs the pool.').waitFor();
    await page.evaluate(`location.hash = '#/'`);
    // It goes on by itself, from one question to the next.
    watched.story.startRig('attic');
    await expect.poll(() => value(page, 'Rigs'), PATIENT).toMatch(/^2\sconnected$/);
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
  });
});
