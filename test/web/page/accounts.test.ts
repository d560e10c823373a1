/** The list of accounts: searched by name, a hundred at a time, for who may see it. */
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../helpers/until.js';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u200b';

/** As many as a large pool has, of which only the first page is asked for. */
function manyAccounts(offset: number) {
  const money = { due: '1234567.123456789012', expected: '0.000000000001', paying: '0.000000000000' };
  const accounts = Array.from({ length: 100 }, (_, i) => ({
    account: offset + i === 0 ? HOSTILE : `k:${String(offset + i).padStart(64, '0')}`,
    sessions: 12_000,
    hashRates: [1, 5].map((minutes) => ({ minutes, hashesPerSecond: 9.87e15, standardError: 1e13 })),
    lastShareAt: i % 2 === 0 ? new Date().toISOString() : null,
    money: i === 7 ? null : { ...money, paid: '98765432.100000000000' },
  }));
  return { total: 10_000, offset, limit: 100, accounts, isComplete: false };
}

describe.skipIf(missing !== undefined)('the list of accounts', () => {
  const watched = watchedStory();

  it('has who mines, is searched by name, and leads to the account', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/accounts`);
    const { page, faults } = opened;
    const row = page.getByRole('row').filter({ hasText: 'k:cdcd…cdcd' });
    await row.getByText(/H\/s/).waitFor();
    await page.getByText(/^1\saccount$/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByLabel('Search accounts').fill('CDCD');
    await page.getByText(/^1\saccount found$/).waitFor();
    expect(new URL(page.url()).hash).toBe('#/accounts?q=CDCD');
    await page.getByLabel('Search accounts').fill('nobody');
    await page.getByText('No account has “nobody” in its name.').waitFor();
    await page.getByLabel('Search accounts').fill('');
    await row.getByRole('link').click();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/accounts/${encodeURIComponent(ACCOUNT)}`);
    expect(faults).toEqual([]);
  });

  it.each([390, 960, 1440])('WB20, WB33: cuts no name and no amount of many at %i px', async (width) => {
    await using opened = await watched.browser.open(watched.story.url, { viewport: { width, height: 900 } });
    const { page, faults } = opened;
    await page.route(/\/api\/v1\/accounts\?/, (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      return route.fulfill({ json: manyAccounts(offset) });
    });
    await page.evaluate(`location.hash = '#/accounts'`);
    await page.getByText(/^10\s000\saccounts$/).waitFor();
    // Its letters that cannot be seen are shown by number, and nothing of it is a tag.
    await page.getByText('<img src=x o…').waitFor();
    await page.getByText('The ledger does not answer').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const due = page.getByRole('row').nth(1).locator('.amount').first();
    expect(await due.textContent()).toMatch(/^1\s234\s567\.1234\stest coins$/);
    expect(await due.getAttribute('title')).toBe('1234567.123456789012 test coins');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => page.getByText(/^101–200 of 10\s000$/).count(), PATIENT).toBe(1);
    expect(faults).toEqual([]);
  });
});
