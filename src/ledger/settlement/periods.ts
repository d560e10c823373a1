/**
 * Periods of ten minutes: once all shares of one are in the books it gets a root, and under `pps` it is paid. Then what its shares were worth is
 * credited by the operator, whatever blocks come, by the rules in force when it began.
 */
import type pg from 'pg';
import { formatAmount } from '../../core/money/amount.js';
import { expectedValue, splitByWork } from '../../core/money/rewards.js';
import { EXPECTED_UNIT } from '../../core/shares/share.js';
import { needRoots } from '../audit/roots.js';
import { rowOf, run } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import type { RewardRules } from '../rules/rule-table.js';
import { feesById } from './credits.js';
import { scheduledReward } from './reward-rules.js';
import { OPERATOR_ID, type Transfer, transfer } from './transfers.js';
import { closeUpTo, type SettleOptions, SQL } from './weighing.js';
import { expectedIn, firstWorkFrom } from './weights.js';

const PERIOD_MS = 600_000;

/** Settles all periods that can be. @param signal ends it early, between two of them. */
export async function settlePeriods(options: SettleOptions, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const period = await nextPeriod(options.pool);
    if (!period || !(await settlePeriod(options, period))) return;
  }
}

const endOf = (period: Date): Date => new Date(period.getTime() + PERIOD_MS);

/** The first with shares of those that are over and were not looked at. */
async function nextPeriod(pool: pg.Pool): Promise<Date | undefined> {
  const { until = new Date(0), now = new Date(0) } = (await rowOf(pool, SQL.settledUntil)) ?? {};
  const first = await firstWorkFrom(pool, until);
  const period = first && new Date(Math.floor(first.getTime() / PERIOD_MS) * PERIOD_MS);
  return period && endOf(period) <= now ? period : undefined;
}

/** False when it cannot be settled yet. */
async function settlePeriod(options: SettleOptions, period: Date): Promise<boolean> {
  const rules = await options.rules(period);
  const isPaid = rules.scheme === 'pps';
  if (!(await closeUpTo(options, endOf(period)))) return false;
  return inTransaction(options.pool, async (client) => {
    await lockBlocks(client);
    const { height = null } = (await rowOf(client, SQL.tip, [endOf(period)])) ?? {};
    if (isPaid && height === null && rules.schedule.length > 1) {
      options.log.warn({}, NO_HEIGHT);
      return false;
    }
    const isFirst = (await run(client, SQL.isSettled, [period, endOf(period)])) === 1;
    // Another bridge led for a moment, and has settled it.
    if (isFirst) await needRoots(client, options.signRoot, [endOf(period)]);
    if (isFirst && isPaid) await pay(client, period, height ?? 0, rules);
    return true;
  });
}

const NO_HEIGHT =
  'pay per share waits: no chain is followed yet, and the scheduled reward depends on how high it is';

async function pay(client: pg.ClientBase, period: Date, height: number, rules: RewardRules): Promise<void> {
  const reward = scheduledReward(rules.schedule, height);
  const fees = await feesById(client, rules.fees);
  const transfers: Transfer[] = [];
  const cause = { code: 'pps', of: BigInt(period.getTime() / PERIOD_MS), time: 1 } as const;
  for (const { account, expected } of await expectedIn(client, period, endOf(period))) {
    const { amount } = expectedValue(reward, expected, EXPECTED_UNIT);
    const [credit] = splitByWork(amount, [{ account, work: 1n }], fees).credits;
    if (!credit) continue;
    transfers.push({ ...cause, debit: OPERATOR_ID, credit: Number(account), amount: credit.amount });
  }
  const total = transfers.reduce((sum, { amount }) => sum + amount, 0n);
  await run(client, SQL.writePeriod, [period, height, formatAmount(reward), formatAmount(total)]);
  await transfer(client, transfers);
}
