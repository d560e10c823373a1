/** What is approved: the lines themselves, and not a number that somebody may put other lines behind. */
import { createHash } from 'node:crypto';
import { type Amount, formatAmount } from '../../core/money/amount.js';

interface HashedLine {
  readonly account: string;
  /** `undefined`: not on a chain yet. */
  readonly chainId: number | undefined;
  readonly amount: Amount;
}

/** SHA-256 in hex, of the lines in one order, whatever order they come in. */
export function contentHash(lines: readonly HashedLine[]): string {
  const texts = lines.map(({ account, chainId, amount }) =>
    JSON.stringify([account, chainId ?? null, formatAmount(amount)]),
  );
  return createHash('sha256').update(texts.sort().join('\n')).digest('hex');
}
