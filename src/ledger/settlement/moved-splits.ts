/** What splits do to the books: those that are due are posted in the period of now, and what is only expected is held. */
import type pg from 'pg';
import type { Scheme } from '../../core/money/rewards.js';
import { type RowOf, run, statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';

export const SQL = statementsOf<'settlement/splits.sql', { takeDue: { scheme: Scheme } }>(
  'settlement/splits.sql',
);

/** Of these blocks, all that was not posted yet. */
export async function postSplits(client: pg.ClientBase, blocks: readonly string[]): Promise<void> {
  if (blocks.length > 0) await bulkRows(client, SQL.post, [blocks]);
}

/** What is expected of some blocks, by account. */
type Expected = RowOf<typeof SQL.expected>;

export async function expectedOf(client: pg.ClientBase, blocks: readonly string[]): Promise<Expected> {
  const [expected] = await bulkRows(client, SQL.expected, [blocks]);
  return expected ?? { accounts: [], amounts: [] };
}

/** Brings table `held` to what is expected of these blocks now: `before` that was this, and is not any more. */
export async function holdInstead(
  client: pg.ClientBase,
  blocks: readonly string[],
  before: Expected,
): Promise<void> {
  await bulkRows(client, SQL.hold, [blocks, before.accounts, before.amounts]);
  await run(client, SQL.holdNoZeros);
}
