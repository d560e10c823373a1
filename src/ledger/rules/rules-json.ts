/**
 * Rules of reward as a row of `rules` has them:
 *
 *     {"scheme":"pplns","feeBasisPoints":100,"pplnsWindow":{"permille":2000},"schedule":[[0,"2.304523000000"]],
 *      "poolAccounts":["k:…"],"chainDepth":"auto","chainNodes":2,"patienceMs":86400000,"keepRigsMs":7776000000,
 *      "keepAccountsMs":63072000000}
 *
 * `pplnsWindow`: thousandths of the block's difficulty, or `{"ms":…}`. `schedule`: height and reward from there on.
 * `chainDepth` and `chainNodes`: a number, or `auto`, which is told by the network that a block is of. Own fees are rows of `account_fee`.
 */
import { z } from 'zod';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { formatQuantity } from '../../values/units.js';
import type { PplnsWindow, RewardRules } from '../settlement/reward-rules.js';

/** What one version says. */
export type Rules = Omit<RewardRules, 'fees'> & { readonly feeBasisPoints: number };

const AMOUNT = z.string().transform((text, context) => {
  const amount = parseAmount(text);
  if (amount !== undefined) return amount;
  context.addIssue('is no amount');
  return z.NEVER;
});

const NUMBER_OR_AUTO = z.union([z.int().positive(), z.literal('auto')]);

const ROW = z.object({
  scheme: z.enum(['pplns', 'prop', 'solo', 'pps']),
  feeBasisPoints: z.int().min(0).max(10_000),
  pplnsWindow: z.union([z.object({ permille: z.int().positive() }), z.object({ ms: z.int().positive() })]),
  schedule: z.array(z.tuple([z.int().nonnegative(), AMOUNT])),
  poolAccounts: z.array(z.string()).readonly(),
  chainDepth: NUMBER_OR_AUTO,
  chainNodes: NUMBER_OR_AUTO,
  patienceMs: z.int().positive(),
  keepRigsMs: z.int().positive(),
  keepAccountsMs: z.int().positive(),
});

export function rulesFromJson(json: unknown): Rules {
  const { pplnsWindow, schedule, ...rest } = ROW.parse(json);
  return {
    ...rest,
    pplnsWindow: windowFrom(pplnsWindow),
    schedule: schedule.map(([fromHeight, amount]) => ({ fromHeight, amount })),
  };
}

function windowFrom(window: { permille: number } | { ms: number }): PplnsWindow {
  if ('ms' in window) return { of: 'time', ms: window.ms };
  return { of: 'difficulty', permille: BigInt(window.permille) };
}

export function rulesToJson({ pplnsWindow, schedule, ...rest }: Rules): z.input<typeof ROW> {
  return {
    ...rest,
    pplnsWindow:
      pplnsWindow.of === 'time' ? { ms: pplnsWindow.ms } : { permille: Number(pplnsWindow.permille) },
    schedule: schedule.map(({ fromHeight, amount }) => [fromHeight, formatAmount(amount)]),
  };
}

/** A word or two for each rule, for people. */
export function rulesInWords({
  scheme,
  feeBasisPoints,
  pplnsWindow,
  schedule,
  poolAccounts,
  chainDepth,
  chainNodes,
  patienceMs,
  keepRigsMs,
  keepAccountsMs,
}: Rules): Record<keyof Rules, string> {
  const steps = schedule.map(({ fromHeight, amount }) => `${fromHeight}=${formatAmount(amount)}`);
  return {
    scheme,
    feeBasisPoints: `${feeBasisPoints / 100}%`,
    pplnsWindow:
      pplnsWindow.of === 'time' ? `${pplnsWindow.ms}ms` : `${Number(pplnsWindow.permille) / 1000}x`,
    schedule: steps.join(',') || 'none',
    poolAccounts: poolAccounts.join(' '),
    chainDepth: String(chainDepth),
    chainNodes: String(chainNodes),
    patienceMs: formatQuantity(patienceMs, 'time'),
    keepRigsMs: formatQuantity(keepRigsMs, 'time'),
    keepAccountsMs: formatQuantity(keepAccountsMs, 'time'),
  };
}
