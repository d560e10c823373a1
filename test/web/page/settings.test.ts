/** The settings, in a real browser, of a bridge that is steered meanwhile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../helpers/folder.js';
import type { Program } from '../../helpers/processes/program.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { ADMIN, fetchAsReader, READ_TOKEN } from '../../helpers/web/operators.js';
import { type PageStory, startPageStory } from '../../helpers/web/page-story.js';
import { said } from '../../helpers/web/said.js';
import { isLive, signIn } from '../../helpers/web/sign-in.js';

const FIRST = {
  'web.tokens': { ...READ_TOKEN, ann: { access: 'admin', secret: ADMIN } },
  ...{ 'stratum.limits.ban': '5m', 'queue.entries': 25 },
  'stratum.deny': ['203.0.113.0/24'],
};

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the settings', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let bridge: Program;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let path: string;
  const write = (values: object) => writeFile(path, stringify(values));
  beforeAll(async () => {
    browser = await useChromium();
    folder = await temporaryFolder();
    path = join(folder.path, 'settings.yaml');
    await write(FIRST);
    story = await startPageStory(['--config', path]);
    bridge = await story.startBridge();
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const open = async (view: string, options = {}) => {
    const opened = await browser.open(`${story.url}/#/${view}`, options);
    await isLive(opened.page);
    return opened;
  };

  const ban = async (address: string): Promise<void> => {
    const response = await fetchAsReader(`${story.url}/api/v1/bans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'address', address, reason: 'it floods' }),
    });
    expect(response.status).toBe(200);
  };

  it('WB24: tells what is in force, what a reload would change, and what came of one', async () => {
    await using opened = await open('settings');
    const { page, faults } = opened;
    const setting = (key: string) =>
      page.getByRole('row').filter({ has: page.getByText(key, { exact: true }) });
    const card = page.locator('section:has(> .card-head > #reload)');
    await setting('stratum.limits.ban').getByText('5m', { exact: true }).waitFor();
    await setting('stratum.limits.ban').getByText(`file ${path} · default auto`).waitFor();
    await setting('stratum.limits.ban').getByText('live', { exact: true }).waitFor();
    await setting('web.tokens').getByText('***').waitFor();
    // The rest is there, folded.
    expect(await setting('stratum.vardiff.interval').isVisible()).toBe(false);
    const stratum = page.locator('.setting-group').filter({ has: page.locator('#group-stratum') });
    await stratum.getByText(/^\d+\sdefaults$/).click();
    await setting('stratum.vardiff.interval').getByText('10s', { exact: true }).waitFor();
    // Names are broken at their points alone, also where they have the least room.
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const lines = `[...document.querySelectorAll('.setting-key')].map((key) => new Set([...key.getClientRects()].map(({ top }) => Math.round(top))).size)`;
      const most = Math.max(...((await page.evaluate(lines)) as number[]));
      expect(most, `lines of a name at ${width} px`).toBeLessThan(width < 400 ? 3 : 2);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await card.getByText('In force; files on disk are the same.').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);

    await write({ ...FIRST, 'stratum.limits.ban': 'never' });
    await card.getByText('A reload would be refused').waitFor();
    await card.getByText(/^stratum\.limits\.ban: "never" .* is no time/).waitFor();
    await card.getByText('with a token that gives orders').waitFor();
    await signIn(page, ADMIN);
    const reload = async (): Promise<void> => {
      await card.getByRole('button', { name: 'Reload', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reload', exact: true }).click();
    };
    await reload();
    await page
      .getByRole('alert')
      .filter({ hasText: /stratum\.limits\.ban: "never"/ })
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await write({ ...FIRST, 'stratum.limits.ban': '7m', 'queue.entries': 30 });
    await card.getByText(/^A reload changes 2\ssettings:$/).waitFor();
    await card.getByText('stratum.limits.ban to 7m').waitFor();
    await card.getByText('after a restart').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await reload();
    await said(page, /^Read again: stratum\.limits\.ban took effect; queue\.entries requires a restart\.$/);
    await setting('stratum.limits.ban').getByText('7m', { exact: true }).waitFor();
    await setting('queue.entries')
      .getByText(/^after a restart 30 file /)
      .waitFor();
    await page.getByRole('link', { name: 'Waiting for a restart' }).click();
    await page.getByText(/^1\ssetting$/).waitFor();
    await page.getByLabel('Search settings').fill('nothing-has-this');
    await page.getByText('No setting matches.').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    // Help is searched, too, and what is found is not folded.
    await page.getByLabel('Search settings').fill('whatever was approved');
    await setting('payouts.signer.day').getByText('none', { exact: true }).waitFor();
    expect(await page.content()).not.toMatch(/-token-of-this-test/);
    expect(faults).toEqual([]);
  });

  it('WB27: shows who may come and who may not, by settings and by order, and changes that', async () => {
    await using opened = await open('settings/access');
    const { page, faults } = opened;
    const card = page.getByRole('region', { name: 'Where rigs may come from' }).first();
    const row = (text: string) => card.getByRole('row').filter({ hasText: text });
    await row('203.0.113.0/24').getByText('denied').waitFor();
    await row('203.0.113.0/24').getByText('stratum.deny').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await signIn(page, ADMIN);
    const order = async (what: 'Allow' | 'Deny', addresses: string): Promise<void> => {
      await card.getByRole('button', { name: `${what} an address` }).click();
      await page.getByLabel('Address or prefix').fill(addresses);
      await page.getByRole('dialog').getByRole('button', { name: what, exact: true }).click();
    };
    const remove = async (text: string): Promise<void> => {
      await row(text).getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    };
    // Those of the settings are changed there.
    expect(await row('203.0.113.0/24').getByRole('button').count()).toBe(0);
    await order('Deny', 'somewhere');
    await page
      .getByRole('alert')
      .filter({ hasText: /address/ })
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await order('Deny', '192.0.2.77/24');
    await said(page, /^192\.0\.2\.0\/24 is denied; 0\ssessions closed\.$/);
    await row('192.0.2.0/24').getByText('ann token').waitFor();
    await order('Allow', '127.0.0.0/8');
    await said(page, /^127\.0\.0\.0\/8 is allowed; /);
    await row('127.0.0.0/8').getByText('allowed').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await remove('127.0.0.0/8');
    await said(page, /^127\.0\.0\.0\/8 is allowed by order no more; /);
    await remove('192.0.2.0/24');
    await said(page, /^192\.0\.2\.0\/24 is denied by order no more; /);
    await expect.poll(() => row('192.0.2.0/24').count()).toBe(0);
    await expect.poll(() => row('127.0.0.0/8').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('WB27: bans, says who is banned, why and until when, and lifts a ban', async () => {
    await using opened = await open('settings/access');
    const { page, faults } = opened;
    const card = page.locator('section:has(> .card-head > #bans)');
    const row = (text: string) => card.getByRole('row').filter({ hasText: text });
    await ban('192.0.2.99');
    await row('192.0.2.99').getByText('it floods').waitFor();
    await row('192.0.2.99').getByText('ann token').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await signIn(page, ADMIN);
    await row('192.0.2.99').getByRole('button', { name: 'Lift the ban of 192.0.2.99' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift', exact: true }).click();
    await said(page, /^The ban of 192\.0\.2\.99 is lifted\.$/);
    await expect.poll(() => row('192.0.2.99').count()).toBe(0);
    await card.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByLabel('Whom').selectOption('A rig at one address');
    await page.getByLabel('Account.rig').fill('k:somebody.attic');
    await page.getByLabel('Address', { exact: true }).fill('192.0.2.5');
    await page.getByLabel('Reason').fill('only stale shares');
    await page.getByLabel('For how long').fill('1h');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click();
    await said(page, /^Banned; 0\ssessions closed\.$/);
    await row('attic').getByText('only stale shares').waitFor();
    await row('attic')
      .getByText(/^in 59\smin/)
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('WB27: drains the bridge, and lets rigs in again', async () => {
    await using opened = await open('settings/access');
    const { page } = opened;
    await signIn(page, ADMIN);
    const card = page.locator('section:has(> .card-head > #drain)');
    await card.getByText(/^Off: /).waitFor();
    await card.getByRole('button', { name: 'Drain the bridge' }).click();
    await page.getByLabel('In how much time').fill('1m');
    await page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true }).click();
    await card.getByText(/Nobody is let in until it is cancelled\.$/).waitFor();
    await card.getByRole('button', { name: 'Cancel the drain' }).click();
    await page.getByRole('button', { name: 'Let rigs in' }).click();
    await card.getByText(/^Off: /).waitFor();
  });

  it('gives no orders by a token that only reads, nor by one that was taken back', async () => {
    await using opened = await open('settings/access');
    const { page } = opened;
    await page.getByText('Signed in: May read').waitFor();
    await page.getByText('Where rigs may come from').waitFor();
    expect(await page.locator('main .order').count()).toBe(0);
    await signIn(page, ADMIN);
    await page.getByRole('button', { name: 'Drain the bridge' }).waitFor();
    await write({ ...FIRST, 'web.tokens': READ_TOKEN });
    bridge.kill('SIGHUP');
    // What a token has opened it closes.
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
  });
});
