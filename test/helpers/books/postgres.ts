/** A real PostgreSQL for tests: the embedded one, in a folder of its own. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { SILENT } from '../../../src/core/names/log.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { newFolder } from '../folder.js';
import { addressOf } from '../runner/shared.js';

const run = promisify(execFile);

export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await newFolder();
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface TestPostgres extends EmbeddedPostgres, AsyncDisposable {
  readonly dataDir: string;
}

/** The variable that says where to ask for a data directory whose PostgreSQL was made before. Benchmarks have none. */
export const MADE_CLUSTER = 'TEST_POSTGRES_CLUSTER';

/** Has a port, so that a gate can stand before it, unless told otherwise. `close` ends it and removes its folder, once. */
export async function startTestPostgres({ byTcp = true } = {}): Promise<TestPostgres> {
  const dataDir = await newFolder();
  const made = process.env[MADE_CLUSTER];
  // With its owner: as root PostgreSQL runs as somebody else.
  if (made) await run('cp', ['-a', join(await addressOf('PostgreSQL', made), 'postgres'), dataDir]);
  const postgres = await startEmbeddedPostgres({ dataDir, log: SILENT, byTcp });
  let closed: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  const close = (): Promise<void> => {
    closed ??= end();
    return closed;
  };
  return { ...postgres, dataDir, close, [Symbol.asyncDispose]: close };
}

/** A new, empty database of that server. */
export async function createDatabase({
  connectionString,
}: Pick<TestPostgres, 'connectionString'>): Promise<string> {
  const name = `db_${Math.random().toString(36).slice(2)}`;
  await order(connectionString, `CREATE DATABASE ${name}`);
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.toString();
}

/** With all connections to it. */
export async function dropDatabase(
  { connectionString }: Pick<TestPostgres, 'connectionString'>,
  database: string,
): Promise<void> {
  await order(connectionString, `DROP DATABASE ${new URL(database).pathname.slice(1)} WITH (FORCE)`);
}

export async function order(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
