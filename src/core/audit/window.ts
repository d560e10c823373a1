/**
 * What of a window of shares an account did, by roots alone. A window is told by its times: all that was accepted from `wholeFrom` on and before
 * `until` counts, and of what was from `edgeFrom` on and before `wholeFrom` a fraction, the same for each account.
 */
import type { Totals } from './sum-tree.js';

type Worked = Pick<Totals, 'work'>;

/** What somebody did up to each of the times. */
export interface AtTimes {
  /** Absent: the window has no edge. */
  readonly edgeFrom?: Worked;
  readonly wholeFrom: Worked;
  readonly until: Worked;
}

/** An account's weight and that of all, in the same unit. */
interface PartOfWindow {
  readonly own: bigint;
  readonly all: bigint;
}

/** @param work of the window; absent where it is one of time. */
export function partOfWindow(account: AtTimes, everybody: AtTimes, work?: bigint): PartOfWindow {
  const [own, all] = [piecesOf(account), piecesOf(everybody)];
  const left = work === undefined ? 0n : work - all.whole;
  if (left <= 0n || all.edge === 0n) return { own: own.whole, all: all.whole };
  // Of an edge that does not fill the window all counts.
  const counted = left < all.edge ? left : all.edge;
  return { own: own.whole * all.edge + own.edge * counted, all: (all.whole + counted) * all.edge };
}

export function piecesOf({ edgeFrom, wholeFrom, until }: AtTimes): {
  readonly whole: bigint;
  readonly edge: bigint;
} {
  const edge = edgeFrom === undefined ? 0n : wholeFrom.work - edgeFrom.work;
  return { whole: until.work - wholeFrom.work, edge };
}
