import type pg from 'pg';
import { type Given, rowsOf, type Statement } from './statements.js';

/** The level is ours to choose, whatever the database's default: what is read after a lock is of after the lock. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Runs `action` in one transaction; what it throws undoes all of it. */
export async function inTransaction<T>(
  pool: pg.Pool,
  action: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const result = await action(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    throw error;
  }
}

/** Patience with a statement over all accounts; recorders wait meanwhile, and shares in the queue. */
const BULK_TIMEOUT_MS = 600_000;
/** The server gives up first, so that nothing goes on there that nobody waits for here. */
export const SERVER_FIRST_MS = 5_000;

/** A statement, within a transaction, that may touch every account of a pool: a million take minutes. */
export async function bulkRows<V extends readonly unknown[], R>(
  client: pg.ClientBase,
  statement: Statement<V, R>,
  ...[values = []]: Given<V>
): Promise<R[]> {
  await client.query(`SET LOCAL statement_timeout = ${BULK_TIMEOUT_MS}`);
  return rowsOf<readonly unknown[], R>(client, statement, values, BULK_TIMEOUT_MS + SERVER_FIRST_MS);
}

/** A statement that is given another time than the pool's. */
export function patientQuery<T extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
  timeoutMs: number,
): Promise<pg.QueryResult<T>> {
  const query: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: timeoutMs };
  return client.query<T>(query);
}

/** Waits until nobody moves a block. To be had before a block's row. */
export async function lockBlocks(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(blocks_lock())');
}
