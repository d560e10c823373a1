/**
 * What becomes of the split of a block when something changes that it depends on. On the chain and weighed it is expected, and held;
 * confirmed it is posted, for good unless the block leaves the chain. Whoever finds a block due may do it: the books are the same.
 */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/amount.js';
import type { Scheme } from '../../core/rewards.js';
import type { BlockState } from '../blocks/blocks.js';
import { bulkQuery, inTransaction, lockBlocks } from '../database/transaction.js';
import { type Credit, creditsOf, type DueBlock } from './credits.js';
import { expectedOf, holdInstead, postSplits } from './moved-splits.js';
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
  const { rows } = await pool.query<{ due: boolean }>(`SELECT EXISTS (${DUE}) AS due`);
  if (rows[0]?.due !== true) return false;
  return inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const blocks = await dueBlocks(client);
    const ids = blocks.map(({ id }) => id);
    const before = await expectedOf(client, ids);
    const moved: string[] = [];
    for (const block of blocks) if (await settle(client, block, rules)) moved.push(block.id);
    await postSplits(client, moved);
    await holdInstead(client, ids, before);
    return blocks.length === BLOCKS_AT_A_TIME;
  });
}

const DUE = 'SELECT FROM block WHERE due AND weighed_at IS NOT NULL';

async function dueBlocks(client: pg.ClientBase): Promise<DueBlock[]> {
  const { rows } = await client.query<{
    solution_id: string;
    slot: Date;
    state: BlockState;
    scheme: Scheme;
    found_at: Date;
    reward: string | null;
    fees: string;
    is_posted: boolean;
    split_from: Date | null;
  }>(
    `UPDATE block b SET due = false FROM solution s WHERE s.id = b.solution_id AND b.solution_id IN (
       SELECT solution_id FROM block WHERE due AND weighed_at IS NOT NULL ORDER BY slot, solution_id LIMIT $1)
     RETURNING b.solution_id, b.slot, b.state, b.scheme, s.found_at, b.reward, b.fees, b.posted_at IS NOT NULL AS is_posted,
       b.split_from`,
    [BLOCKS_AT_A_TIME],
  );
  return rows
    .map((row) => ({
      id: row.solution_id,
      slot: row.slot,
      state: row.state,
      scheme: row.scheme,
      foundAt: row.found_at,
      reward: row.reward === null ? undefined : parseAmount(row.reward),
      fees: parseAmount(row.fees) ?? 0n,
      isPosted: row.is_posted,
      splitFrom: row.split_from ?? undefined,
    }))
    .sort((a, b) => a.slot.getTime() - b.slot.getTime() || Number(BigInt(a.id) - BigInt(b.id)));
}

/** True when something of it is to be posted. */
async function settle(
  client: pg.ClientBase,
  block: DueBlock,
  rules: SettleOptions['rules'],
): Promise<boolean> {
  const isOnChain = block.state === 'onChain' || block.state === 'confirmed';
  if (!isOnChain || block.reward === undefined) return takeBack(client, block);
  const from = await roundBefore(client, block);
  const isSplit = block.splitFrom?.getTime() === from.getTime();
  if (block.isPosted && isSplit) return false;
  if (!isSplit) {
    const { fees } = await rules(rulesTime(block));
    const credits = await creditsOf(client, block, from, fees);
    if (block.isPosted) {
      await splitAgain(client, block, from, credits);
      return true;
    }
    await expect(client, block, from, credits);
  }
  const isFinal = block.state === 'confirmed' && !(await hasUndecidedBefore(client, block));
  if (isFinal) await client.query('UPDATE block SET posted_at = now() WHERE solution_id = $1', [block.id]);
  return isFinal;
}

async function takeBack(client: pg.ClientBase, { id, isPosted, splitFrom }: DueBlock): Promise<boolean> {
  if (!splitFrom) return false;
  if (isPosted) await client.query(REVERSE, [id]);
  else await client.query('DELETE FROM block_split WHERE solution_id = $1 AND period IS NULL', [id]);
  await client.query('UPDATE block SET posted_at = NULL, split_from = NULL WHERE solution_id = $1', [id]);
  return isPosted;
}

const REVERSE = `
  INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
    SELECT $1, (SELECT max(number) + 1 FROM block_split WHERE solution_id = $1), 'reversed',
           coalesce(array_agg(account), '{}'), coalesce(array_agg(-amount), '{}')
    FROM (SELECT account, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
          WHERE solution_id = $1 GROUP BY account HAVING sum(amount) <> 0) AS stands`;

async function expect(
  client: pg.ClientBase,
  { id }: DueBlock,
  from: Date,
  credits: readonly Credit[],
): Promise<void> {
  await client.query('DELETE FROM block_split WHERE solution_id = $1 AND period IS NULL', [id]);
  await bulkQuery(
    client,
    `INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
     SELECT $1, coalesce(max(number), 0) + 1, 'block', $2, $3 FROM block_split WHERE solution_id = $1`,
    valuesOf(id, credits),
  );
  await client.query('UPDATE block SET split_from = $2 WHERE solution_id = $1', [id, from]);
}

/** What it was split by has changed after it was posted: the difference is. */
async function splitAgain(
  client: pg.ClientBase,
  { id }: DueBlock,
  from: Date,
  credits: readonly Credit[],
): Promise<void> {
  await bulkQuery(client, SPLIT_AGAIN, valuesOf(id, credits));
  const text = 'UPDATE block SET split_from = $2, resplits = resplits + 1 WHERE solution_id = $1';
  await client.query(text, [id, from]);
}

const SPLIT_AGAIN = `
  INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
    SELECT $1, (SELECT max(number) + 1 FROM block_split WHERE solution_id = $1), 'split again',
           coalesce(array_agg(account), '{}'), coalesce(array_agg(amount), '{}')
    FROM (SELECT account, sum(amount) AS amount FROM (
            SELECT account, -amount AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount) WHERE solution_id = $1
            UNION ALL SELECT * FROM unnest($2::int[], $3::numeric[])) AS changes
          GROUP BY account HAVING sum(amount) <> 0) AS difference`;

function valuesOf(id: string, credits: readonly Credit[]): unknown[] {
  return [id, credits.map(({ accountId }) => accountId), credits.map(({ amount }) => formatAmount(amount))];
}
