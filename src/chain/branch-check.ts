/** A branch is what its headers say: each block is the parent of one before it. */
import type { Window } from './paging.js';
import { ForgedError } from './verify.js';

export interface Link {
  readonly hash: string;
  readonly parent: string;
  readonly height: number;
}

/**
 * Checks a page of a branch, descending, whose headers were hashed already. Where the page begins is known for its first
 * one alone, and with one upper bound from its cursor. Throws {@link ForgedError}.
 */
export function checkBranch(
  links: readonly Link[],
  upper: readonly string[],
  { next: cursor, minHeight = 0, maxHeight }: Window,
  next: string | null,
): void {
  /** Parent -> the height that it has to have. */
  const expected = new Map<string, number>();
  let roots = 0;
  for (const link of links) {
    const height = expected.get(link.hash);
    if (height === undefined) checkRoot(link, ++roots, upper, cursor, maxHeight);
    else if (height !== link.height) throw forged(link, `has the height ${link.height}, not ${height}`);
    if (link.height < minHeight) throw forged(link, `is below the height ${minHeight}`);
    expected.set(link.parent, link.height - 1);
  }
  const last = links.at(-1);
  const goesOn = placeOf(next);
  if (last && goesOn !== undefined && upper.length === 1 && goesOn !== last.parent) {
    throw new ForgedError(
      `the branch goes on with ${goesOn}, and the parent of its last block is ${last.parent}`,
    );
  }
}

/** The block that a cursor names; nodes may have cursors of other kinds, which prove nothing. */
function placeOf(cursor: string | null): string | undefined {
  return /^inclusive:([\w-]{43})$/.exec(cursor ?? '')?.[1];
}

function checkRoot(
  link: Link,
  roots: number,
  upper: readonly string[],
  cursor: string | undefined,
  maxHeight: number | undefined,
): void {
  if (roots > upper.length) throw forged(link, 'is no parent of a block before it');
  if (upper.includes(link.hash)) return;
  if (cursor === undefined) {
    if (maxHeight === undefined || link.height !== maxHeight) throw forged(link, 'is no upper bound');
  } else if (upper.length === 1 && (placeOf(cursor) ?? link.hash) !== link.hash) {
    throw forged(link, `is not where the page was to begin: ${cursor}`);
  }
}

function forged({ hash }: Link, what: string): ForgedError {
  return new ForgedError(`block ${hash} in the branch ${what}`);
}
