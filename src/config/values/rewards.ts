/** What is earned and paid out. */
import { z } from 'zod';
import { parseAmount } from '../../core/money/amount.js';
import { mapOf } from './lists-and-maps.js';
import { readQuantity, readWhole } from './units.js';
import { text } from './words.js';

const NO_AMOUNT = 'is no amount: digits, with up to 12 decimals after a point';

export const amount = z.union([z.string(), z.number()], NO_AMOUNT).transform((given, context) => {
  const parsed = parseAmount(String(given));
  if (parsed !== undefined && parsed >= 0n) return parsed;
  context.addIssue(NO_AMOUNT);
  return z.NEVER;
});

export const payable = amount.refine((given) => given > 0n, 'is not above zero');

const LONGEST_WINDOW_MS = 1_000_000 * 86_400_000;

/** `2x` or `1.5x`: multiples of the block's difficulty; `6h`, `30m`, `2d`: time. */
export const rewardWindow = text.transform((given, context) => {
  const multiple = /^(\d{1,6})(?:\.(\d{1,3}))?x$/.exec(given);
  if (multiple) {
    const permille = BigInt(multiple[1] ?? 0) * 1000n + BigInt((multiple[2] ?? '').padEnd(3, '0') || 0);
    if (permille > 0n) return { of: 'difficulty' as const, permille };
  }
  const ms = readQuantity(given, 'time') ?? 0;
  if (ms > 0 && ms <= LONGEST_WINDOW_MS) return { of: 'time' as const, ms };
  context.addIssue('is neither a multiple of the block difficulty such as 2x nor a time such as 6h');
  return z.NEVER;
});

export const rewardSchedule = mapOf(amount).transform((steps, context) => {
  const parsed = Object.entries(steps).map(([height, step]) => ({
    fromHeight: Number(readWhole(height, 'count') ?? -1),
    amount: step,
  }));
  if (parsed.every(({ fromHeight }) => Number.isSafeInteger(fromHeight) && fromHeight >= 0)) {
    return parsed.sort((a, b) => a.fromHeight - b.fromHeight);
  }
  context.addIssue('has a key that is no height');
  return z.NEVER;
});
