/**
 * What becomes of the split of a block when something changes that it depends on. Weighed it is expected, and held;
 * confirmed it is posted, for good unless the block is undone. Whoever finds a block due may do it: the books are the same.
 */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { bulkRows, inTransaction, lockBlocks } from '../database/transaction.js';
import { type Credit, creditsOf, type DueBlock } from './credits.js';
import { expectedOf, holdInstead, postSplits, SQL } from './moved-splits.js';
import { rulesTime } from './reward-rules.js';
import { hasUndecidedBefore, roundBefore } from './rounds.js';
import type { SettleOptions } from './weighing.js';

/** Of one transaction. */
const BLOCKS_AT_A_TIME = 50;

/** Brings the splits of all blocks that are due to where they belong. @param signal ends it early. */
export async function settleBlocks(
  options: Pick<SettleOptions, 'pool' | 'rules'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await settleSome(options)));
}

/** True when there may be more. */
async function settleSome({ pool, rules }: Pick<SettleOptions, 'pool' | 'rules'>): Promise<boolean> {
  if (!(await rowOf(pool, SQL.isDue))?.due) return false;
  return inTransaction(pool, (client) => settleOnce(client, rules));
}

/** All that are due, within the caller's transaction. */
export async function settleDue(client: pg.ClientBase, rules: SettleOptions['rules']): Promise<void> {
  while (await settleOnce(client, rules));
}

/** True when there may be more. */
async function settleOnce(client: pg.ClientBase, rules: SettleOptions['rules']): Promise<boolean> {
  await lockBlocks(client);
  const blocks = await dueBlocks(client);
  const ids = blocks.map(({ id }) => id);
  const before = await expectedOf(client, ids);
  const moved: string[] = [];
  for (const block of blocks) if (await settle(client, block, rules)) moved.push(block.id);
  await postSplits(client, moved);
  await holdInstead(client, ids, before);
  return blocks.length === BLOCKS_AT_A_TIME;
}

async function dueBlocks(client: pg.ClientBase): Promise<DueBlock[]> {
  const rows = await rowsOf(client, SQL.takeDue, [BLOCKS_AT_A_TIME]);
  return rows
    .map(({ reward, fees, splitFrom, ...block }) => ({
      ...block,
      reward: reward === null ? undefined : parseAmount(reward),
      fees: parseAmount(fees) ?? 0n,
      splitFrom: splitFrom ?? undefined,
    }))
    .sort((a, b) => a.slot.getTime() - b.slot.getTime() || Number(BigInt(a.id) - BigInt(b.id)));
}

/** True when something of it is to be posted. */
async function settle(
  client: pg.ClientBase,
  block: DueBlock,
  rules: SettleOptions['rules'],
): Promise<boolean> {
  const counts = block.state === 'pending' || block.state === 'confirmed';
  if (!counts || block.reward === undefined || (block.state === 'pending' && block.isPosted))
    return takeBack(client, block);
  const from = await roundBefore(client, block);
  const isSplit = block.splitFrom?.getTime() === from.getTime();
  if (block.isPosted && isSplit) return false;
  const { fees } = await rules(rulesTime(block));
  const credits = await creditsOf(client, block, from, fees);
  if (block.isPosted) {
    await splitAgain(client, block, from, credits);
    return true;
  }
  await expect(client, block, from, credits);
  const isFinal = block.state === 'confirmed' && !(await hasUndecidedBefore(client, block));
  if (isFinal) await run(client, SQL.isPosted, [block.id]);
  return isFinal;
}

async function takeBack(client: pg.ClientBase, { id, isPosted, splitFrom }: DueBlock): Promise<boolean> {
  if (!splitFrom) return false;
  await run(client, isPosted ? SQL.reverse : SQL.expectNothing, [id]);
  await run(client, SQL.isTakenBack, [id]);
  return isPosted;
}

async function expect(
  client: pg.ClientBase,
  { id }: DueBlock,
  from: Date,
  credits: readonly Credit[],
): Promise<void> {
  await run(client, SQL.expectNothing, [id]);
  await bulkRows(client, SQL.expect, valuesOf(id, credits));
  await run(client, SQL.isSplit, [id, from]);
}

/** What it was split by has changed after it was posted: the difference is. */
async function splitAgain(
  client: pg.ClientBase,
  { id }: DueBlock,
  from: Date,
  credits: readonly Credit[],
): Promise<void> {
  await bulkRows(client, SQL.splitAgain, valuesOf(id, credits));
  await run(client, SQL.isSplit, [id, from]);
}

function valuesOf(
  id: string,
  credits: readonly Credit[],
): [block: string, accounts: number[], amounts: string[]] {
  return [id, credits.map(({ accountId }) => accountId), credits.map(({ amount }) => formatAmount(amount))];
}
