import type { Page } from 'playwright-core';

/** Gives the page a session by this token, as its form does, and waits until it may give orders by it. */
export async function signIn(page: Page, token: string): Promise<void> {
  const { origin } = new URL(page.url());
  await page.context().request.post(`${origin}/api/v1/session`, { data: { token } });
  await page.reload();
  await page.getByText(/^Signed in: May give /).waitFor();
  await isLive(page);
}

/** Waits until the page has heard the bridge. */
export async function isLive(page: Page): Promise<void> {
  await page
    .locator('.state-chip')
    .filter({ hasNotText: /Connecting|Offline|Paused|Signed out/ })
    .waitFor();
}
