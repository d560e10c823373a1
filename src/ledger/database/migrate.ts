/**
 * Brings the books to this program's version, all in one transaction: their tables by SQL files in order (`sql/tables`), each
 * once for ever, and their functions (`sql/functions`), made anew whenever one of them reads otherwise than those that are there.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { LedgerError } from './errors.js';
import { BEGIN, patientQuery } from './transaction.js';

export const SCHEMA = 'stratum_bridge';

const SQL = new URL('../sql/', import.meta.url);
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
    await makeFunctions(client);
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
  const newest = await newestVersion();
  const version = await versionOf(client);
  if (version === newest && (await checksumOf(client)) === (await readFunctions()).checksum) return;
  const those = version === newest ? 'functions are of another version' : `tables are of version ${version}`;
  const sentence = `the ledger's ${those}, this program works on ${newest}: the bridge of this version brings them there when it starts`;
  throw new LedgerError('older-schema', sentence);
}

/** The tables alone, within the caller's transaction, up to this version; the search path is that of the books from then on. */
export async function migrateTo(client: pg.ClientBase, version: number): Promise<void> {
  await client.query(NO_LIMITS);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(`SET LOCAL search_path TO ${SCHEMA}`);
  await client.query(
    'CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  const applied = await versionOf(client);
  for (const migration of await listMigrations())
    if (migration.version > applied && migration.version <= version) await apply(client, migration);
}

/** The version that this program brings tables to. */
export async function newestVersion(): Promise<number> {
  return (await listMigrations()).length;
}

/** `0001_books.sql` is the first version; there is no gap. */
async function listMigrations(): Promise<Migration[]> {
  const names = await sqlFiles(new URL('tables/', SQL));
  return names.map((name, index) => {
    if (Number.parseInt(name, 10) !== index + 1) throw new Error(`migration ${name} is out of order`);
    return { version: index + 1, name };
  });
}

async function sqlFiles(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

/** 0 where there is none yet. */
async function versionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${SCHEMA}.migration`,
  );
  const version = rows[0]?.version ?? 0;
  const known = await newestVersion();
  if (version <= known) return version;
  const sentence = `the ledger's tables are of version ${version}, this program knows ${known}: start a later version of the bridge`;
  throw new LedgerError('newer-schema', sentence);
}

async function apply(client: pg.ClientBase, { version, name }: Migration): Promise<void> {
  const sql = await readFile(new URL(`tables/${name}`, SQL), 'utf8');
  await patientQuery(client, sql, [], FOR_EVER_MS);
  await client.query('INSERT INTO migration (version, name) VALUES ($1, $2)', [version, name]);
}

interface Functions {
  readonly texts: readonly string[];
  readonly checksum: string;
}

async function readFunctions(): Promise<Functions> {
  const folder = new URL('functions/', SQL);
  const names = await sqlFiles(folder);
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return { texts, checksum: createHash('sha256').update(JSON.stringify(texts)).digest('hex') };
}

/** Of the functions that are there; empty where none were made. */
async function checksumOf(client: pg.ClientBase): Promise<string> {
  const { rows: found } = await client.query<{ made: boolean }>(
    `SELECT to_regclass('${SCHEMA}.made_functions') IS NOT NULL AS made`,
  );
  if (!found[0]?.made) return '';
  const { rows } = await client.query<{ checksum: string }>(`SELECT checksum FROM ${SCHEMA}.made_functions`);
  return rows[0]?.checksum ?? '';
}

/** Every function of the books but those that indexes are made with: they belong to the tables. */
const FUNCTIONS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc p
  WHERE pronamespace = '${SCHEMA}'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)`;

/** Within the caller's transaction, on tables of the newest version and with the search path of the books. */
export async function makeFunctions(client: pg.ClientBase): Promise<void> {
  const { texts, checksum } = await readFunctions();
  if ((await checksumOf(client)) === checksum) return;
  const { rows } = await client.query<{ name: string }>(FUNCTIONS);
  for (const { name } of rows) await client.query(`DROP FUNCTION ${name}`);
  for (const text of texts) await client.query(text);
  await client.query(`
    CREATE TABLE IF NOT EXISTS made_functions (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), checksum text NOT NULL);
    DELETE FROM made_functions`);
  await client.query('INSERT INTO made_functions (checksum) VALUES ($1)', [checksum]);
}
