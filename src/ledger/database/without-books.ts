/** A database in which nobody keeps books yet: what can be known of it before any are made. */
import pg from 'pg';
import { SQL } from './catalog.js';
import { rowOf } from './statements.js';

const CONNECT_TIMEOUT_MS = 5000;
const QUERY_TIMEOUT_MS = 10_000;

/** Makes nothing in it by itself. */
export async function withDatabase<T>(
  connectionString: string,
  use: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
  });
  pool.on('error', () => {}); // the next query says that the connection broke
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

/** Books and queue lie in schemas of their own. */
export async function mayMakeBooks(pool: pg.Pool): Promise<boolean> {
  return (await rowOf(pool, SQL.mayMakeBooks))?.may ?? false;
}
