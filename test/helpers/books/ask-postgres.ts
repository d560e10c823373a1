import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** A server that is dying may leave a connection without a word. */
const TIMEOUT_MS = 60_000;

/** The first value of the first row, as text, over a connection of its own. Rejects when no answer comes. */
export async function ask(postgres: { readonly connectionString: string }, sql: string): Promise<string> {
  const { connectionString } = postgres;
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  } finally {
    void client.end().catch(() => {}); // the answer is known, whatever becomes of this connection
  }
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(file.split('\n')[0]);
}
