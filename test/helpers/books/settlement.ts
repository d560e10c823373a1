/** Blocks seen and settled without nodes: what the follower and the leader of the bridges would do. */

import type pg from 'pg';
import { formatAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { tellOfBlock } from '../../../src/ledger/blocks/block-news.js';
import { orphanBlock, SQL } from '../../../src/ledger/blocks/blocks.js';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { run } from '../../../src/ledger/database/statements.js';
import { inTransaction, lockBlocks } from '../../../src/ledger/database/transaction.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { settlePeriods } from '../../../src/ledger/settlement/periods.js';
import { priceBlocks } from '../../../src/ledger/settlement/pricing.js';
import { markDependants } from '../../../src/ledger/settlement/rounds.js';
import { settleBlocks } from '../../../src/ledger/settlement/splitting.js';
import { type SettleOptions, weighBlocks } from '../../../src/ledger/settlement/weighing.js';
import { signRoot } from './root-key.js';

/** What a chain may say of a block of ours. */
export type Decided = 'pending' | 'confirmed' | 'orphaned';

export interface Pays {
  readonly reward: bigint;
  readonly fees?: bigint;
}

/** The id of the block that was written last. */
export async function newestBlock(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT max(id)::text AS id FROM ${SCHEMA}.block WHERE state IS NOT NULL`,
  );
  return rows[0]?.id ?? '';
}

/**
 * What became of a block, and what it pays: where it is pending, as the last block of its chain paid; confirmed without a word of that, as it was
 * expected. What was decided is undone first, as by an order.
 */
export async function sawBlock(pool: pg.Pool, id: string, state: Decided, pays?: Pays): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const reward = pays ? formatAmount(pays.reward) : await expectedOf(client, id);
    await isPending(client, id);
    if (state === 'orphaned') return orphanBlock(client, id);
    if (state === 'pending') return expectOf(client, id, reward);
    const fees = formatAmount(pays?.fees ?? 0n);
    const receiver = reward && 'k:pool';
    await run(client, SQL.confirm, [id, receiver, reward, fees, reward, reward && 'coinbase']);
    await markDependants(client, id);
    await tellOfBlock(client, id, state);
    return undefined;
  });
}

async function expectedOf(client: pg.ClientBase, id: string): Promise<string | null> {
  const { rows } = await client.query<{ reward: string | null }>(
    `SELECT coalesce(b.reward, c.reward)::text AS reward FROM ${SCHEMA}.block b LEFT JOIN ${SCHEMA}.chain c ON c.id = b.chain_id
     WHERE b.id = $1`,
    [id],
  );
  return rows[0]?.reward ?? null;
}

async function isPending(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(
    `UPDATE ${SCHEMA}.block SET state = 'pending', reward = NULL, reward_source = NULL, receiver = NULL, coinbase = NULL, fees = 0, due = true
     WHERE id = $1`,
    [id],
  );
  await markDependants(client, id);
}

async function expectOf(client: pg.ClientBase, id: string, reward: string | null): Promise<void> {
  await client.query(
    `INSERT INTO ${SCHEMA}.chain (id, network, head_height, reward) SELECT chain_id, 'test', height, $2 FROM ${SCHEMA}.block WHERE id = $1
     ON CONFLICT (id) DO UPDATE SET reward = coalesce(excluded.reward, chain.reward)`,
    [id, reward],
  );
}

interface More extends Partial<SettleOptions> {
  /** False where shares of before the last ten minutes are still to come: these are closed else, and the shares counted after them. */
  readonly ofPeriods?: boolean;
}

/** All that the leader can settle now. */
export async function settleAll(
  pool: pg.Pool,
  given: RewardRules | SettleOptions['rules'],
  { ofPeriods = true, ...more }: More = {},
): Promise<void> {
  const rules: SettleOptions['rules'] = typeof given === 'function' ? given : async () => given;
  const options = { pool, rules, signRoot, log: SILENT, ...more };
  await weighBlocks(options);
  await priceBlocks(options);
  await settleBlocks(options);
  if (ofPeriods) await settlePeriods(options);
}
