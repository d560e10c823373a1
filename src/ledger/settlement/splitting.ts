/**
 * Splits blocks: one that is confirmed, and by whose work is known, is transferred to who worked for it. It is taken back when the block leaves
 * its chain, and split again when the round that it pays has changed. Whoever finds a block due may do it: the ledger is the same.
 */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { bulkRows, inTransaction, lockBlocks } from '../database/transaction.js';
import { creditsOf, type DueBlock, SQL } from './credits.js';
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
  for (const block of blocks) await settle(client, block, rules);
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

async function settle(client: pg.ClientBase, block: DueBlock, rules: SettleOptions['rules']): Promise<void> {
  const pays = block.state === 'confirmed' && block.reward !== undefined;
  const from = pays ? await roundBefore(client, block) : undefined;
  if (block.splitFrom?.getTime() === from?.getTime()) return;
  if (block.splitFrom) await takeBack(client, block);
  // One that was split is split again at once: who was paid by it does not wait twice.
  if (!from || (!block.splitFrom && (await hasUndecidedBefore(client, block)))) return;
  const { fees } = await rules(rulesTime(block), client);
  const credits = await creditsOf(client, block, from, fees);
  const [accounts, amounts] = [
    credits.map(({ accountId }) => accountId),
    credits.map(({ amount }) => formatAmount(amount)),
  ];
  await bulkRows(client, SQL.split, [block.id, from, accounts, amounts]);
  await bulkRows(client, SQL.divide, [block.id]);
}

async function takeBack(client: pg.ClientBase, { id }: DueBlock): Promise<void> {
  const [taken] = await bulkRows(client, SQL.takeBack, [id]);
  if (!taken?.done) throw new LedgerError('refused', `block ${id} ${LONG_AGO}`);
  await run(client, SQL.isTakenBack, [id]);
}

const LONG_AGO = 'was split so long ago that its transfers are summed up by the day: it cannot be taken back';
