/**
 * A ledger whose time passes when a test says so. All of its SQL asks `now()`; in the schema of the ledger stands another one, that is found
 * before PostgreSQL's own. So a history of days takes a moment, and happens at the same times whenever it is run.
 */
import type pg from 'pg';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';

const PATH = `${SCHEMA}, pg_catalog`;

const STANDING = `
  CREATE TABLE ${SCHEMA}.test_time (at timestamptz NOT NULL);
  INSERT INTO ${SCHEMA}.test_time VALUES ('epoch');
  CREATE FUNCTION ${SCHEMA}.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM ${SCHEMA}.test_time';
  CREATE FUNCTION ${SCHEMA}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM ${SCHEMA}.test_time'`;

const RUNNING = `
  CREATE TABLE public.test_time (ahead interval NOT NULL);
  INSERT INTO public.test_time VALUES ('0');
  CREATE FUNCTION ${SCHEMA}.now() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT pg_catalog.now() + ahead FROM public.test_time';
  CREATE FUNCTION ${SCHEMA}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + ahead FROM public.test_time'`;

const TAKE_IT = `
  DO $$
  DECLARE v_one record;
  BEGIN
    FOR v_one IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = '${SCHEMA}'::regnamespace AND proconfig IS NOT NULL LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = ${PATH}', v_one.name);
    END LOOP;
    FOR v_one IN
      SELECT adrelid::regclass AS name, attname FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
      WHERE pg_get_expr(adbin, adrelid) = 'now()' AND adrelid::regclass::text !~ '^pg_'
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT ${SCHEMA}.now()', v_one.name, v_one.attname);
    END LOOP;
  END $$`;

/** Of a pool that has handed out no connection yet but the first, which is idle. */
export async function steerTime(pool: pg.Pool): Promise<(nowMs: number) => Promise<void>> {
  await install(pool, STANDING);
  return async (nowMs) => {
    await pool.query(`UPDATE ${SCHEMA}.test_time SET at = to_timestamp($1::float8 / 1000)`, [nowMs]);
  };
}

/** The same, but that time passes as ever, and leaps ahead when a test says so: by so many seconds in all. Dumps have nothing of it. */
export async function shiftTime(pool: pg.Pool): Promise<(aheadS: number) => Promise<void>> {
  await install(pool, RUNNING);
  return async (aheadS) => {
    await pool.query(`UPDATE public.test_time SET ahead = make_interval(secs => $1)`, [aheadS]);
  };
}

async function install(pool: pg.Pool, time: string): Promise<void> {
  await pool.query(`${time};${TAKE_IT}`);
  await goByItsTime(pool);
}

/** Of a pool as above, of another process: its time is the ledger's, which somebody has installed. */
export async function goByItsTime(pool: pg.Pool): Promise<void> {
  const goBy = `SET search_path = ${PATH}`;
  await pool.query(goBy);
  pool.on('connect', (client) => void client.query(goBy).catch(() => {})); // it broke, and is not used
}
