/**
 * The tables of sums, kept small: partitions for the time to come, old ones summed up into longer times and put in their place, and
 * older ones dropped. What is how old is told by `levels()` in `sql/functions/partitions.sql`. No row is ever deleted.
 */
import type pg from 'pg';
import { bulkQuery, inTransaction } from '../database/transaction.js';

/** How long sums are kept. */
export interface Retention {
  /** Of single rigs. */
  readonly rigsMs: number;
  /** Of accounts, and of all together. */
  readonly accountsMs: number;
  /** Slots stay open while a producer is waited for, at the most so long. */
  readonly patienceMs: number;
}

/** Who records waits while partitions are exchanged: it is tried again rather than that they wait for long. */
const EXCHANGE_MS = 2_000;

export async function makePartitions(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT make_partitions_ahead()');
}

/** One time after the other, each in a transaction of its own. @param signal ends it early, between two of them. */
export async function rollUp(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  for (const table of ['rig_work', 'account_minute'])
    while (
      !signal?.aborted &&
      (await exchange<boolean>(pool, 'SELECT roll_partitions($1) AS value', [table]))
    );
}

export async function forgetOld(pool: pg.Pool, { rigsMs, accountsMs }: Retention): Promise<void> {
  const drop = "SELECT drop_partitions($1, $2 * interval '1 millisecond') AS value";
  await exchange(pool, drop, ['rig_work', rigsMs]);
  await exchange(pool, drop, ['account_minute', accountsMs]);
}

async function exchange<T>(pool: pg.Pool, sql: string, values: unknown[]): Promise<T | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL lock_timeout = ${EXCHANGE_MS}`);
    return (await bulkQuery<{ value: T }>(client, sql, values)).rows[0]?.value;
  });
}
