/** Copies of what the books hold of money and payments, and of where chains stand: a standby that has heard of all up to then, or a dump. */
import type pg from 'pg';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';

/** Accounts stay, as do rules: nothing here changes them. */
const TABLES = [
  ...['chain', 'chain_block', 'correction', 'transfer', 'balance', 'payout', 'payout_line'],
  ...['chain_transaction', 'payer', 'pause'],
];
/** Numbers go back with the rows that have them. */
const NUMBERED = ['correction', 'payout', 'chain_transaction'];

const each = (tables: readonly string[], act: (table: string) => string): string =>
  tables.map((table) => act(table)).join('\n');

/** Without triggers, as tables are filled in any order. */
const INSTALL = `
  CREATE TABLE test_copy (name text PRIMARY KEY, rows jsonb NOT NULL);
  CREATE FUNCTION test_keep(p_name text) RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO test_copy VALUES (p_name, jsonb_build_object(
      ${TABLES.map((table) => `'${table}', (SELECT coalesce(jsonb_agg(t), '[]') FROM ${table} t)`).join(', ')}))
    ON CONFLICT (name) DO UPDATE SET rows = excluded.rows
  $$;
  CREATE FUNCTION test_put(p_name text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT
    SET session_replication_role = replica AS $$
  DECLARE v_rows jsonb;
  BEGIN
    SELECT rows INTO STRICT v_rows FROM test_copy WHERE name = p_name;
    ${each(TABLES, (table) => `DELETE FROM ${table}; INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(null::${table}, v_rows -> '${table}');`)}
    ${each(NUMBERED, (table) => `PERFORM setval(pg_get_serial_sequence('${SCHEMA}.${table}', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false);`)}
  END
  $$;
  CREATE TABLE test_clock (micros bigint NOT NULL);
  INSERT INTO test_clock VALUES (0);
  CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE SET search_path FROM CURRENT
    AS 'SELECT to_timestamp(micros / 1000000.0) FROM test_clock'`;

export type Copy = 'empty' | 'standby' | 'dump';

/** In books whose time is steered already. */
export async function installCopies(pool: pg.Pool): Promise<void> {
  await pool.query(INSTALL);
}

export async function keepBooks(pool: pg.Pool, name: Copy): Promise<void> {
  await pool.query('SELECT test_keep($1)', [name]);
}

export async function putBooks(pool: pg.Pool, name: Copy): Promise<void> {
  await pool.query('SELECT test_put($1)', [name]);
}

/** The clock of the ledger's machine, which may be wrong; what is silent or fresh is judged by `now()`. */
export async function setClock(pool: pg.Pool, micros: bigint): Promise<void> {
  await pool.query('UPDATE test_clock SET micros = $1', [micros.toString()]);
}
