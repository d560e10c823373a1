/**
 * The books as one text, for backups and for the way to another major version of PostgreSQL: independent of its files and
 * tools, and read by every bridge that makes the same tables.
 *
 *     {"stratumBridge":"ledger","tables":"5d1e…"}
 *     {"table":"rig","columns":["id","account","name"]}
 *     [["1","k:ab…","rig1"],["2","k:ab…","rig2"]]        rows, some hundred a line, values as PostgreSQL writes them
 *     {"end":2}                                          rows in all: without it the text is not whole
 *
 * `tables` is the checksum of what made them. Tables come after those that they refer to.
 */
import type pg from 'pg';
import { columnsOf, setFormats, tablesInOrder } from '../database/catalog.js';
import { tablesChecksum } from '../database/make-books.js';

/** Rows of the latest shares are long: a line stays far below what memory holds. */
const ROWS_PER_LINE = 500;

/** Lines of one moment, without their ends. Recording and crediting go on meanwhile. */
export async function* dumpBooks(pool: pg.Pool): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    // What is summed up meanwhile would be neither here nor there: of after this moment, or gone. Had before the moment is.
    await client.query('SELECT pg_advisory_lock_shared(roll_lock())');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await setFormats(client);
    yield JSON.stringify({ stratumBridge: 'ledger', tables: await tablesChecksum() });
    let written = 0;
    for (const table of await tablesInOrder(client)) {
      const columns = (await columnsOf(client, table)).map(({ name }) => name);
      yield JSON.stringify({ table, columns });
      for await (const some of rowsOf(client, table, columns)) {
        written += some.length;
        yield JSON.stringify(some);
      }
    }
    yield JSON.stringify({ end: written });
  } finally {
    // It only read, and the lock goes with the connection.
    client.release(true);
  }
}

async function* rowsOf(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
): AsyncGenerator<(string | null)[][]> {
  const texts = columns.map((column) => `"${column}"::text`).join(', ');
  await client.query(`DECLARE dumped NO SCROLL CURSOR FOR SELECT ${texts} FROM ${table}`);
  for (;;) {
    const { rows } = await client.query({ text: `FETCH ${ROWS_PER_LINE} FROM dumped`, rowMode: 'array' });
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE dumped');
}
