/** What people come to the page for, from end to end. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../helpers/processes/program.js';
import { PATIENCE_MS } from '../../helpers/until.js';
import { findChromium } from '../../helpers/web/chromium.js';
import { ACCOUNT } from '../../helpers/web/page-story.js';
import { said } from '../../helpers/web/said.js';
import { isLive, signIn } from '../../helpers/web/sign-in.js';
import { watchedStory } from '../../helpers/web/watched-story.js';

const missing = await findChromium();
const PATIENT = { timeout: PATIENCE_MS };
/** No block is found of it in a test. */
const HARD = '1000000000000';
const MOST_TABS = 80;

/** By the key alone, to the control that is called so. */
async function tabTo(page: Page, name: string): Promise<void> {
  const here = `(({ ariaLabel, innerText }) => ariaLabel ?? innerText.trim())(document.activeElement)`;
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if ((await page.evaluate(here)) === name) return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`no key leads to ${name}`);
}

describe.skipIf(missing !== undefined)('whoever comes to the page', () => {
  const watched = watchedStory(async (story) => {
    await Promise.all([story.startNode(['--genesis-difficulty', HARD]), story.startBridge()]);
  });

  it('connects a first rig by what it says, finds out why a rig is gone, and bans and lifts a ban by keyboard alone', async () => {
    const { browser, story } = watched;
    await using opened = await browser.open(story.url);
    const { page, faults } = opened;
    await isLive(page);
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    await step('A node gives work').getByText(', done').waitFor();
    await step('A rig is connected').getByText(', not yet').waitFor();

    const card = page.getByRole('region', { name: 'Connect a rig' });
    await card.getByLabel('Your account, which is paid').fill(ACCOUNT);
    await card.getByRole('button', { name: 'CPU', exact: true }).click();
    const [npx, name, ...command] = (await card.getByRole('code').first().innerText()).split(' ');
    expect([npx, name, command[0], command.at(-1)]).toEqual([
      'npx',
      'stratum-bridge',
      'rig',
      `${ACCOUNT}.cpu`,
    ]);
    await using _rig = startProgram([...command, '--threads', '1']);
    await step('A rig is connected').getByText(', done').waitFor();
    await step('A share is accepted').getByText(', done').waitFor();
    const rigs = page.getByRole('region', { name: 'Rigs', exact: true });
    await rigs.getByRole('row').filter({ hasText: 'cpu' }).getByText('online').waitFor();

    const token = await story.adminToken();
    const ban = { kind: 'login', account: ACCOUNT, rig: 'cpu', reason: 'only stale shares', for: '1h' };
    const response = await fetch(`${story.url}/api/v1/bans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ban),
    });
    expect(response.status).toBe(200);
    // Somebody wonders where it is.
    await page.getByText('1 banned').waitFor();
    await rigs.getByRole('row').filter({ hasText: 'banned' }).getByRole('link', { name: 'cpu' }).click();
    const box = page.getByRole('region', { name: 'Ban', exact: true });
    await box.getByText(/^The rig is banned, it ends in 59\smin .*\.$/).waitFor();
    await box.getByText('Only stale shares.').waitFor();
    await box.getByText(/^By admin token/).waitFor();

    await signIn(page, token);
    await tabTo(page, 'Lift the ban');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Lift');
    await page.keyboard.press('Enter');
    await said(page, /^The ban of .*\.cpu is lifted\.$/);
    await box.waitFor({ state: 'detached' });
    const state = page.getByRole('region', { name: 'The rig' }).locator('.state');
    await expect.poll(() => state.textContent(), PATIENT).toBe('online');

    await tabTo(page, 'Actions');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Ban the rig');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.name'), PATIENT).toBe('reason');
    await page.keyboard.type('again');
    await page.keyboard.press('Tab');
    await page.keyboard.type('5m');
    await page.keyboard.press('Enter');
    await said(page, /^Banned; 1\ssession closed\.$/);
    await box.getByText('Again.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.innerText'), PATIENT).toBe('Actions');
    expect(faults).toEqual([]);
  });
});
