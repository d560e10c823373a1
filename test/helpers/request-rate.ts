/** How often a bridge asks a node, as a tap between them sees it. */
import assert from 'node:assert/strict';
import type { Tap } from './tap.js';

/** What a bridge may ask of one node whatever happens: the bounds of its parts added up. */
const BURST = { base: 50, perChain: 12 };
const PER_SECOND = { base: 13, perChain: 3 };
/** Its post, the work after it, and work and stream of the chain that is mined instead where that one has to wait. */
const PER_SOLUTION = 4;

export interface RequestRate {
  readonly requests: number;
  readonly seconds: number;
  /** In any one second. */
  readonly most: number;
}

/** What the books ask about blocks that were found is theirs, and grows with the blocks. */
const isForBooks = (path: string): boolean => path.includes('/chain/');

/** @param sinceMs when the bridge began, on the clock of `performance.now`. */
export function rateOf(tap: Tap, sinceMs: number): RequestRate {
  const requestedAtMs = tap.requestedAtMs.filter((_, i) => !isForBooks(tap.requests[i] ?? ''));
  const inSecondFrom = (i: number): number => {
    const endMs = (requestedAtMs[i] ?? 0) + 1_000;
    const end = requestedAtMs.findIndex((atMs) => atMs > endMs);
    return (end < 0 ? requestedAtMs.length : end) - i;
  };
  const most = requestedAtMs.reduce((best, _, i) => Math.max(best, inSecondFrom(i)), 0);
  return { requests: requestedAtMs.length, seconds: (performance.now() - sinceMs) / 1000, most };
}

/** Fails when the requests were a storm: beyond the bounds in some second, or on the whole. */
export function assertCalm(tap: Tap, sinceMs: number, chains: number): void {
  const { requests, seconds, most } = rateOf(tap, sinceMs);
  const solutions = tap.requests.filter((path) => path.endsWith('/mining/solved')).length;
  const burst = BURST.base + BURST.perChain * chains;
  const bound = burst + (PER_SECOND.base + PER_SECOND.perChain * chains) * seconds + PER_SOLUTION * solutions;
  assert.ok(requests < bound, `${requests} requests in ${seconds} s are a storm`);
  assert.ok(most <= burst, `${most} requests in a second are a storm`);
}

export function showRate(tap: Tap, sinceMs: number): string {
  const { requests, seconds, most } = rateOf(tap, sinceMs);
  return `${requests} requests to a node in ${seconds.toFixed(1)} s, at most ${most} in a second`;
}
