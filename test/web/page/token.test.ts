/** Signing in at the page: by a link, by a token, and by the session of last time. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../../helpers/processes/command.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { type PageStory, startPageStory } from '../../helpers/web/page-story.js';

const missing = await findChromium();

describe.skipIf(missing !== undefined)('who opens the page', () => {
  let browser: TestBrowser;
  let story: PageStory;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory();
    await story.startBridge();
  });
  afterAll(async () => {
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const signIn = async (page: Page, token: string): Promise<void> => {
    await page.locator('input[type=password]').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const status = (page: Page, words: string) => page.getByRole('status').getByText(words, { exact: true });
  const signedIn = (page: Page) => status(page, 'Signed in: this page may give orders.');

  it('WB1: signs in with a token, stays signed in over a reload, and no script has the token', async () => {
    await using opened = await browser.open(story.url, {}, '');
    const { page, faults, requests } = opened;
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.getByText('web-admin-token').last().waitFor();
    // It was never heard, and nothing of it is shown.
    expect(await page.getByText(/last heard|last that was heard/i).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    // As password managers look for it.
    expect(await page.locator('input[autocomplete=current-password]').count()).toBe(1);

    await signIn(page, 'not-the-token');
    await page
      .getByRole('alert')
      .getByText(/^This token is not one of this bridge/)
      .waitFor();
    const token = await story.adminToken();
    await signIn(page, ` ${token} `);
    await signedIn(page).waitFor();
    await status(page, 'Live').waitFor();
    // The stream is read with it, and so are lists.
    await page.locator('.figure').first().waitFor();
    await page.getByText('No rig yet.').waitFor();
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    const kept = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])';
    expect(await page.evaluate(kept)).toBe(JSON.stringify([0, 0, '']));
    expect(await page.content()).not.toContain(token);

    await page.reload();
    await signedIn(page).waitFor();
    await status(page, 'Live').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await status(page, 'Offline').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('WB1: comes in by a link, which is in no address afterwards, and works once', async () => {
    const { text } = await runHere('web', ['--json', '--data-dir', story.dataDir]);
    const { url } = JSON.parse(text) as { url: string };
    {
      await using opened = await browser.open(url, {}, '');
      const { page, requests } = opened;
      await signedIn(page).waitFor();
      await status(page, 'Live').waitFor();
      expect(page.url()).toBe(`${story.url}/`);
      const [, secret = ''] = url.split('#link=');
      expect(requests.filter((each) => new URL(each).href.split('#')[0]?.includes(secret))).toEqual([]);
      // The same link in the same browser: who is signed in stays so.
      await page.goto(url);
      await page.reload();
      await signedIn(page).waitFor();
    }
    await using other = await browser.open(url, {}, '');
    await other.page
      .getByRole('alert')
      .getByText(/^This link signs nobody in/)
      .waitFor();
    expect(await signedIn(other.page).count()).toBe(0);
  });
});
