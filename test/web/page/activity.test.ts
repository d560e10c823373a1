/** What happened, in a real browser, of a bridge that is steered meanwhile; and alerts with who is told. */
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { fetchAsReader } from '../../helpers/web/operators.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();

const AT = '2026-11-22T15:26:37.000Z';
const ALERT = {
  ...{ id: 1, condition: 'rigOffline', about: `${ACCOUNT}.cellar`, severity: 'warning' },
  ...{ says: `rig ${ACCOUNT}.cellar was last heard 9 min ago`, from: AT, until: null, resolvedSays: '' },
};
const ALERTS = {
  alerts: [
    ALERT,
    {
      ...ALERT,
      id: 2,
      until: '2026-11-22T15:36:37.000Z',
      resolvedSays: `rig ${ACCOUNT}.cellar is heard again`,
    },
    ...Array.from({ length: 57 }, (_, i) => ({
      ...{
        ...ALERT,
        id: 3 + i,
        condition: 'blockConfirmed',
        about: `chain ${i}`,
        severity: 'info',
        until: AT,
      },
      says: `the block of chain ${i} at height 46 is confirmed, and pays 2.304523000000`,
    })),
  ],
  ...{ open: 1, next: null, isComplete: true },
  targets: [
    {
      ...{ name: 'ops', type: 'webhook', waiting: 1, delivered: 12, failed: 3, lastDeliveredAt: AT },
      lastFailure: { at: '2026-11-22T15:27:37.000Z', says: 'https://example.com/hook answered 503' },
    },
    {
      name: 'phone',
      type: 'ntfy',
      waiting: 0,
      delivered: 1234,
      failed: 0,
      lastDeliveredAt: AT,
      lastFailure: null,
    },
  ],
};

describe.skipIf(missing !== undefined)('activity', () => {
  const watched = watchedStory(async (story) => {
    await Promise.all([story.startNode(), story.startBridge()]);
  });

  const ban = async (address: string): Promise<void> => {
    const response = await fetchAsReader(`${watched.story.url}/api/v1/bans`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await watched.story.adminToken()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ kind: 'address', address, reason: 'it floods' }),
    });
    expect(response.status).toBe(200);
  };
  const lines = (page: Page) => page.locator('.happenings > li');
  const choose = (page: Page, group: string) =>
    page.getByRole('navigation', { name: 'Kinds of events' }).getByRole('link', { name: group }).click();

  it('shows what happens as it comes, by group, with who ordered it and whole addresses for operators', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/activity`);
    const { page, faults } = opened;
    await page.evaluate('window.neverReloaded = true');
    await lines(page)
      .getByText(/^The bridge is up/)
      .waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await ban('192.0.2.77');
    const banned = lines(page).filter({ hasText: 'An address is banned: it floods' });
    await banned.getByText('192.0.2.77', { exact: true }).waitFor();
    await banned.locator('.chip').getByText(/^by /).waitFor();
    // Once, though the stream has told it too.
    await expect.poll(() => banned.count()).toBe(1);
    await choose(page, 'Payouts');
    await page.getByText('Nothing of this kind').waitFor();
    await choose(page, 'Rigs and bans');
    await banned.waitFor();
    await expect.poll(() => lines(page).count()).toBe(1);
    await page.getByLabel('Since').fill('2999-01-01T00:00');
    await page.getByText('Nothing of this kind, or not since then.').waitFor();
    await page.getByLabel('Since').fill('');
    await banned.waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('WB32: blocks are left out until they are asked for, and then a line each, with the rig by its short name', async () => {
    const rig = watched.story.startRig('cellar');
    await using opened = await watched.browser.open(`${watched.story.url}/#/activity?of=blocks`);
    const { page } = opened;
    const blocks = lines(page).filter({ hasText: /^.*Block \d+ · \d+/ });
    await blocks.first().waitFor();
    await lines(page)
      .filter({ hasText: /found →.*accepted/ })
      .first()
      .waitFor();
    await rig[Symbol.asyncDispose]();
    expect(await page.getByRole('main').innerText()).not.toMatch(/[0-9a-f]{64}/);
    // By its role it would be found only where a minute has too few blocks to be folded.
    await lines(page)
      .locator('a')
      .getByText('cellar', { exact: true })
      .first()
      .waitFor({ state: 'attached' });
    await choose(page, 'Without blocks');
    await lines(page)
      .getByText(/^The bridge is up/)
      .waitFor();
    expect(
      await lines(page)
        .getByText(/Block \d/)
        .count(),
    ).toBe(0);
    expect(
      await lines(page)
        .getByText(/blocks (found|accepted|confirmed)/)
        .count(),
    ).toBe(0);
  });

  it('WB32: what is alike within a minute is one line that opens; all of it is a file, and is paged through', async () => {
    const all = 405;
    for (let i = 0; i < all; i += 45)
      await Promise.all(
        Array.from({ length: 45 }, (_, j) =>
          ban(`198.51.${100 + Math.floor((i + j) / 250)}.${((i + j) % 250) + 1}`),
        ),
      );
    await using opened = await watched.browser.open(`${watched.story.url}/#/activity?of=rigs`);
    const { page } = opened;
    const folds = page.getByText(/^Banned \d+\stimes/);
    await folds.first().click();
    await expect.poll(() => page.locator('details[open] .happenings > li').count()).toBeGreaterThan(3);
    const shown = () => page.locator('.happenings > li:not(:has(details))').count();
    await expect.poll(shown).toBe(400);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const rows = (await text(await file.createReadStream())).trim().split('\r\n');
    expect(rows[0]).toBe('time,kind,says,by,bridge,key');
    expect(rows.filter((row) => row.includes('it floods')).length).toBeGreaterThanOrEqual(all);
    await page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(shown).toBe(rows.length - 1 - 400);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Latest' }).click();
    await expect.poll(shown).toBe(400);
  });

  it('WB27: alerts that are open and past, and whether those who should be told of them are', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/activity`);
    const { page, faults } = opened;
    await page.route('**/api/v1/alerts?limit=200', (route) => route.fulfill({ json: ALERTS }));
    await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Alerts' }).click();
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    const row = (name: string, text: string) => card(name).getByRole('row').filter({ hasText: text });
    await row('Open', 'last heard').getByText('warning').waitFor();
    await row('Open', 'last heard').getByRole('link', { name: 'cellar' }).waitFor();
    await row('Past', 'last heard').getByText('is heard again.').waitFor();
    await row('Past', 'last heard')
      .getByText(/^10\smin$/)
      .waitFor();
    await row('Past', 'Block confirmed')
      .getByText(/^Block confirmed 57\stimes$/)
      .click();
    await row('Past', 'Block confirmed').getByText('2.3045').first().waitFor();
    const ops = row('Who is told', 'ops');
    await ops.getByText('failing').waitFor();
    await ops.getByText('example.com answered 503').waitFor();
    await row('Who is told', 'phone').getByText('works').waitFor();
    // Landmarks are of the frame.
    expect((await axeFaults(page)).filter((fault) => !fault.startsWith('region:'))).toEqual([]);
    for (const width of [960, 390, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await ops.getByText('answered 503').waitFor();
      const tooWide = `document.documentElement.scrollWidth - innerWidth`;
      await expect.poll(() => page.evaluate(tooWide), { message: `at ${width} px` }).toBe(0);
    }
    expect(faults).toEqual([]);
  });
});
