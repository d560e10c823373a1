/** What happens to a block, for the timeline: told in the transaction that writes it. */
import type pg from 'pg';
import { toHex } from '../../core/bytes.js';
import { tellInBooks } from '../timeline.js';
import type { BlockSight, BlockState } from './blocks.js';

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
    const says = `${nameOf(block)} ${GONE_WORDS[state]}`;
    await tellInBooks(client, 'blockOrphaned', says, { ...block, state });
  } else if (state === 'confirmed') {
    const facts = await factsOf(client, solutionId);
    await tellInBooks(client, 'blockConfirmed', `${nameOf(facts)} is confirmed`, { ...facts, depth });
  } else if (was === 'orphaned' || was === 'unknown') {
    const { reward, ...block } = await factsOf(client, solutionId);
    await tellInBooks(client, 'blockReturned', `${nameOf(block)} is on the chain again`, { ...block, depth });
  }
}

const GONE_WORDS = {
  orphaned: 'is orphaned: it pays nobody',
  unknown: 'is not on the chain, and no node knows it: it pays nobody',
};

interface BlockFacts {
  readonly chainId: number;
  readonly height: number;
  readonly hash: string;
  readonly node: string;
  readonly account: string;
  readonly rig: string;
  readonly reward: string | null;
}

async function factsOf(client: pg.ClientBase, solutionId: string): Promise<BlockFacts> {
  const { rows } = await client.query<Omit<BlockFacts, 'height' | 'hash'> & { height: string; hash: Buffer }>(
    `SELECT s.chain_id AS "chainId", s.height, b.hash, s.node, s.account, s.rig, b.reward::text AS reward
     FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1`,
    [solutionId],
  );
  const [row] = rows;
  if (!row) throw new Error(`the books have no block of solution ${solutionId}`);
  return { ...row, height: Number(row.height), hash: toHex(row.hash) };
}

function nameOf({ chainId, height }: Pick<BlockFacts, 'chainId' | 'height'>): string {
  return `the block of chain ${chainId} at height ${height}`;
}
