/** What splits do to the books: those that are due are posted in the period of now, and what is only expected is held. */
import type pg from 'pg';
import { bulkQuery } from '../database/transaction.js';

/** Of these blocks, all that was not posted yet. */
export async function postSplits(client: pg.ClientBase, blocks: readonly string[]): Promise<void> {
  if (blocks.length > 0) await bulkQuery(client, POST, [blocks]);
}

/** What a block pays is owed by the operator's book of rewards. */
const POST = `
  WITH moved AS (
    UPDATE block_split SET period = period_of(now()) WHERE solution_id = ANY ($1::bigint[]) AND period IS NULL
    RETURNING cause, accounts, amounts
  ), line AS (
    SELECT cause, account, sum(amount) AS amount FROM moved, unnest(accounts, amounts) AS u (account, amount) GROUP BY 1, 2
  )
  SELECT post(NULL, cause, array_agg(account), array_agg(book), array_agg(amount)) FROM (
    SELECT cause, account, 'balance' AS book, amount FROM line
    UNION ALL SELECT cause, 0, 'rewards', -sum(amount) FROM line GROUP BY cause) AS lines
  GROUP BY cause ORDER BY cause`;

/** What is expected of some blocks, by account. */
export interface Expected {
  readonly accounts: readonly number[];
  readonly amounts: readonly string[];
}

export async function expectedOf(client: pg.ClientBase, blocks: readonly string[]): Promise<Expected> {
  const { rows } = await bulkQuery<Expected>(client, EXPECTED, [blocks]);
  return rows[0] ?? { accounts: [], amounts: [] };
}

const EXPECTED = `
  SELECT coalesce(array_agg(account), '{}') AS accounts, coalesce(array_agg(amount::text), '{}') AS amounts
  FROM block_split, unnest(accounts, amounts) AS u (account, amount) WHERE period IS NULL AND solution_id = ANY ($1::bigint[])`;

/** Brings table `held` to what is expected of these blocks now: `before` that was this, and is not any more. */
export async function holdInstead(
  client: pg.ClientBase,
  blocks: readonly string[],
  before: Expected,
): Promise<void> {
  await bulkQuery(client, HOLD, [blocks, before.accounts, before.amounts]);
  await client.query('DELETE FROM held WHERE amount = 0');
}

const HOLD = `
  INSERT INTO held (account_id, amount)
    SELECT account, sum(amount) FROM (
      SELECT account, amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
      WHERE period IS NULL AND solution_id = ANY ($1::bigint[])
      UNION ALL SELECT account, -amount FROM unnest($2::int[], $3::numeric[]) AS b (account, amount)) AS changes
    GROUP BY account HAVING sum(amount) <> 0 ORDER BY account
  ON CONFLICT (account_id) DO UPDATE SET amount = held.amount + excluded.amount`;
