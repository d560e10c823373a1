import type { Page } from 'playwright-core';

/** Gives the page a session by this token, as its form does, and waits until it may give orders by it. */
export async function signIn(page: Page, token: string): Promise<void> {
  const { origin } = new URL(page.url());
  await page.context().request.post(`${origin}/api/v1/session`, { data: { token } });
  await page.reload();
  await page.getByText('this page may give orders').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}
