/** Whether a given PostgreSQL keeps what it has committed: what the promise to rigs needs of its settings. */
import type pg from 'pg';
import { SQL } from './catalog.js';
import { rowOf } from './statements.js';

export interface DatabaseShortcoming {
  readonly setting: string;
  readonly value: string;
  readonly advice: string;
}

const NEEDS: readonly { setting: string; lossy: readonly string[]; advice: string }[] = [
  { setting: 'fsync', lossy: ['off'], advice: 'set fsync = on: without it a crash can destroy the database' },
  {
    setting: 'full_page_writes',
    lossy: ['off'],
    advice: 'set full_page_writes = on: without it a loss of power can destroy the database',
  },
  {
    setting: 'synchronous_commit',
    lossy: ['off'],
    advice: 'set synchronous_commit = on: with off a crash costs the shares of the last moments',
  },
];

export async function checkDatabaseDurability(pool: pg.Pool): Promise<DatabaseShortcoming[]> {
  const found: DatabaseShortcoming[] = [];
  for (const { setting, lossy, advice } of NEEDS) {
    const { value = '' } = (await rowOf(pool, SQL.setting, [setting])) ?? {};
    if (lossy.includes(value)) found.push({ setting, value, advice });
  }
  return found;
}
