import type { Page } from 'playwright-core';

/** Waits until the page says what came of an order; fails with what it says instead. */
export async function said(page: Page, words: RegExp): Promise<void> {
  const status = page.getByRole('status').filter({ hasText: words }).first();
  await status.waitFor().catch(async (error: unknown) => {
    const [alerts, all] = [page.getByRole('alert'), page.getByRole('status')];
    const instead = [...(await alerts.allInnerTexts()), ...(await all.allInnerTexts())].filter(Boolean);
    throw new Error(`the page says instead: ${instead.join(' | ')}`, { cause: error });
  });
}
