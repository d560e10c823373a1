/** Amounts of coins. */
import { z } from 'zod';
import { parseAmount } from '../core/money/amount.js';
import { wordOr } from './words.js';

const NO_AMOUNT = 'is no amount: digits, with up to 12 decimals after a point';

export const amount = z.union([z.string(), z.number()], NO_AMOUNT).transform((given, context) => {
  const parsed = parseAmount(String(given));
  if (parsed !== undefined && parsed >= 0n) return parsed;
  context.addIssue(NO_AMOUNT);
  return z.NEVER;
});

export const payable = amount.refine((given) => given > 0n, 'is not above zero');

/** A bound that may be left out. */
export const amountOrNone = wordOr(
  'none',
  payable,
  'is neither none nor an amount above zero with up to 12 decimals',
);
