/** Webhooks of miners. Their URLs are sealed by who brings them; what stands before the first dot tells by which key. */
import type pg from 'pg';
import { inTransaction } from '../database/transaction.js';

/** Any constant: who adds one holds this advisory lock, so that the bound is one. */
const SUBSCRIPTION_LOCK = 0x5b_a1e8;

export function subscribe(
  pool: pg.Pool,
  account: string,
  sealedUrl: string,
  { ofAccount, inAll }: { readonly ofAccount: number; readonly inAll: number },
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [SUBSCRIPTION_LOCK]);
    // Those of another key nobody can open: they take no place.
    await client.query(
      `DELETE FROM alert_subscription WHERE account = $1 AND split_part(url, '.', 1) <> split_part($2, '.', 1)`,
      [account, sealedUrl],
    );
    await client.query(
      `INSERT INTO alert_subscription (account, url) SELECT $1, $2
       WHERE (SELECT count(*) FROM alert_subscription WHERE account = $1) < $3
         AND (SELECT count(*) FROM alert_subscription WHERE split_part(url, '.', 1) = split_part($2, '.', 1)) < $4
       ON CONFLICT (account, url) DO NOTHING`,
      [account, sealedUrl, ofAccount, inAll],
    );
    const { rows } = await client.query('SELECT FROM alert_subscription WHERE account = $1 AND url = $2', [
      account,
      sealedUrl,
    ]);
    return rows.length > 0;
  });
}

export async function unsubscribe(pool: pg.Pool, account: string, sealedUrl: string): Promise<boolean> {
  const { rowCount } = await pool.query('DELETE FROM alert_subscription WHERE account = $1 AND url = $2', [
    account,
    sealedUrl,
  ]);
  return (rowCount ?? 0) > 0;
}
