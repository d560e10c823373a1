/** Dumps of version 0.1: read into its tables as they were, and brought over from there by SQL. */
import type pg from 'pg';
import { LedgerError } from '../database/errors.js';
import { FIRST_VERSION, runFile, SCHEMA } from '../database/migrate.js';

/** For as long as a dump is read. The SQL of `sql/former` names it too. */
export const FORMER_SCHEMA = 'stratum_bridge_former';

/** Of dumps that are read: what 0.1.0 wrote, and all until its tables changed for good. */
const READ = { first: 6, last: 19 };

/** Whether a dump of that version is one of 0.1. Throws LedgerError `bad-dump` for one that is too old to be read. */
export function isFormer(version: number): boolean {
  if (version >= FIRST_VERSION) return false;
  if (version >= READ.first && version <= READ.last) return true;
  throw new LedgerError(
    'bad-dump',
    `the dump is of version ${version}, and this program reads versions ${READ.first} to ${READ.last}, and from ${FIRST_VERSION} on: ` +
      `restore it with the last stratum-bridge 0.1, and dump it there again`,
  );
}

/** Empty ones; they are first on the search path from then on. */
export async function makeFormerTables(client: pg.ClientBase): Promise<void> {
  await client.query(`CREATE SCHEMA ${FORMER_SCHEMA}`);
  await client.query(`SET LOCAL search_path TO ${FORMER_SCHEMA}`);
  await runFile(client, 'former/tables.sql');
}

/** Into the tables of this version, which are as on the first day. */
export async function bringOver(client: pg.ClientBase): Promise<void> {
  await client.query(`SET LOCAL search_path TO ${SCHEMA}`);
  await runFile(client, 'former/bring-over.sql');
  await client.query(`DROP SCHEMA ${FORMER_SCHEMA} CASCADE`);
}
