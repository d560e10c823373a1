/** Books of a year of many rigs, in the widths in which upkeep leaves sums. */
import type pg from 'pg';
import type { HistoryOf } from '../../../src/operations/history.js';
import { fill, partitionsSince, type Table } from '../ledger/partitions.js';

/**
 * A tenth of the rigs are of one account, half of them of accounts of 20, and the others of accounts of two. What is to be summed up
 * each hour is not yet. @param told how many rows were made, again and again.
 */
export async function makeYear(
  pool: pg.Pool,
  connectionString: string,
  rigs: number,
  told: (rows: number) => void,
): Promise<void> {
  await pool.query(
    `SELECT know_rigs(array_agg(CASE WHEN i <= $1 / 10 THEN 'farm' WHEN i <= $1 * 6 / 10 THEN 'k:' || lpad((i / 20)::text, 64, 'a')
            ELSE 'k:' || lpad((i / 2)::text, 64, 'b') END), array_agg('rig' || i)) FROM generate_series(1, $1::int) i`,
    [rigs],
  );
  const made = async (table: Table, days: number, columns: string, select: string): Promise<void> => {
    const partitions = await partitionsSince(pool, table, Date.now() - days * DAY_MS, HOUR_MS);
    await fill(connectionString, partitions, columns, select, told);
  };
  await made('account_work', 365, 'account_id, kind, submits, work, squares', OF_ACCOUNTS);
  await made('rig_work', 90, 'rig_id, kind, submits, work', OF_RIGS);
  await makeBlocks(pool);
  await patient(pool, 'VACUUM ANALYZE', []);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A share each in ten seconds; one rig in twenty has some that were refused. */
const OF_RIGS = `rig.id, kind, greatest(1, SECONDS / 10 / (1 + 99 * kind)), SECONDS / 10 * 1e12
  FROM times, rig, generate_series(0, 1) kind WHERE kind = 0 OR rig.id % 20 = 0 ORDER BY 1, 3`;
const OF_ACCOUNTS = `a.id, kind, a.rigs * SECONDS / 10, a.rigs * SECONDS / 10 * 1e12, a.rigs * SECONDS / 10 * 1e24
  FROM times, (SELECT account_id AS id, count(*) AS rigs FROM rig GROUP BY 1 UNION ALL SELECT 0, count(*) FROM rig) a,
       unnest(ARRAY[0, 1, 100]) kind WHERE kind = 0 OR (kind = 1 AND a.id % 10 = 0) OR (kind = 100 AND SECONDS >= 600) ORDER BY 1, 3`;

/** A hundred a day. */
async function makeBlocks(pool: pg.Pool): Promise<void> {
  await patient(
    pool,
    `INSERT INTO block (pow_hash, hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig,
                        found_at, said, state, reward, scheme, slot, weighed_at, round_work, effort)
     SELECT int8send(i), '', '', i % 20, i, '', 0, 0, 1e15, 'http://node', 'farm', 'rig1',
            found_at, 'received', 'confirmed', 2, 'pplns', date_bin('10 seconds', found_at, 'epoch'), now(), 1e15, 1
     FROM generate_series(36500, 1, -1) i, LATERAL (SELECT now() - i * interval '14.4 minutes' AS found_at) t`,
    [],
  );
}

/** Shares of the last minutes, as recorders would have booked them. */
export async function makeMinutes(pool: pg.Pool, minutes: number): Promise<void> {
  await patient(
    pool,
    `SELECT apply_sums(array_agg(a.name), array_agg(r.name), array_agg(slot), array_agg(0::smallint), array_agg(1::bigint),
              array_agg(1e12::numeric), array_agg(0::numeric), array_agg(0::float8))
     FROM rig r JOIN account a ON a.id = account_id,
          generate_series(floor(extract(epoch FROM now()) / 10)::bigint - $1::int * 6, floor(extract(epoch FROM now()) / 10)::bigint) slot`,
    [minutes],
  );
}

async function patient(pool: pg.Pool, text: string, values: unknown[]): Promise<void> {
  const client = await pool.connect();
  const query: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: 3_600_000 };
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(query);
  } finally {
    client.release(true);
  }
}

/** As {@link makeYear} names them. */
export function someOf(rigs: number): Readonly<Record<string, HistoryOf>> {
  const home = `k:${String(Math.floor((rigs * 0.9) / 2)).padStart(64, 'b')}`;
  return {
    pool: { kind: 'pool' },
    'account of a tenth of the rigs': { kind: 'account', account: 'farm' },
    'account of 2': { kind: 'account', account: home },
    rig: { kind: 'rig', account: 'farm', rig: 'rig7' },
  };
}
