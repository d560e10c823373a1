/** All of a listing or a branch, from page to page. */
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
 * All items from `window` on; a page is asked for when those of the one before were taken.
 *
 * Nodes end in three ways: with null; with a cursor to an empty page (real nodes); or, where nothing matches at all,
 * with 404 (the specification). All three just end here. A 404 about a cursor or a `maxHeight` that the caller gave
 * is thrown, because it says that the question was wrong.
 */
export async function* itemsOf<T>(
  window: Window,
  ask: (window: Window) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  for (let asked = window; ; ) {
    const page = await ask(asked).catch((error: unknown) => {
      if (meansNothingMore(error, asked, window)) return undefined;
      throw error;
    });
    if (!page) return;
    yield* page.items;
    if (page.next === null || page.items.length === 0) return;
    asked = { ...asked, next: page.next };
  }
}

/** A 404 that names what is not there, or, as the specification has it for blocks and batches, says nothing. Another is of who stands before the node. */
export function saysNothing(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  return error.code === 'not-found' || (error.status === 404 && error.details.text === '');
}

function meansNothingMore(error: unknown, asked: Window, first: Window): boolean {
  if (!saysNothing(error)) return false;
  if (asked.next === first.next) return first.next === undefined && first.maxHeight === undefined;
  return asked.next?.startsWith('exclusive:') === true;
}
