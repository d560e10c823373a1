/** Blocks that are followed on their chain. */
import type pg from 'pg';
import { blockHashOf } from '../../core/bytes/block-hash.js';
import type { Amount } from '../../core/money/amount.js';
import { HASH_BYTES } from '../../core/work/header.js';
import { rowsOf, statementsOf } from '../database/statements.js';

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

/** It pays an account that is none of the pool's: nobody's income. */
export interface PaysAnother {
  readonly paysAnother: string;
}

export const SQL = statementsOf('blocks/blocks.sql');

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
  return (await rowsOf(pool, SQL.followed, [limit, restMs, which === 'new'])).map(withHash);
}

/** `every`: settled ones too. `paying`: confirmed ones that payouts depend on and that may still leave the chain. */
export type LookedAgain = 'every' | 'paying';

/** Of those, the ones after that solution, in their order. */
export async function listAgain(
  pool: pg.Pool,
  which: LookedAgain,
  after: string,
  limit: number,
): Promise<FollowedBlock[]> {
  return (await rowsOf(pool, SQL.again, [after, limit, which === 'every'])).map(withHash);
}

/** The first of version 0.1 came without. */
function withHash(block: FollowedBlock): FollowedBlock {
  return block.hash.length === HASH_BYTES ? block : { ...block, hash: blockHashOf(block.header) };
}
