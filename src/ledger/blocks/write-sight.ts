/** What was seen of a block, written down. What that does to its split is settled by whoever finds it due. */
import type pg from 'pg';
import { formatAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, run } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { markDependants } from '../settlement/rounds.js';
import { tellOfAnother, tellOfBlock } from './block-news.js';
import { type BlockReward, type BlockSight, type BlockState, type PaysAnother, SQL } from './blocks.js';

/**
 * Any number of bridges may say the same or contradict each other: each step begins from where the books stand. `reward`: absent
 * while it is not known; it is written once.
 */
export async function writeSight(
  pool: pg.Pool,
  solutionId: string,
  sight: BlockSight,
  reward: BlockReward | PaysAnother | undefined,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const block = await rowOf(client, SQL.stands, [solutionId]);
    if (!block) throw new LedgerError('refused', `the books have no block of solution ${solutionId}`);
    const { state, isPriced } = block;
    const isOnChain = ON_CHAIN[sight.state];
    const found = isOnChain && !isPriced ? reward : undefined;
    const another = found && 'paysAnother' in found ? found.paysAnother : undefined;
    const priced = found && 'amount' in found ? found : undefined;
    const isDue = state !== sight.state || priced !== undefined;
    // What pays nobody yet is looked at until it does.
    const isKnown = isPriced || found !== undefined || !isOnChain;
    const settled = sight.settled && isKnown;
    await run(client, SQL.write, [
      solutionId,
      sight.state,
      sight.depth,
      sight.tipHeight,
      settled,
      sight.isSeen,
      isDue,
      priced ? formatAmount(priced.amount) : null,
      priced ? formatAmount(priced.fees) : null,
      another === undefined ? (priced?.source ?? null) : 'another',
    ]);
    if (state !== sight.state) await markDependants(client, solutionId);
    if (another !== undefined && !block.paysAnother) await tellOfAnother(client, solutionId, another);
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
