/**
 * Makes the books where there are none: their tables (`sql/tables.sql`), then their functions (`sql/functions.sql`). Of books that are
 * there only the functions are made anew, when these read otherwise. Books of other tables are refused, and stay as they are.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { LedgerError } from './errors.js';
import { BEGIN, patientQuery } from './transaction.js';

export const SCHEMA = 'stratum_bridge';

const SQL = new URL('../sql/', import.meta.url);
/** Any constant: whoever makes these books holds this advisory lock. */
export const MAKING_LOCK = 0x5b_1ed6e5;
/** The longest that a timer takes: 24 days. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** It takes as long as it takes, and so does another bridge that does the same: given up, it would begin anew for ever. */
const NO_LIMITS = 'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0';

const OTHER_TABLES =
  'these books were made by another version of this program, with other tables: start that version on them, or give this one a new ' +
  'data directory (or an empty database). Nothing in them is touched. Those of before transfers are read last by commit 7fadbd0: ' +
  'its `ledger payout` settles what is due, and its `ledger dump` writes all of it as text';
const OTHER_FUNCTIONS =
  'the functions of these books are those of another version of this program: a bridge of this version makes them anew when it starts';

/** All of it or nothing; waits while another bridge does the same. True where there were none before. Throws {@link LedgerError} `other-tables`. */
export async function makeBooks(client: pg.ClientBase): Promise<boolean> {
  await client.query(BEGIN);
  try {
    await client.query(NO_LIMITS);
    await patientQuery(client, 'SELECT pg_advisory_xact_lock($1)', [MAKING_LOCK], FOR_EVER_MS);
    const areNew = await makeWhatIsMissing(client);
    await client.query('COMMIT');
    return areNew;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection is gone, and the transaction with it
    throw error;
  }
}

/** Changes nothing. Throws {@link LedgerError} where there are no books (`no-books`), or not those of this program. */
export async function requireBooks(client: pg.ClientBase): Promise<void> {
  const made = await madeFunctions(client);
  if (made === undefined) throw new LedgerError('no-books', 'there are no books');
  if (made !== checksumOf(await readFunctions())) throw new LedgerError('other-functions', OTHER_FUNCTIONS);
}

/** Of the tables as this program makes them, however they are laid out and explained. */
export async function tablesChecksum(): Promise<string> {
  return checksumOf((await readTables()).replaceAll(/--.*|\s/g, ''));
}

async function makeWhatIsMissing(client: pg.ClientBase): Promise<boolean> {
  const made = await madeFunctions(client);
  const functions = await readFunctions();
  const checksum = checksumOf(functions);
  if (made === checksum) return false;
  if (made === undefined) await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(`SET LOCAL search_path TO ${SCHEMA}`);
  if (made === undefined) {
    await client.query(await readTables());
    await client.query("INSERT INTO made (tables, functions) VALUES ($1, '')", [await tablesChecksum()]);
  }
  const { rows } = await client.query<{ name: string }>(FUNCTIONS);
  for (const { name } of rows) await client.query(`DROP FUNCTION ${name}`);
  await client.query(functions);
  await client.query('UPDATE made SET functions = $1', [checksum]);
  return made === undefined;
}

/** Every function of the books but those that indexes and triggers are made with: they belong to the tables. */
const FUNCTIONS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc p
  WHERE pronamespace = '${SCHEMA}'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)`;

/** An empty schema holds no books: they are made in it. */
const WHAT_IS_THERE = `
  SELECT to_regclass('${SCHEMA}.made') IS NOT NULL AS "isMade",
         EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${SCHEMA}')) AS "hasAny"`;

/** The checksum of the functions that are there; undefined where there are no books. Throws `other-tables`. */
async function madeFunctions(client: pg.ClientBase): Promise<string | undefined> {
  const { rows: there } = await client.query<{ isMade: boolean; hasAny: boolean }>(WHAT_IS_THERE);
  if (!there[0]?.hasAny) return undefined;
  const { rows } = there[0].isMade
    ? await client.query<{ tables: string; functions: string }>(
        `SELECT tables, functions FROM ${SCHEMA}.made`,
      )
    : { rows: [] };
  if (rows[0]?.tables !== (await tablesChecksum())) throw new LedgerError('other-tables', OTHER_TABLES);
  return rows[0].functions;
}

function readTables(): Promise<string> {
  return readFile(new URL('tables.sql', SQL), 'utf8');
}

function readFunctions(): Promise<string> {
  return readFile(new URL('functions.sql', SQL), 'utf8');
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
