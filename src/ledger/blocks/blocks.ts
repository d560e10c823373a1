/** Blocks of ours: what they bring, and what is written when one is confirmed or orphaned. */
import type pg from 'pg';
import type { PayloadOutputs } from '../../bridge/ports.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { run, statementsOf } from '../database/statements.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { type BlockIncome, incomeOf } from '../settlement/block-income.js';
import { scheduledReward } from '../settlement/reward-rules.js';
import { markDependants } from '../settlement/rounds.js';
import { tellOfBlock, tellPaysAnother } from './block-news.js';

export type BlockState = 'pending' | 'confirmed' | 'orphaned' | 'unclaimed' | 'disowned';

export const SQL = statementsOf('blocks/blocks.sql');

/** A row of ours, at its place on the chain. */
interface OwnBlock {
  readonly id: string;
  readonly height: number;
  readonly foundAt: Date;
}

interface Price {
  readonly reward: Amount;
  readonly source: 'coinbase' | 'schedule';
}

/**
 * What a block brings by its coinbase; where that cannot be read by the schedule. `undefined`: it pays an account that is none of the pool's, or
 * there is no schedule. It goes by the rules of when it was found, and by what was set since.
 */
export async function priceOf(
  { height, foundAt }: Omit<OwnBlock, 'id'>,
  income: BlockIncome | undefined,
  rules: RulesSource,
): Promise<Price | undefined> {
  const then = await rules(foundAt);
  if (income) {
    const { receiver, reward } = income;
    const isOurs = then.poolAccounts.includes(receiver) || (await rules()).poolAccounts.includes(receiver);
    return isOurs ? { reward, source: 'coinbase' } : undefined;
  }
  const { schedule } = then.schedule.length > 0 ? then : await rules();
  if (schedule.length === 0) return undefined;
  return { reward: scheduledReward(schedule, height), source: 'schedule' };
}

/** The caller holds the lock of blocks. @param payload `undefined`: no node has it. */
export async function confirmBlock(
  client: pg.ClientBase,
  block: OwnBlock,
  payload: PayloadOutputs | undefined,
  rules: RulesSource,
): Promise<void> {
  await confirmWith(client, block, payload && incomeOf(payload), rules);
}

/** The same of one whose coinbase was read before. */
export async function confirmWith(
  client: pg.ClientBase,
  block: OwnBlock,
  income: BlockIncome | undefined,
  rules: RulesSource,
): Promise<void> {
  const price = await priceOf(block, income, (at) => rules(at, client));
  await run(client, SQL.confirm, [
    block.id,
    income?.receiver,
    income && formatAmount(income.reward),
    income && formatAmount(income.fees),
    price && formatAmount(price.reward),
    price?.source,
  ]);
  await markDependants(client, block.id);
  if (income && !price) await tellPaysAnother(client, block.id, income.receiver);
  await tellOfBlock(client, block.id, 'confirmed');
}

/** The caller holds the lock of blocks. */
export async function orphanBlock(client: pg.ClientBase, id: string): Promise<void> {
  await run(client, SQL.orphan, [id]);
  await markDependants(client, id);
  await tellOfBlock(client, id, 'orphaned');
}
