/** What an entry adds to the books: its shares summed by account, rig and time bucket. */
import type { Share } from '../core/share.js';

export const BUCKET_SECONDS = 10;

export interface ShareSum {
  readonly account: string;
  readonly rig: string;
  /** Seconds since the epoch, a multiple of {@link BUCKET_SECONDS}. */
  readonly startsAtSeconds: number;
  readonly shares: number;
  /** Expected hashes. */
  readonly work: bigint;
}

/** In one order for every caller, so that two transactions never wait for each other in a ring. */
export function sumShares(shares: readonly Share[]): ShareSum[] {
  const sums = new Map<string, ShareSum>();
  for (const share of shares) {
    const startsAtSeconds = bucketOf(share.acceptedAtMs);
    const key = JSON.stringify([share.account, share.rig, startsAtSeconds]);
    const before = sums.get(key);
    sums.set(key, {
      account: share.account,
      rig: share.rig,
      startsAtSeconds,
      shares: (before?.shares ?? 0) + 1,
      work: (before?.work ?? 0n) + share.difficulty,
    });
  }
  return Array.from(sums.keys())
    .sort()
    .flatMap((key) => sums.get(key) ?? []);
}

/** The bucket that a time falls in. */
export function bucketOf(timeMs: number): number {
  return Math.floor(timeMs / 1000 / BUCKET_SECONDS) * BUCKET_SECONDS;
}
