/** What happens to a block, for the timeline: told in the transaction that writes it. */
import type pg from 'pg';
import { type RowOf, rowOf } from '../database/statements.js';
import { tellInBooks } from '../timeline.js';
import { type BlockSight, type BlockState, SQL } from './blocks.js';

/** To be called last in the transaction, with the state that the block had before it. */
export async function tellOfBlock(
  client: pg.ClientBase,
  solutionId: string,
  was: BlockState,
  { state, depth }: BlockSight,
): Promise<void> {
  if (state === was) return;
  if (state === 'orphaned' || state === 'unknown') {
    const { reward, ...block } = await factsOf(client, solutionId);
    await tellInBooks(client, 'blockOrphaned', { ...block, state });
  } else if (state === 'confirmed') {
    const facts = await factsOf(client, solutionId);
    await tellInBooks(client, 'blockConfirmed', { ...facts, depth });
  } else if (was === 'orphaned' || was === 'unknown') {
    const { reward, ...block } = await factsOf(client, solutionId);
    await tellInBooks(client, 'blockReturned', { ...block, depth });
  }
}

/** It pays an account that is none of the pool's. */
export async function tellOfAnother(
  client: pg.ClientBase,
  solutionId: string,
  receiver: string,
): Promise<void> {
  const { reward, ...block } = await factsOf(client, solutionId);
  await tellInBooks(client, 'blockPaysAnother', { ...block, receiver });
}

type BlockFacts = RowOf<typeof SQL.facts>;

async function factsOf(client: pg.ClientBase, solutionId: string): Promise<BlockFacts> {
  const facts = await rowOf(client, SQL.facts, [solutionId]);
  if (!facts) throw new Error(`the books have no block of solution ${solutionId}`);
  return facts;
}
