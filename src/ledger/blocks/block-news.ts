/** What happens to a block, for the timeline: told in the transaction that writes it. */
import type pg from 'pg';
import { type RowOf, rowOf, statementsOf } from '../database/statements.js';
import { tellInBooks } from '../timeline.js';

const SQL = statementsOf('blocks/blocks.sql');

/** To be called last in the transaction. */
export async function tellOfBlock(
  client: pg.ClientBase,
  blockId: string,
  became: 'confirmed' | 'orphaned' | 'reversed' | 'unclaimed',
): Promise<void> {
  const { reward, ...block } = await factsOf(client, blockId);
  if (became === 'confirmed') await tellInBooks(client, 'blockConfirmed', { ...block, reward });
  else if (became === 'unclaimed') await tellInBooks(client, 'blockUnclaimed', { ...block, reward });
  else await tellInBooks(client, became === 'orphaned' ? 'blockOrphaned' : 'blockReversed', block);
}

/** It pays an account that is none of the pool's. */
export async function tellPaysAnother(
  client: pg.ClientBase,
  blockId: string,
  receiver: string,
): Promise<void> {
  const { reward, ...block } = await factsOf(client, blockId);
  await tellInBooks(client, 'blockPaysAnother', { ...block, receiver });
}

type BlockFacts = RowOf<typeof SQL.facts>;

async function factsOf(client: pg.ClientBase, blockId: string): Promise<BlockFacts> {
  const facts = await rowOf(client, SQL.facts, [blockId]);
  if (!facts) throw new Error(`the books have no block ${blockId}`);
  return facts;
}
