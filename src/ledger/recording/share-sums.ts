/** What an entry adds to the books: its shares summed by account, rig and time bucket. */
import type { Share } from '../../core/share.js';

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

/** What an account did, all rigs together. */
export interface AccountSum {
  readonly account: string;
  readonly shares: number;
  readonly work: bigint;
  /** Blocks that this work was expected to find, in units of {@link EXPECTED_UNIT}. */
  readonly expected: bigint;
}

/** A chance of one block. */
export const EXPECTED_UNIT = 10n ** 18n;

/** In one order for every caller, so that two transactions never wait for each other in a ring. */
export function sumShares(shares: readonly Share[]): ShareSum[] {
  const sums = new Map<string, ShareSum>();
  for (const { account, rig, acceptedAtMs, difficulty } of shares) {
    const startsAtSeconds = bucketOf(acceptedAtMs);
    const key = JSON.stringify([account, rig, startsAtSeconds]);
    const { shares, work } = sums.get(key) ?? { shares: 0, work: 0n };
    sums.set(key, { account, rig, startsAtSeconds, shares: shares + 1, work: work + difficulty });
  }
  return inKeyOrder(sums);
}

export function sumByAccount(shares: readonly Share[]): AccountSum[] {
  const sums = new Map<string, AccountSum>();
  for (const share of shares) {
    const { account, difficulty } = share;
    const { shares, work, expected } = sums.get(account) ?? { shares: 0, work: 0n, expected: 0n };
    sums.set(account, {
      account,
      shares: shares + 1,
      work: work + difficulty,
      expected: expected + expectedBlocks(share),
    });
  }
  return inKeyOrder(sums);
}

/** Every solution counts as a share, so no share has a worse chance of a block than one of the block's own difficulty. */
function expectedBlocks({ difficulty, blockDifficulty }: Share): bigint {
  return difficulty >= blockDifficulty ? EXPECTED_UNIT : (difficulty * EXPECTED_UNIT) / blockDifficulty;
}

function inKeyOrder<T>(sums: ReadonlyMap<string, T>): T[] {
  return Array.from(sums.keys())
    .sort()
    .flatMap((key) => sums.get(key) ?? []);
}

/** The bucket that a time falls in. */
export function bucketOf(timeMs: number): number {
  return Math.floor(timeMs / 1000 / BUCKET_SECONDS) * BUCKET_SECONDS;
}
