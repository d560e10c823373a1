/** From page to page of a listing or a branch. */
import { NodeError } from './errors.js';
import type { Page } from './models.js';

/** Which part of a listing or branch. */
export interface Window {
  /** Most items of a page. Nodes cut it silently to 4,096 hashes, or 360 headers or blocks. */
  readonly limit?: number;
  /** The `next` of an earlier page, as it was. */
  readonly next?: string;
  readonly minHeight?: number;
  readonly maxHeight?: number;
}

/**
 * All pages from `window` on, each asked for when the one before was taken.
 *
 * Nodes end in three ways: with null; with a cursor to an empty page (real nodes); or, where nothing matches at all,
 * with 404 (the specification). All three just end here. A 404 about a cursor or a `maxHeight` that the caller gave
 * is thrown, because it says that the question was wrong.
 */
export async function* pagesOf<T>(
  window: Window,
  ask: (window: Window) => Promise<Page<T>>,
): AsyncGenerator<Page<T>, void, undefined> {
  for (let asked = window; ; ) {
    const page = await ask(asked).catch((error: unknown) => {
      if (meansNothingMore(error, asked, window)) return undefined;
      throw error;
    });
    if (!page) return;
    if (page.items.length > 0) yield page;
    if (page.next === null || page.items.length === 0) return;
    asked = { ...asked, next: page.next };
  }
}

function meansNothingMore(error: unknown, asked: Window, first: Window): boolean {
  if (!(error instanceof NodeError) || error.code !== 'not-found') return false;
  if (asked.next === first.next) return first.next === undefined && first.maxHeight === undefined;
  return asked.next?.startsWith('exclusive:') === true;
}
