/** The page of a rig: how it mines, that it goes away and comes back, and orders to it, by who has the token. */
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT, type PageStory, startPageStory } from '../../helpers/web/page-story.js';
import { signIn } from '../../helpers/web/sign-in.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };

describe.skipIf(missing !== undefined)('the page of a rig', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let cellar: SteadyRig;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory();
    await Promise.all([story.startNode(), story.startBridge()]);
    cellar = story.startRig('cellar');
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const figure = (page: Page, name: string) =>
    page.locator('.figure').filter({ has: page.getByText(name, { exact: true }) });
  const value = (page: Page, name: string) => figure(page, name).locator('.value').textContent();
  /** Opens the form of an order, fills it, and gives the order. */
  const give = async (
    page: Page,
    order: string | RegExp,
    confirm: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    await page.getByRole('button', { name: order }).click();
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: confirm, exact: true }).click();
  };
  const rigPage = () => `${story.url}/#/rigs/${encodeURIComponent(ACCOUNT)}/`;

  it('is reached from the list, and has its rates, outcomes, sessions and what happened to it', async () => {
    await using opened = await browser.open(`${story.url}/#/rigs`);
    const { page, faults } = opened;
    await page.getByRole('link', { name: 'cellar' }).click();
    await page.getByRole('heading', { name: 'cellar', level: 1 }).waitFor();
    await expect.poll(() => page.title(), PATIENT).toBe('cellar – stratum-bridge');
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('online');
    await expect.poll(() => value(page, 'Hash rate, 5 min'), PATIENT).toMatch(/^[\d.]+\s[kMG]?H\/s$/);
    await expect.poll(() => value(page, 'Shares accepted'), PATIENT).toMatch(/^\d+(\.\d)?\s%$/);
    await expect.poll(() => value(page, 'Best share'), PATIENT).toMatch(/^[\d.]+\s?[kMGT]?$/);
    await page.getByRole('region', { name: 'Table of sessions' }).getByText('steady').waitFor();
    await page
      .getByText(/has found the block/)
      .first()
      .waitFor();
    const rates = page.getByRole('region', { name: 'Hash rate', exact: true });
    await rates.getByText('As a table').click();
    await rates
      .getByRole('row')
      .filter({ hasText: /H\/s ±/ })
      .first()
      .waitFor();
    const submits = page.getByRole('region', { name: 'Submits' });
    await submits.getByText('As a table').click();
    await submits
      .getByRole('row')
      .filter({ hasText: /\d\d:\d\d\s*\d+/ })
      .first()
      .waitFor();
    await page.getByText('sign in with the admin token').waitFor();
    expect(await page.getByRole('button', { name: /^Ban/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('goes on without a reload when the rig goes away, and when it is back', async () => {
    await using opened = await browser.open(`${rigPage()}cellar`);
    const { page } = opened;
    await page.evaluate('window.neverReloaded = true');
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('online');
    await cellar.stop();
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('offline');
    await page.getByText('None is open now.').waitFor();
    cellar = story.startRig('cellar');
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('online');
    await page.getByRole('region', { name: 'Table of sessions' }).waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
  });

  it('gives orders once they are confirmed, and says what came of each', async () => {
    // Its own, another with each try: it ends banned.
    const name = `loud-${randomBytes(2).toString('hex')}`;
    const loud = story.startRig(name);
    await using opened = await browser.open(`${rigPage()}${name}`);
    const { page, faults } = opened;
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('online');
    await signIn(page, await story.adminToken());
    const said = async (words: RegExp): Promise<void> => {
      const status = page.getByRole('status').filter({ hasText: words }).first();
      await status.waitFor().catch(async (error: unknown) => {
        const [alerts, all] = [page.getByRole('alert'), page.getByRole('status')];
        const instead = [...(await alerts.allInnerTexts()), ...(await all.allInnerTexts())].filter(Boolean);
        throw new Error(`the page says instead: ${instead.join(' | ')}; the rig: ${loud.story}`, {
          cause: error,
        });
      });
    };

    await page.getByRole('button', { name: 'Send a message' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.name'), PATIENT).toBe('text');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await give(page, 'Send a message', 'Send it', { 'Message, one line': 'hello' });
    await said(/^Shown by \d of 1\ssession/);

    await give(page, 'Label it', 'Save', { 'What you call it': 'the loud one' });
    await said(/^The rig is labelled the loud one\.$/);
    await page.getByRole('region', { name: 'Details' }).getByText('the loud one').waitFor();

    await give(page, 'Hold at a difficulty', 'Set', { 'Expected hashes of a share': 'plenty' });
    await page
      .getByRole('alert')
      .getByText(/such as 4T or 4e12, .*not "plenty"/)
      .waitFor();
    await page.getByLabel('Expected hashes of a share').fill('40k');
    await page.getByRole('button', { name: 'Set' }).click();
    await said(/^1\ssession will work at it/);
    const held = page
      .getByRole('region', { name: 'Details' })
      .getByText('40.0\u00a0k\u00a0hashes', { exact: true });
    await held.first().waitFor();
    await give(page, 'Clear the difficulty', 'Clear it');
    await page.getByText('automatic').waitFor();

    const sessionOf = () =>
      page.getByRole('region', { name: 'Table of sessions' }).getByRole('rowheader').innerText();
    await expect.poll(sessionOf, PATIENT).toMatch(/^\d+/);
    const before = /^\d+/.exec(await sessionOf())?.[0];
    await give(page, /^Close session/, 'Close it');
    // It stays, though the session and the order to close it are gone.
    await said(/^Session \d+ is closed\.$/);
    await expect
      .poll(async () => /^\d+/.exec(await sessionOf().catch(() => ''))?.[0] ?? before, PATIENT)
      .not.toBe(before);

    await give(page, 'Ban the rig', 'Ban it', {
      'Reason, told to the rig': 'too hot',
      'How long it holds': '5m',
    });
    await said(/^The rig is banned, and \d+\ssessions? of it closed\.$/);
    await expect.poll(() => value(page, 'State'), PATIENT).toBe('banned');
    await page.getByRole('region', { name: 'Recent activity' }).getByText('by admin token').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('says so where there is no such rig', async () => {
    await using opened = await browser.open(`${rigPage()}nobody`);
    const { page } = opened;
    await page.getByText(/has no rig nobody: it is not connected/).waitFor();
    await page
      .getByText(/^There is no rig ".*nobody" in the books\.$/i)
      .first()
      .waitFor();
  });
});
