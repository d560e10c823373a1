/** Signing in with a token: on the bridge's own machine, and from elsewhere. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { type PageStory, startPageStory } from '../../helpers/web/page-story.js';

/** As a proxy passes on who is not on this machine. */
const ELSEWHERE = { extraHTTPHeaders: { 'x-forwarded-for': '192.0.2.7' } };

const missing = await findChromium();

describe.skipIf(missing !== undefined)('a token', () => {
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

  it('is asked for where nothing is told without one, and what was hidden comes with it', async () => {
    await using opened = await browser.open(story.url, ELSEWHERE);
    const { page, faults } = opened;
    await page.getByRole('heading', { name: 'The bridge tells nothing here' }).waitFor();
    await page.getByText('web-admin-token').last().waitFor();
    // It was never heard, and nothing of it is shown.
    expect(await page.getByText(/last heard|last that was heard/i).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);

    await signIn(page, 'not-the-token');
    await page
      .getByRole('alert')
      .getByText(/^This token is not one of this bridge/)
      .waitFor();
    await signIn(page, 'no\u00a0token at all');
    await page.getByRole('alert').getByText('A token has no blanks').waitFor();
    await status(page, 'Offline').waitFor();

    await signIn(page, ` ${await story.adminToken()} `);
    await signedIn(page).waitFor();
    await status(page, 'Live').waitFor();
    // The stream is read with it, and so are lists.
    await page.locator('.figure').first().waitFor();
    await page.getByText('No rig yet.').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await status(page, 'Offline').waitFor();
    expect(faults).toEqual([]);
  });

  it('is sent in a header alone, and forgotten with a reload', async () => {
    await using opened = await browser.open(story.url);
    const { page, requests } = opened;
    await status(page, 'Live').waitFor();
    await page.getByText('Sign in with a token').click();
    const token = await story.adminToken();
    await signIn(page, token);
    await signedIn(page).waitFor();
    await status(page, 'Live').waitFor();
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    const kept =
      'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie, location.href])';
    expect(await page.evaluate(kept)).toBe(JSON.stringify([0, 0, '', `${story.url}/`]));
    expect(await page.content()).not.toContain(token);
    await page.reload();
    await status(page, 'Live').waitFor();
    await page.getByText('Sign in with a token').waitFor();
    expect(await signedIn(page).count()).toBe(0);
  });
});
