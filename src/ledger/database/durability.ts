/** Whether a given PostgreSQL keeps what it has committed: what the promise to rigs needs of its settings. */
import type pg from 'pg';

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
    const { rows } = await pool.query<{ value: string }>('SELECT current_setting($1) AS value', [setting]);
    const value = rows[0]?.value ?? '';
    if (lossy.includes(value)) found.push({ setting, value, advice });
  }
  return found;
}
