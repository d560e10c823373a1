/** The page of a rig: how it mines, that it goes away and comes back, and orders to it, by who has the token. */
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { said } from '../../helpers/web/said.js';
import { signIn } from '../../helpers/web/sign-in.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };

describe.skipIf(missing !== undefined)('the page of a rig', () => {
  let cellar: SteadyRig;
  const watched = watchedStory(async (story) => {
    await Promise.all([story.startNode(), story.startBridge()]);
    cellar = story.startRig('cellar');
  });

  const figure = (page: Page, name: string) =>
    page.locator('.figure').filter({ has: page.locator('dt').filter({ hasText: new RegExp(`^${name}`) }) });
  const head = (page: Page) => page.getByRole('region', { name: 'The rig' });
  const state = (page: Page) => head(page).locator('.state').textContent();
  const value = (page: Page, name: string) => figure(page, name).locator('.value').textContent();
  const field = (page: Page, label: string) => page.getByRole('textbox', { name: label });
  /** Opens the form of an order, fills it, and gives the order. */
  const give = async (
    page: Page,
    order: string | RegExp,
    confirm: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    await page.getByRole('button', { name: order }).click();
    for (const [label, text] of Object.entries(fields)) await field(page, label).fill(text);
    await page.getByRole('button', { name: confirm, exact: true }).click();
  };
  const rigPage = () => `${watched.story.url}/#/rigs/${encodeURIComponent(ACCOUNT)}/`;

  it('is reached from the list, and has its rates, outcomes, sessions and what happened to it', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/rigs`);
    const { page, faults } = opened;
    await page.getByRole('link', { name: 'cellar' }).click();
    await page.getByRole('heading', { name: 'cellar', level: 1 }).waitFor();
    await expect.poll(() => page.title(), PATIENT).toBe('cellar – stratum-bridge');
    await expect.poll(() => state(page), PATIENT).toBe('online');
    await head(page)
      .getByText(/^connected .* by tcp from 127\.0\.0\.1$/)
      .waitFor();
    await expect.poll(() => value(page, 'Hash rate'), PATIENT).toMatch(/^[\d.]+\s[kMG]?H\/s$/);
    await expect.poll(() => value(page, 'Accepted'), PATIENT).toMatch(/^\d+(\.\d)?\s%$/);
    await expect.poll(() => value(page, 'Best share'), PATIENT).toMatch(/^[\d.]+\s?[kMGT]?$/);
    await page.getByRole('region', { name: 'Table of sessions' }).getByText('steady').waitFor();
    await expect.poll(() => value(page, 'Blocks'), PATIENT).toMatch(/^[1-9]/);
    const rates = page.getByRole('region', { name: 'Hash rate', exact: true });
    await rates.getByText('As a table').click();
    await rates
      .getByRole('row')
      .filter({ hasText: /H\/s ±/ })
      .first()
      .waitFor();
    await rates.locator('.legend').getByText('online').waitFor();
    const submits = page.getByRole('region', { name: 'Submits' });
    await submits.getByText('As a table').click();
    await submits
      .getByRole('row')
      .filter({ hasText: /\d\d:\d\d\s*\d+/ })
      .first()
      .waitFor();
    // Who gives no orders is shown none.
    expect(await page.getByText('Actions').count()).toBe(0);
    expect(await page.getByRole('button', { name: /label|difficulty|session/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('goes on without a reload when the rig goes away, and when it is back', async () => {
    await using opened = await watched.browser.open(`${rigPage()}cellar`);
    const { page } = opened;
    await page.evaluate('window.neverReloaded = true');
    await expect.poll(() => state(page), PATIENT).toBe('online');
    await cellar.stop();
    await expect.poll(() => state(page), PATIENT).toBe('offline');
    await page.getByText('None is open now.').waitFor();
    cellar = watched.story.startRig('cellar');
    await expect.poll(() => state(page), PATIENT).toBe('online');
    await page.getByRole('region', { name: 'Table of sessions' }).waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
  });

  it('gives orders once they are confirmed, and says what came of each', async () => {
    // Its own, another with each try: it ends banned.
    const name = `loud-${randomBytes(2).toString('hex')}`;
    watched.story.startRig(name);
    await using opened = await watched.browser.open(`${rigPage()}${name}`);
    const { page, faults } = opened;
    await expect.poll(() => state(page), PATIENT).toBe('online');
    await signIn(page, await watched.story.adminToken());

    await page.getByText('Actions').click();
    await page.getByRole('button', { name: 'Send a message' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.name'), PATIENT).toBe('text');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await give(page, 'Send a message', 'Send', { 'Message, one line': 'hello' });
    await said(page, /^Shown by \d of 1\ssession/);

    await give(page, 'Add a label', 'Save', { Label: 'the loud one' });
    await said(page, /^The rig is labelled the loud one\.$/);
    await head(page).getByText('the loud one', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit the label' }).click();
    await expect.poll(() => field(page, 'Label').inputValue(), PATIENT).toBe('the loud one');
    await page.getByRole('button', { name: 'Cancel' }).click();

    const hashes = 'Expected hashes of a share';
    await give(page, 'Hold the difficulty', 'Set', { [hashes]: 'plenty' });
    await page
      .getByRole('alert')
      .getByText(/such as 4T or 4e12, .*not "plenty"/)
      .waitFor();
    await field(page, hashes).fill('40k');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await said(page, /^1\ssession will work at it/);
    await expect.poll(() => value(page, 'Difficulty'), PATIENT).toBe('40.0\u00a0k');
    await figure(page, 'Difficulty').getByText('held', { exact: true }).waitFor();
    await give(page, 'Release the difficulty', 'Release');
    await figure(page, 'Difficulty').getByText('automatic', { exact: true }).waitFor();

    const sessionOf = () =>
      page.getByRole('region', { name: 'Table of sessions' }).getByRole('rowheader').innerText();
    await expect.poll(sessionOf, PATIENT).toMatch(/^#\d+/);
    await give(page, /^Send session \d+ a message$/, 'Send', { 'Message, one line': 'who are you?' });
    await said(page, /^Shown by \d of 1\ssession:/);
    const before = await sessionOf();
    await give(page, /^Close session/, 'Close it');
    // It stays, though the session and the order to close it are gone.
    await said(page, /^Session \d+ is closed\.$/);
    await expect.poll(() => sessionOf().catch(() => before), PATIENT).not.toBe(before);

    // The menu has closed with the order before.
    await page.getByText('Actions').click();
    await give(page, 'Ban the rig', 'Ban', { 'Reason, told to the rig': 'too hot', 'For how long': '5m' });
    await said(page, /^Banned; \d+\ssessions? closed\.$/);
    await expect.poll(() => state(page), PATIENT).toBe('banned');
    await page.getByRole('region', { name: 'Recent activity' }).getByText('by admin token').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('and all others are told something from their list', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/rigs`);
    const { page } = opened;
    expect(await page.getByRole('button', { name: 'Message all rigs' }).count()).toBe(0);
    await signIn(page, await watched.story.adminToken());
    await give(page, 'Message all rigs', 'Send', { 'Message, one line': 'maintenance at ten' });
    await said(page, /^Shown by \d+ of \d+\ssessions?: not every rig takes messages\.$/);
  });

  it('WB27: says why it is banned and until when, and lifts the ban', async () => {
    const name = `hot-${randomBytes(2).toString('hex')}`;
    watched.story.startRig(name);
    await using opened = await watched.browser.open(`${rigPage()}${name}`);
    const { page, faults } = opened;
    await expect.poll(() => state(page), PATIENT).toBe('online');
    await signIn(page, await watched.story.adminToken());
    await page.getByText('Actions').click();
    await give(page, 'Ban the rig', 'Ban', { 'Reason, told to the rig': 'too hot', 'For how long': '1h' });
    const ban = page.getByRole('region', { name: 'Ban', exact: true });
    await ban.getByText(/^The rig is banned, it ends in 59\smin .*\.$/).waitFor();
    await ban.getByText('Too hot.').waitFor();
    await give(page, 'Lift the ban', 'Lift');
    await said(page, /^The ban of .* is lifted\.$/);
    await ban.waitFor({ state: 'detached' });
    await expect.poll(() => state(page), PATIENT).not.toBe('banned');
    expect(faults).toEqual([]);
  });

  it('WB30: cuts no column of its sessions at 1440 px, nor anything at 390 px', async () => {
    const width = (page: Page, of: string) =>
      page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${of}'))`,
      );
    for (const [size, of] of [
      [1440, '[aria-label="Table of sessions"]'],
      [390, 'html'],
    ] as const) {
      await using opened = await watched.browser.open(`${rigPage()}cellar`, {
        viewport: { width: size, height: 900 },
      });
      const { page } = opened;
      await signIn(page, await watched.story.adminToken());
      await page.getByRole('button', { name: /^Close session/ }).waitFor();
      await expect.poll(() => width(page, of), PATIENT).toBe(0);
    }
  });

  it('says so where there is no such rig', async () => {
    await using opened = await watched.browser.open(`${rigPage()}nobody`);
    const { page } = opened;
    await page.getByText(/has no rig nobody: it is not connected/).waitFor();
    await page.getByText(/^No share of this rig was booked/).waitFor();
  });
});
