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

/** Brings table `held` to what is expected now. */
export async function refreshHeld(client: pg.ClientBase): Promise<void> {
  await bulkQuery(client, HELD);
}

const HELD = `
  WITH expected AS (
    SELECT account, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
    WHERE period IS NULL GROUP BY account
  ), gone AS (
    DELETE FROM held h WHERE NOT EXISTS (SELECT FROM expected e WHERE e.account = h.account_id)
  )
  INSERT INTO held (account_id, amount) SELECT account, amount FROM expected ORDER BY account
  ON CONFLICT (account_id) DO UPDATE SET amount = excluded.amount WHERE held.amount <> excluded.amount`;
