/** Whether a given PostgreSQL keeps what it has committed: what the promise to rigs needs of its settings. */
import type pg from 'pg';
import { SQL } from './catalog.js';
import { rowOf } from './statements.js';

interface DatabaseShortcoming {
  readonly setting: string;
  readonly value: string;
  readonly advice: string;
}

/** Settings that must not be off. */
const NEEDS = {
  fsync: 'set fsync = on: without it a crash can destroy the database',
  full_page_writes: 'set full_page_writes = on: without it a loss of power can destroy the database',
  synchronous_commit: 'set synchronous_commit = on: with off a crash costs the shares of the last moments',
};

export async function checkDatabaseDurability(pool: pg.Pool): Promise<DatabaseShortcoming[]> {
  const found: DatabaseShortcoming[] = [];
  for (const [setting, advice] of Object.entries(NEEDS)) {
    const { value = '' } = (await rowOf(pool, SQL.setting, [setting])) ?? {};
    if (value === 'off') found.push({ setting, value, advice });
  }
  return found;
}
