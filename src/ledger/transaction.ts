import type pg from 'pg';

/** Runs `action` in one transaction; what it throws undoes all of it. */
export async function inTransaction<T>(
  pool: pg.Pool,
  action: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
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

/** A statement that may touch every account of a pool: a million take minutes. */
export function bulkQuery<T extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<T>> {
  const query: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: BULK_TIMEOUT_MS };
  return client.query<T>(query);
}

/** Waits until nobody records an entry, and keeps recorders waiting until the transaction ends. */
export async function lockBooks(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(books_lock())');
}

/** Waits until nobody moves a block. To be had before a block's row and before {@link lockBooks}. */
export async function lockBlocks(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(blocks_lock())');
}
