/** What an account may expect a day: its part in finding blocks, by chance alone. An estimate, and no entry of any book. */
import type { BookedRate, RecentPay } from '../../bridge/watch/books-watch.js';
import { formatAmount, parseAmount } from '../../core/money/amount.js';

interface ExpectedReward {
  /** `null` where it cannot be known. */
  readonly perDay: string | null;
  /** Why not; `null` where it is known. */
  readonly reason: string | null;
  readonly blocksPerDay: number | null;
}

const DAY_SECONDS = 86_400;
/** Parts of a block that a day is counted in. */
const PARTS = 10n ** 15n;
const BASIS = 10_000n;

/** @param difficulties of the works that are mined now: a rig is on any of their chains. */
export function expectedReward(
  rate: BookedRate | undefined,
  difficulties: readonly bigint[],
  pay: RecentPay | undefined,
): ExpectedReward {
  const unknown = (reason: string): ExpectedReward => ({ perDay: null, reason, blocksPerDay: null });
  if (!rate) return unknown('no share of this account was booked in the last hour');
  const difficulty = meanDifficulty(difficulties);
  if (difficulty === undefined)
    return unknown('no node gives work now, so the difficulty of a block is not known');
  const blocksPerDay = (rate.hashesPerSecond * DAY_SECONDS) / difficulty;
  if (!pay) return { ...unknown('no block of this pool has a reward in the books yet'), blocksPerDay };
  const parts = BigInt(Math.round(blocksPerDay * Number(PARTS)));
  const whole = ((parseAmount(pay.reward) ?? 0n) * parts) / PARTS;
  const perDay = (whole * (BASIS - BigInt(pay.feeBasisPoints))) / BASIS;
  return { perDay: formatAmount(perDay), reason: null, blocksPerDay };
}

/** Hashes that a block takes on average where each of these is as likely to be worked on: the chances are added, not the hashes. */
export function meanDifficulty(difficulties: readonly bigint[]): number | undefined {
  if (difficulties.length === 0) return undefined;
  return difficulties.length / difficulties.reduce((sum, difficulty) => sum + 1 / Number(difficulty), 0);
}
