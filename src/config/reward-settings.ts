/** Settings of what is earned and paid out. */
import { z } from 'zod';
import { parseAmount } from '../core/amount.js';
import { setting } from './setting.js';
import * as value from './values.js';

const amount = z.union([z.string(), z.number()]).transform((given, context) => {
  const parsed = parseAmount(String(given));
  if (parsed !== undefined && parsed >= 0n) return parsed;
  context.addIssue('is no amount: digits, with up to 12 decimals after a point');
  return z.NEVER;
});

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2x` or `1.5x`: multiples of the block's difficulty; `6h`, `30m`, `2d`, `90s`: time. */
const window = value.text.transform((text, context) => {
  const multiple = /^(\d{1,6})(?:\.(\d{1,3}))?x$/.exec(text);
  if (multiple) {
    const permille = BigInt(multiple[1] ?? 0) * 1000n + BigInt((multiple[2] ?? '').padEnd(3, '0') || 0);
    if (permille > 0n) return { of: 'difficulty' as const, permille };
  }
  const time = /^(\d{1,6})([smhd])$/.exec(text);
  if (time && Number(time[1]) > 0)
    return { of: 'time' as const, ms: Number(time[1]) * (UNITS_MS[time[2] ?? ''] ?? 0) };
  context.addIssue('is neither a multiple of the block difficulty such as 2x nor a time such as 6h');
  return z.NEVER;
});

const schedule = value.mapOf(amount).transform((steps, context) => {
  const parsed = Object.entries(steps).map(([height, step]) => ({
    fromHeight: Number(height),
    amount: step,
  }));
  if (parsed.every(({ fromHeight }) => Number.isSafeInteger(fromHeight) && fromHeight >= 0)) {
    return parsed.sort((a, b) => a.fromHeight - b.fromHeight);
  }
  context.addIssue('has a key that is no height');
  return z.NEVER;
});

export const REWARD_SETTINGS = {
  'rewards.scheme': setting('reward-scheme', value.oneOf('pplns', 'prop', 'solo', 'pps'), {
    default: 'pplns',
    shape: 'NAME',
    help: 'How a block is split: pplns (the last shares before it), prop (the shares since the one before), solo (its finder), pps (each share at its expected value).',
  }),
  'rewards.pplnsWindow': setting('pplns-window', window, {
    default: '2x',
    shape: 'WINDOW',
    help: 'How far back pplns looks: a multiple of the block difficulty such as 2x, or a time such as 6h.',
  }),
  'rewards.feeBasisPoints': setting('fee', value.integer(0, 10_000), {
    default: 100,
    shape: 'BASIS-POINTS',
    help: "The operator's part, in hundredths of a percent.",
  }),
  'rewards.feeOverrides': setting('account-fee', value.mapOf(value.integer(0, 10_000)), {
    default: {},
    shape: 'ACCOUNT=BASIS-POINTS',
    repeatable: true,
    help: 'The fee of single accounts.',
  }),
  'rewards.schedule': setting('block-reward', schedule, {
    default: {},
    shape: 'HEIGHT=AMOUNT',
    repeatable: true,
    help: 'Reward of blocks from that height on, where their coinbase cannot be read; pps needs it always.',
  }),
  'rewards.confirmDepth': setting('confirm-depth', value.integer(1, 10_000), {
    default: 6,
    shape: 'BLOCKS',
    help: 'Blocks on top of a block, itself included, that make its reward payable.',
  }),
  'payouts.minimum': setting(
    'minimum-payout',
    amount.refine((given) => given > 0n, 'is not above zero'),
    {
      default: '1',
      shape: 'AMOUNT',
      help: 'Balances below it wait for a later payout.',
    },
  ),
};
