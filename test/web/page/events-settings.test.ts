/** The timeline and the settings, in a real browser, of a bridge that is steered meanwhile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../helpers/folder.js';
import type { Program } from '../../helpers/processes/program.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { ADMIN, fetchAsReader, READ_TOKEN } from '../../helpers/web/operators.js';
import { type PageStory, startPageStory } from '../../helpers/web/page-story.js';
import { signIn } from '../../helpers/web/sign-in.js';

const FIRST = {
  'web.tokens': { ...READ_TOKEN, ann: { access: 'admin', secret: ADMIN } },
  ...{ 'stratum.limits.ban': '5m', 'queue.entries': 25 },
  'stratum.deny': ['203.0.113.0/24'],
};

const missing = await findChromium();

describe.skipIf(missing !== undefined)('the timeline and the settings', () => {
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
    await opened.page.getByText('Live', { exact: true }).waitFor();
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
  const lines = (page: Page) => page.locator('.events li');

  it('shows what happens as it comes, by kind, with whole addresses for operators', async () => {
    await using opened = await open('events');
    const { page, faults } = opened;
    await page.evaluate('window.neverReloaded = true');
    await lines(page)
      .getByText(/, started, bridge \d/)
      .first()
      .waitFor();
    await ban('192.0.2.77');
    const banned = lines(page).filter({ hasText: 'it floods' });
    await banned.getByText(/, banned, bridge \d+, by ann token, 192\.0\.2\.77$/).waitFor();
    // Once, though the stream has told it too.
    await expect.poll(() => banned.count()).toBe(1);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Payouts');
    await page.getByText('Nothing of this kind').waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Rigs and bans');
    await lines(page).getByText('it floods').waitFor();
    await expect.poll(() => lines(page).count()).toBe(1);
    await page.getByLabel('Since').fill('2999-01-01T00:00');
    await page.getByText('Nothing of this kind, or not since then.').waitFor();
    await page.getByLabel('Since').fill('');
    await lines(page).getByText('it floods').waitFor();
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('is paged through', async () => {
    await Promise.all(Array.from({ length: 55 }, (_, i) => ban(`198.51.100.${i + 1}`)));
    await using opened = await open('events?of=rigs');
    const { page } = opened;
    await expect.poll(() => lines(page).count()).toBe(50);
    await page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(() => lines(page).count()).toBe(6);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Latest' }).click();
    await expect.poll(() => lines(page).count()).toBe(50);
  });

  it('tells what is in force, what a reload would change, and what came of one', async () => {
    await using opened = await open('settings');
    const { page, faults } = opened;
    const setting = (key: string) =>
      page.getByRole('row').filter({ has: page.getByText(key, { exact: true }) });
    const card = page.getByRole('region', { name: 'A reload' });
    await setting('stratum.limits.ban').getByText('5m', { exact: true }).waitFor();
    await setting('stratum.limits.ban').getByText(`file ${path}`).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await setting('stratum.limits.ban').getByText(`file ${path}`).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await setting('web.tokens').getByText('***').waitFor();
    await card.getByText('It would change no setting').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await card.getByText('with a token that gives orders').waitFor();

    await write({ ...FIRST, 'stratum.limits.ban': 'never' });
    await card.getByText('It would be refused').waitFor();
    await card.getByText(/^stratum\.limits\.ban: "never" .* is no time/).waitFor();
    await signIn(page, ADMIN);
    await card.getByRole('button', { name: 'Reload', exact: true }).click();
    await card.getByRole('button', { name: 'Reload them' }).click();
    await card.getByText('Refused: all settings stay as they were').waitFor();

    await write({ ...FIRST, 'stratum.limits.ban': '7m', 'queue.entries': 30 });
    await card.getByText('It would change 2 settings').waitFor();
    await card.getByText('stratum.limits.ban to 7m').waitFor();
    await card.getByText('in force from the next start on').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await card.getByRole('button', { name: 'Reload', exact: true }).click();
    await card.getByRole('button', { name: 'Reload them' }).click();
    await card.getByText('stratum.limits.ban took effect').waitFor();
    await card.getByText('queue.entries requires a restart').waitFor();
    await setting('stratum.limits.ban').getByText('7m', { exact: true }).waitFor();
    await setting('queue.entries').getByText('after a restart: 30').waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('waiting for a restart');
    await page.getByText(/^1\ssetting$/).waitFor();
    await page.getByLabel('Search settings').fill('nothing-has-this');
    await page.getByText('There is none of these.').waitFor();
    expect(await page.content()).not.toMatch(/-token-of-this-test/);
    expect(faults).toEqual([]);
  });

  it('shows who may come and who may not, by settings and by order, and lists others', async () => {
    await using opened = await open('settings');
    const { page, faults } = opened;
    const card = page.getByRole('region', { name: 'Where rigs may come from' });
    const row = (text: string) => card.getByRole('listitem').filter({ hasText: text });
    await row('203.0.113.0/24').getByText('denied').waitFor();
    await row('203.0.113.0/24').getByText('stratum.deny').waitFor();
    await card.getByText('Rigs may connect from any other address.').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await signIn(page, ADMIN);
    const order = async (what: string, addresses: string): Promise<void> => {
      await card.getByRole('button', { name: 'Change the lists' }).click();
      const form = card.getByRole('form', { name: 'Change the lists' });
      await form.getByLabel('What').selectOption({ label: what });
      await form.getByLabel('Address or prefix').fill(addresses);
      await form.getByRole('button', { name: 'Change' }).click();
    };
    await order('deny', 'somewhere');
    await card
      .getByRole('alert')
      .filter({ hasText: /address/ })
      .waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await order('deny', '192.0.2.77/24');
    await card.getByText(/^192\.0\.2\.0\/24 is denied; closed: 0\ssessions\.$/).waitFor();
    await row('192.0.2.0/24').getByText('ordered by ann token').waitFor();
    await order('allow', '127.0.0.0/8');
    await card.getByText(/^127\.0\.0\.0\/8 is allowed; closed: /).waitFor();
    await row('127.0.0.0/8').getByText('allowed').waitFor();
    await card.getByText('Rigs may connect from no other address.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await order('allow no more', '127.0.0.0/8');
    await card.getByText(/^127\.0\.0\.0\/8 is allowed by order no more; closed: /).waitFor();
    await order('deny no more', '192.0.2.0/24');
    await card.getByText(/^192\.0\.2\.0\/24 is denied by order no more; closed: /).waitFor();
    await expect.poll(() => row('192.0.2.0/24').count()).toBe(0);
    await expect.poll(() => row('127.0.0.0/8').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('gives no orders by a token that only reads, nor by one that was taken back', async () => {
    await using opened = await open('settings');
    const { page } = opened;
    await page.getByText('Signed in to read').waitFor();
    const card = page.getByRole('region', { name: 'A reload' });
    await card.getByText('with a token that gives orders').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await signIn(page, ADMIN);
    await card.getByRole('button', { name: 'Reload', exact: true }).waitFor();
    await write({ ...FIRST, 'web.tokens': READ_TOKEN });
    bridge.kill('SIGHUP');
    // What a token has opened it closes.
    await page.getByText('Sign in with a token').waitFor();
    await page.getByText('Offline', { exact: true }).waitFor();
  });
});
