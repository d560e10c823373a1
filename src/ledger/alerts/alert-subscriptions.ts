/** Webhooks of miners. Their URLs are sealed by who brings them; what stands before the first dot tells by which key. */
import type pg from 'pg';
import { rowOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { SQL } from './alert-deliveries.js';

export function subscribe(
  pool: pg.Pool,
  account: string,
  sealedUrl: string,
  { ofAccount, inAll }: { readonly ofAccount: number; readonly inAll: number },
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.lockWebhooks);
    await run(client, SQL.forgetOtherKeys, [account, sealedUrl]);
    await run(client, SQL.subscribe, [account, sealedUrl, ofAccount, inAll]);
    return (await rowOf(client, SQL.isSubscribed, [account, sealedUrl]))?.yes === true;
  });
}

export async function unsubscribe(pool: pg.Pool, account: string, sealedUrl: string): Promise<boolean> {
  return (await run(pool, SQL.unsubscribe, [account, sealedUrl])) > 0;
}
