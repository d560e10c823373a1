/**
 * A ledger whose time passes faster than ours, so that leases lapse and slots end within a history of seconds. Bridges of other processes go by
 * the same: they reckon it from this machine's clock, as the ledger does.
 */
import type pg from 'pg';
import { SCHEMA } from '../../../../src/ledger/database/make-books.js';
import type { Ledger } from '../../../../src/ledger/ledger.js';
import { steerTime } from '../ledger-time.js';

/** So many times as fast. */
export const SPEED = 20;

/** What the ledger's clock showed at a time of this machine's. */
export interface FastClock {
  readonly sinceMs: number;
  readonly atMs: number;
}

export function fastMs({ sinceMs, atMs }: FastClock): number {
  return atMs + (Date.now() - sinceMs) * SPEED;
}

const INSTALL = `
  ALTER TABLE ${SCHEMA}.test_time ADD since timestamptz NOT NULL DEFAULT 'epoch', ADD speed integer NOT NULL DEFAULT 0;
  CREATE OR REPLACE FUNCTION ${SCHEMA}.now() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT at + (pg_catalog.now() - since) * speed FROM ${SCHEMA}.test_time';
  CREATE OR REPLACE FUNCTION ${SCHEMA}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT at + (pg_catalog.clock_timestamp() - since) * speed FROM ${SCHEMA}.test_time'`;

const SET = `
  UPDATE ${SCHEMA}.test_time SET at = to_timestamp($1::float8 / 1000), since = to_timestamp($2::float8 / 1000), speed = $3`;

/** Of a pool as {@link steerTime} wants it. Resolves with what sets the time, and makes it pass or stand still. */
export async function steerFastTime(
  pool: pg.Pool,
): Promise<(clock: FastClock, passes: boolean) => Promise<void>> {
  await steerTime(pool);
  await pool.query(INSTALL);
  return async ({ atMs, sinceMs }, passes) => {
    await pool.query(SET, [atMs, sinceMs, passes ? SPEED : 0]);
  };
}

const FIND_ITS_TIME = `SET search_path = ${SCHEMA}, pg_catalog`;

/** For another process on the same books: its statements ask the same clock. To be called as soon as the ledger was opened. */
export async function goByFastTime({ pool }: Ledger): Promise<void> {
  pool.on('connect', (client) => void client.query(FIND_ITS_TIME).catch(() => {})); // it broke, and is not used
  // The one that was handed out already.
  await pool.query(FIND_ITS_TIME).catch(() => {}); // there is none while the database is away
}
