import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** The first value of the first row, as text, over a connection of its own. */
export async function ask(postgres: { readonly connectionString: string }, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(file.split('\n')[0]);
}
