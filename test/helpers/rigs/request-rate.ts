/** How often a bridge asks a node, as a tap between them sees it. */
import assert from 'node:assert/strict';
import type { Tap } from '../stories/tap.js';

/** What a bridge may ask of one node whatever happens: the bounds of its parts added up. */
const BURST = { base: 50, perChain: 12 };
const PER_SECOND = { base: 13, perChain: 3 };
/** Its post, the work after it, and work and stream of the chain that is mined instead where that one has to wait. */
const PER_SOLUTION = 4;
/** The work after it. How many cuts there are is a matter of how fast the machine finds blocks. */
const PER_CUT = 1;
/** Storms are looked for in windows of this length too. On a busy machine what was asked in seconds is seen in one moment. */
const WINDOW_MS = 2_000;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the books ask about blocks that were found is theirs, and grows with the blocks. */
const isForBooks = (path: string): boolean => path.includes('/chain/');
const isSolution = (path: string): boolean => path.endsWith('/mining/solved');

function timesOf({ requests, requestedAtMs }: Tap, isMeant: (path: string) => boolean): number[] {
  return requestedAtMs.filter((_, i) => isMeant(requests[i] ?? ''));
}

/** How many of these times, in order, lie in the span. */
function countIn(timesMs: readonly number[], { fromMs, toMs }: Span): number {
  return timesMs.filter((atMs) => atMs >= fromMs && atMs <= toMs).length;
}

/** Fails when the requests were a storm: beyond the bounds in some short while, or on the whole. */
export function assertCalm(tap: Tap, sinceMs: number, chains: number): void {
  const askedAtMs = timesOf(tap, (path) => !isForBooks(path));
  const solvedAtMs = timesOf(tap, isSolution);
  const assertCalmIn = (span: Span, causes: Span): void => {
    const requests = countIn(askedAtMs, span);
    const seconds = (span.toMs - span.fromMs) / 1_000;
    const solutions = countIn(solvedAtMs, causes);
    const cuts = countIn(tap.answers.cutsAtMs, causes);
    const bound =
      BURST.base +
      BURST.perChain * chains +
      (PER_SECOND.base + PER_SECOND.perChain * chains) * seconds +
      PER_SOLUTION * solutions +
      PER_CUT * cuts;
    const heard = `${solutions} solutions and ${cuts} cuts`;
    assert.ok(requests <= bound, `${requests} requests in ${seconds} s with ${heard} are a storm`);
  };
  const whole = { fromMs: sinceMs, toMs: performance.now() };
  assertCalmIn(whole, whole);
  for (const fromMs of askedAtMs) {
    const span = { fromMs, toMs: fromMs + WINDOW_MS };
    assertCalmIn(span, { fromMs: fromMs - WINDOW_MS, toMs: span.toMs });
  }
}

export function showRate(tap: Tap, sinceMs: number): string {
  const askedAtMs = timesOf(tap, (path) => !isForBooks(path));
  const seconds = ((performance.now() - sinceMs) / 1000).toFixed(1);
  const most = askedAtMs.reduce(
    (best, fromMs) => Math.max(best, countIn(askedAtMs, { fromMs, toMs: fromMs + 1_000 })),
    0,
  );
  return `${askedAtMs.length} requests to a node in ${seconds} s, at most ${most} in a second`;
}
