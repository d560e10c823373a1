import type { Page } from 'playwright-core';

/** Types a token into the field at the foot of the page, and waits until the page may give orders by it. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByText('Sign in with a token').click();
  await page.locator('input[type=password]').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('this page may give orders').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}
