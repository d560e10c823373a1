/** Signing in at the page: by a link, by a token, and by the session of last time. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runHere } from '../../helpers/processes/command.js';
import { axeFaults, findChromium } from '../../helpers/web/chromium.js';
import { isLive } from '../../helpers/web/sign-in.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();

describe.skipIf(missing !== undefined)('who opens the page', () => {
  const watched = watchedStory(async (story) => {
    await story.startBridge();
  });

  const signIn = async (page: Page, token: string): Promise<void> => {
    await page.locator('input[type=password]').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const signedIn = (page: Page) =>
    page.getByRole('status').getByText('Signed in: May give every order', { exact: true });
  const card = (page: Page) => page.getByRole('heading', { name: 'Sign in to stratum-bridge' });

  it('WB26: asks who may see nothing to sign in, and shows nothing else', async () => {
    await using opened = await watched.browser.open(watched.story.url, {}, '');
    const { page, faults } = opened;
    await card(page).waitFor();
    expect(await page.locator('.card').count()).toBe(1);
    expect(await page.locator('nav, .trouble, .state-chip').count()).toBe(0);
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/offline|waiting|loading|bearer|header|last heard/i);
    expect(await axeFaults(page)).toEqual([]);
    // It can be typed at once, and where the token is, is one step away.
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password');
    await page.getByText('Where is the token?').click();
    await page.getByText('web-admin-token').waitFor();
    // As password managers look for it: a name beside it, in one form.
    const form = page.locator('form').filter({ has: page.locator('input[type=password]') });
    expect(await form.locator('input[autocomplete=current-password]').count()).toBe(1);
    expect(await form.locator('input[autocomplete=username]').getAttribute('value')).not.toBe('');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(faults).toEqual([]);
  });

  it('WB1, WB26: signs in with a token, stays signed in over a reload, and no script has the token', async () => {
    await using opened = await watched.browser.open(`${watched.story.url}/#/nodes`, {}, '');
    const { page, faults, requests } = opened;
    await card(page).waitFor();
    await signIn(page, 'not-the-token');
    await page
      .getByRole('alert')
      .getByText(/^This token is not one of this bridge/)
      .waitFor();
    const token = await watched.story.adminToken();
    await signIn(page, ` ${token} `);
    await signedIn(page).waitFor();
    await isLive(page);
    // Whoever came for a view is there.
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    const kept = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])';
    expect(await page.evaluate(kept)).toBe(JSON.stringify([0, 0, '']));
    expect(await page.content()).not.toContain(token);

    await page.reload();
    await signedIn(page).waitFor();
    await isLive(page);
    await page.getByText('admin', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await card(page).waitFor();
    await page.reload();
    await card(page).waitFor();
    expect(faults).toEqual([]);
  });

  it('WB1: comes in by a link, which is in no address afterwards, and works once', async () => {
    const { text } = await runHere('web', ['--json', '--data-dir', watched.story.dataDir]);
    const { url } = JSON.parse(text) as { url: string };
    {
      await using opened = await watched.browser.open(url, {}, '');
      const { page, requests } = opened;
      await signedIn(page).waitFor();
      await isLive(page);
      expect(page.url()).toBe(`${watched.story.url}/`);
      const [, secret = ''] = url.split('#link=');
      expect(requests.filter((each) => new URL(each).href.split('#')[0]?.includes(secret))).toEqual([]);
      // The same link in the same browser: who is signed in stays so.
      await page.goto(url);
      await page.reload();
      await signedIn(page).waitFor();
    }
    await using other = await watched.browser.open(url, {}, '');
    await other.page
      .getByRole('alert')
      .getByText(/^This link signs nobody in/)
      .waitFor();
    expect(await signedIn(other.page).count()).toBe(0);
  });
});

describe.skipIf(missing !== undefined)('who mines at a public bridge', () => {
  const watched = watchedStory(
    async (story) => {
      await Promise.all([story.startNode(), story.startBridge()]);
    },
    [
      ...['--web-public', '--web-title', 'Cellar pool', '--rewards-fee', '2%'],
      ...['--payouts-minimum', '2.5', '--payouts-schedule', 'daily 06:00 UTC'],
    ],
  );

  it('WB25: sees where to connect, fee, scheme, minimum and next payout, before all else', async () => {
    await using opened = await watched.browser.open(watched.story.url, {}, '');
    const { page, faults } = opened;
    const connect = page.getByRole('region', { name: 'Connect a rig' });
    await connect.getByText(/^stratum\+tcp:\/\/127\.0\.0\.1:\d+$/).waitFor();
    await connect.getByLabel('Your account, which is paid').fill('k:mine');
    await connect.getByText('k:mine.RIG').waitFor();
    const terms = page.getByRole('region', { name: 'Terms' });
    await terms.getByText(/^2\s%$/).waitFor();
    await terms.getByText(/^PPLNS: .*\(2x\)$/).waitFor();
    await terms.getByText(/^2\.5\s/).waitFor();
    await terms.getByText('daily 06:00 UTC').waitFor();
    await terms.getByText(/^in \d/).waitFor();
    expect(await page.locator('main .card').first().innerText()).toMatch(/^Connect a rig/);
    // Nothing leads to what is for operators, and what does is told.
    await expect.poll(() => page.locator('.rail nav').innerText()).toMatch(/^Overview\s+Blocks$/);
    expect(await page.locator('main').innerText()).not.toMatch(/Waiting for the answer|Loading …/);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByLabel('Find an account').fill('k:mine');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/accounts/k%3Amine');
    await page.goto(`${watched.story.url}/#/settings`);
    await page.getByText('This is for whoever runs the pool.').waitFor();
    expect(faults).toEqual([]);
  });

  it('WB26: signs in there, in a dialog', async () => {
    await using opened = await watched.browser.open(watched.story.url, {}, '');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.locator('input[type=password]').fill(await watched.story.adminToken());
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status').getByText('Signed in: May give every order').waitFor();
    await page.locator('.rail nav').getByText('Settings').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
