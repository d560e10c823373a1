/** What was seen of a block, written down. What that does to its split is settled by whoever finds it due. */
import type pg from 'pg';
import { formatAmount } from '../../core/amount.js';
import { LedgerError } from '../database/errors.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { markDependants } from '../settlement/rounds.js';
import { tellOfBlock } from './block-news.js';
import type { BlockReward, BlockSight, BlockState } from './blocks.js';

/**
 * Any number of bridges may say the same or contradict each other: each step begins from where the books stand. `reward`: absent
 * while it is not known; it is written once.
 */
export async function writeSight(
  pool: pg.Pool,
  solutionId: string,
  sight: BlockSight,
  reward: BlockReward | undefined,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const { state, isPriced } = await readBlock(client, solutionId);
    const isOnChain = ON_CHAIN[sight.state];
    const priced = isOnChain && !isPriced ? reward : undefined;
    const isDue = state !== sight.state || priced !== undefined;
    // What pays nobody yet is looked at until it does.
    const settled = sight.settled && (isPriced || priced !== undefined || !isOnChain);
    await client.query(WRITE, [
      solutionId,
      sight.state,
      sight.depth,
      sight.tipHeight,
      settled,
      sight.isSeen,
      isDue,
      priced ? formatAmount(priced.amount) : null,
      priced ? formatAmount(priced.fees) : null,
      priced?.source ?? null,
    ]);
    if (state !== sight.state) await markDependants(client, solutionId);
    await tellOfBlock(client, solutionId, state, sight);
  });
}

const ON_CHAIN: Record<BlockState, boolean> = {
  pending: false,
  unknown: false,
  orphaned: false,
  onChain: true,
  confirmed: true,
};

async function readBlock(
  client: pg.ClientBase,
  solutionId: string,
): Promise<{ state: BlockState; isPriced: boolean }> {
  const { rows } = await client.query<{ state: BlockState; is_priced: boolean }>(
    'SELECT state, reward IS NOT NULL AS is_priced FROM block WHERE solution_id = $1 FOR UPDATE',
    [solutionId],
  );
  const [row] = rows;
  if (!row) throw new LedgerError('refused', `the books have no block of solution ${solutionId}`);
  return { state: row.state, isPriced: row.is_priced };
}

const WRITE = `
  UPDATE block SET state = $2, depth = $3, tip_height = greatest(tip_height, $4), settled = $5, checked_at = now(),
    seen_at = CASE WHEN $6 THEN now() ELSE seen_at END, changed_at = CASE WHEN state = $2 THEN changed_at ELSE now() END,
    due = due OR $7, reward = coalesce(reward, $8::numeric), fees = coalesce($9::numeric, fees),
    reward_source = coalesce(reward_source, $10)
  WHERE solution_id = $1`;
