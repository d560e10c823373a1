/** Blocks that are followed on their chain. */
import type pg from 'pg';
import type { Amount } from '../../core/amount.js';
import { blockHashOf } from '../../core/block-hash.js';
import { HASH_BYTES } from '../../core/header.js';

export type BlockState = 'pending' | 'onChain' | 'confirmed' | 'orphaned' | 'unknown';

/** A solution that a node may have taken, as the follower needs it. */
export interface FollowedBlock {
  readonly solutionId: string;
  readonly node: string;
  readonly chainId: number;
  readonly height: number;
  /** As computed from the header, 32 bytes. */
  readonly hash: Uint8Array;
  readonly header: Uint8Array;
  /** Its rules of reward are those in force then. */
  readonly foundAt: Date;
  /** Since its state last changed, by the database's clock. */
  readonly unchangedMs: number;
  readonly state: BlockState;
  readonly tipHeight: number;
  /** What it pays is in the books. */
  readonly isPriced: boolean;
}

/** What nodes say of a block now. */
export interface BlockSight {
  readonly state: BlockState;
  /** Blocks on the chain from this one to the tip, itself included; 0 when it is not on the chain. */
  readonly depth: number;
  readonly tipHeight: number;
  /** It need not be looked at again. */
  readonly settled: boolean;
  /** Nodes put it on the chain now, and none of those asked says otherwise. */
  readonly isSeen: boolean;
}

export interface BlockReward {
  readonly amount: Amount;
  /** What its transactions paid the miner besides. */
  readonly fees: Amount;
  /** Where the amount is from: `coinbase`, `schedule`. */
  readonly source: string;
}

/** All that are followed, or those that were not looked at yet. */
export type Which = 'all' | 'new';

/**
 * Blocks to look at, the longest not looked at first. Those that are settled but for a deep reorganisation (confirmed,
 * orphaned) come again only after `restMs`.
 */
export async function listFollowed(
  pool: pg.Pool,
  limit: number,
  restMs = 0,
  which: Which = 'all',
): Promise<FollowedBlock[]> {
  const { rows } = await pool.query<FollowedRow>(
    `${FOLLOWED} WHERE NOT b.settled AND ($3 = 'all' OR b.checked_at IS NULL) AND (
       b.state IN ('pending', 'onChain') OR b.checked_at IS NULL
       OR b.checked_at <= now() - $2 * interval '1 millisecond')
     ORDER BY b.checked_at NULLS FIRST, b.solution_id LIMIT $1`,
    [limit, restMs, which],
  );
  return rows.map(followedFrom);
}

/** SQL that tells whether a row `b` of block could still leave the chain and has made a miner's balance larger. */
export const PAYS_UNSETTLED = `b.posted_at IS NOT NULL AND (NOT b.settled OR b.due) AND EXISTS (
  SELECT FROM block_split c WHERE c.solution_id = b.solution_id AND array_remove(c.accounts, 0) <> '{}')`;

/** `every`: settled ones too. `paying`: confirmed ones that payouts depend on and that may still leave the chain. */
export type LookedAgain = 'every' | 'paying';

/** Of those, the ones after that solution, in their order. */
export async function listAgain(
  pool: pg.Pool,
  which: LookedAgain,
  after: string,
  limit: number,
): Promise<FollowedBlock[]> {
  const condition = which === 'every' ? 'true' : PAYS_UNSETTLED;
  const { rows } = await pool.query<FollowedRow>(
    `${FOLLOWED} WHERE b.solution_id > $1 AND ${condition} ORDER BY b.solution_id LIMIT $2`,
    [after, limit],
  );
  return rows.map(followedFrom);
}

const FOLLOWED = `
  SELECT b.solution_id, s.node, s.chain_id, s.height, b.hash, s.header, s.found_at, b.state, b.tip_height,
         b.reward IS NOT NULL AS is_priced, (extract(epoch FROM now() - b.changed_at) * 1000)::float8 AS unchanged_ms
  FROM block b JOIN solution s ON s.id = b.solution_id`;

function followedFrom(row: FollowedRow): FollowedBlock {
  return {
    solutionId: row.solution_id,
    node: row.node,
    chainId: row.chain_id,
    height: Number(row.height),
    // Rows of the first version came without.
    hash: row.hash.length === HASH_BYTES ? row.hash : blockHashOf(row.header),
    header: row.header,
    foundAt: row.found_at,
    unchangedMs: row.unchanged_ms,
    state: row.state,
    tipHeight: Number(row.tip_height),
    isPriced: row.is_priced,
  };
}

interface FollowedRow {
  solution_id: string;
  node: string;
  chain_id: number;
  height: string;
  hash: Buffer;
  header: Buffer;
  found_at: Date;
  state: BlockState;
  tip_height: string;
  is_priced: boolean;
  unchanged_ms: number;
}
