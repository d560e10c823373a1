/** The tables of the share queue, where it lies in the database of the books: only looked at here. */
import pg from 'pg';
import { SQL } from './catalog.js';
import { rowOf } from './statements.js';

const QUEUE_TABLE = 'stratum_queue.job';

/** BullMQ has made its tables here. */
export async function hasQueue(pool: pg.Pool): Promise<boolean> {
  return (await rowOf(pool, SQL.has, [QUEUE_TABLE]))?.there ?? false;
}

/** Entries that wait in those tables, whoever put them there. */
export async function countQueued(pool: pg.Pool): Promise<number> {
  if (!(await hasQueue(pool))) return 0;
  const { rows } = await pool.query<{ entries: number }>(
    `SELECT count(*)::int AS entries FROM ${QUEUE_TABLE} WHERE state <> 'completed'`,
  );
  return rows[0]?.entries ?? 0;
}

/** The same in another database, in bounded time. */
export async function countQueuedAt(connectionString: string, timeoutMs: number): Promise<number> {
  const limits = {
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
  };
  const pool = new pg.Pool({ connectionString, max: 1, ...limits });
  pool.on('error', () => {}); // the query rejects anyway
  return countQueued(pool).finally(() => pool.end());
}
