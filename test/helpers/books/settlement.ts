/** Blocks seen and settled without nodes: what a follower and the leader of the bridges would do. */
import type pg from 'pg';
import { SILENT } from '../../../src/core/names/log.js';
import type { BlockState } from '../../../src/ledger/blocks/blocks.js';
import { writeSight } from '../../../src/ledger/blocks/write-sight.js';
import { settlePps } from '../../../src/ledger/settlement/pps.js';
import type { RewardRules } from '../../../src/ledger/settlement/reward-rules.js';
import { settleBlocks } from '../../../src/ledger/settlement/splitting.js';
import { type SettleOptions, weighBlocks } from '../../../src/ledger/settlement/weighing.js';

export interface Pays {
  readonly reward: bigint;
  readonly fees?: bigint;
  /** Nobody looks at it again. */
  readonly settled?: boolean;
}

/** Nodes say so of the block, and what it pays. */
export async function sawBlock(pool: pg.Pool, id: string, state: BlockState, pays?: Pays): Promise<void> {
  const isSeen = state === 'onChain' || state === 'confirmed';
  const depth = state === 'confirmed' ? 6 : isSeen ? 1 : 0;
  const sight = { state, depth, tipHeight: 9, settled: pays?.settled ?? false, isSeen };
  await writeSight(
    pool,
    id,
    sight,
    pays && { amount: pays.reward, fees: pays.fees ?? 0n, source: 'schedule' },
  );
}

/** All that the leader can settle now. */
export async function settleAll(
  pool: pg.Pool,
  given: RewardRules | SettleOptions['rules'],
  more: Partial<SettleOptions> = {},
): Promise<void> {
  const rules: SettleOptions['rules'] = typeof given === 'function' ? given : async () => given;
  const options = { pool, rules, log: SILENT, patienceMs: 86_400_000, ...more };
  await weighBlocks(options);
  await settleBlocks(options);
  await settlePps(options);
}
