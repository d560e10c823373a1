/** Brings the books' tables to this program's version: SQL files, in order, all in one transaction. */
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { LedgerError } from './errors.js';
import { BEGIN, patientQuery } from './transaction.js';

export const SCHEMA = 'stratum_bridge';

const FOLDER = new URL('../migrations/', import.meta.url);
/** Any constant: whoever migrates these tables holds this advisory lock. */
export const MIGRATION_LOCK = 0x5b_1ed6e5;

/** The longest that a timer takes: 24 days. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** A migration takes as long as it takes, and so does another bridge's: given up, it would begin anew for ever. */
const NO_LIMITS = 'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0';

interface Migration {
  readonly version: number;
  readonly name: string;
}

/** Runs what is missing; waits while another bridge does the same. Throws {@link LedgerError} `newer-schema`. */
export async function migrate(client: pg.ClientBase): Promise<void> {
  await client.query(BEGIN);
  try {
    await client.query(NO_LIMITS);
    await patientQuery(client, 'SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK], FOR_EVER_MS);
    await migrateTo(client, Number.POSITIVE_INFINITY);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection is gone, and the transaction with it
    throw error;
  }
}

/** Changes nothing. Throws {@link LedgerError} where there are no books (`no-books`), or not of this version. */
export async function requireBooks(client: pg.ClientBase): Promise<void> {
  const { rows: found } = await client.query<{ made: boolean }>(
    `SELECT to_regclass('${SCHEMA}.migration') IS NOT NULL AS made`,
  );
  if (!found[0]?.made) throw new LedgerError('no-books', 'there are no books');
  const known = await listMigrations();
  const version = await versionOf(client);
  if (version > known.length) throw newerSchema(version, known.length);
  if (version === known.length) return;
  const sentence = `the ledger's tables are of version ${version}, this program works on ${known.length}: the bridge of this version brings them there when it starts`;
  throw new LedgerError('older-schema', sentence);
}

/** Within the caller's transaction, up to this version; the search path is that of the books from then on. */
export async function migrateTo(client: pg.ClientBase, version: number): Promise<void> {
  const known = await listMigrations();
  await client.query(NO_LIMITS);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(`SET LOCAL search_path TO ${SCHEMA}`);
  const due = (await missing(client, known)).filter((migration) => migration.version <= version);
  if (due.length > 0) await waitForOthers(client);
  for (const migration of due) await apply(client, migration);
}

/** The version that this program brings tables to. */
export async function newestVersion(): Promise<number> {
  return (await listMigrations()).length;
}

/** `0001_shares.sql` is version 1; versions are 1, 2, 3 and so on without a gap. */
async function listMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  return names.map((name, index) => {
    if (Number.parseInt(name, 10) !== index + 1) throw new Error(`migration ${name} is out of order`);
    return { version: index + 1, name };
  });
}

async function missing(client: pg.ClientBase, known: readonly Migration[]): Promise<readonly Migration[]> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  const version = await versionOf(client);
  if (version > known.length) throw newerSchema(version, known.length);
  return known.slice(version);
}

/**
 * Bridges of an earlier version go on while their tables change. They come to the tables in an order of their own, and each
 * would wait for the other: so they end first what they have begun, and begin nothing before the end.
 */
async function waitForOthers(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ blocks: boolean; books: boolean; solutions: boolean }>(
    `SELECT to_regprocedure('blocks_lock()') IS NOT NULL AS blocks, to_regprocedure('books_lock()') IS NOT NULL AS books,
            to_regclass('solution') IS NOT NULL AS solutions`,
  );
  const { blocks, books, solutions } = rows[0] ?? {};
  const wait = (text: string): Promise<unknown> => patientQuery(client, text, [], FOR_EVER_MS);
  if (blocks) await wait('SELECT pg_advisory_xact_lock(blocks_lock())');
  if (books) await wait('SELECT pg_advisory_xact_lock(books_lock())');
  // A solution is written without those locks, and before its block. Who reads may go on.
  if (solutions) await wait('LOCK TABLE solution IN SHARE ROW EXCLUSIVE MODE');
}

async function versionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${SCHEMA}.migration`,
  );
  return rows[0]?.version ?? 0;
}

function newerSchema(version: number, known: number): LedgerError {
  const sentence = `the ledger's tables are of version ${version}, this program knows ${known}: start a later version of the bridge`;
  return new LedgerError('newer-schema', sentence);
}

async function apply(client: pg.ClientBase, { version, name }: Migration): Promise<void> {
  await patientQuery(client, await readFile(new URL(name, FOLDER), 'utf8'), [], FOR_EVER_MS);
  await client.query('INSERT INTO migration (version, name) VALUES ($1, $2)', [version, name]);
}
