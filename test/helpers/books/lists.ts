/** What lists of the ledger show, and what its tables have beside it. */
import type pg from 'pg';
import { askOf } from '../../../src/ledger/database/statements.js';
import { blocksOf, payoutsOf } from '../../../src/ledger/watch/blocks.js';
import { readExpected } from '../../../src/ledger/watch/expected.js';
import { listed } from '../../../src/ledger/watch/lists.js';
import type { Block } from '../../../src/operations/books/blocks.js';
import type { LedgerLists, LedgerQuestions } from '../../../src/operations/books/ledger.js';
import type { Payout } from '../../../src/operations/books/payouts.js';

export interface BlockRow extends Block {
  /** What its node said. */
  readonly solution: string;
  readonly rewardSource: string | null;
  readonly scheme: string | null;
}

/** The latest first. */
export async function blocksIn(pool: pg.Pool, limit: number): Promise<BlockRow[]> {
  const { items } = await blocksOf(askOf(pool), { limit });
  const { rows } = await pool.query<{ id: string } & Omit<BlockRow, keyof Block>>(
    'SELECT id, said AS solution, reward_source AS "rewardSource", scheme FROM block WHERE state IS NOT NULL',
  );
  return items.map((item) => ({ ...item, ...rows.find(({ id }) => id === item.id) }) as BlockRow);
}

export async function listIn<K extends 'accounts' | 'operator' | 'logs' | 'rules'>(
  pool: pg.Pool,
  name: K,
): Promise<readonly LedgerLists[K][]> {
  const ask = askOf(pool);
  const question = { offset: 0, limit: 100 } as LedgerQuestions[K];
  return (await listed(ask, () => readExpected(ask), name, question))?.items ?? [];
}

/** The latest first. */
export async function payoutsIn(pool: pg.Pool): Promise<readonly Payout[]> {
  return (await payoutsOf(askOf(pool), { limit: 100 })).items;
}
