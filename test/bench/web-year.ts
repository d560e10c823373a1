/** Books of a year of many rigs, in the widths in which upkeep leaves buckets, but not rolled up yet. */
import type pg from 'pg';
import type { HistoryOf } from '../../src/bridge/watch/books-watch.js';

/** A tenth of the rigs are of one account, half of them of accounts of 20, and the others of accounts of two. */
export async function makeYear(pool: pg.Pool, rigs: number): Promise<void> {
  await pool.query(
    `INSERT INTO rig (account, name)
     SELECT CASE WHEN i <= $1 / 10 THEN 'farm' WHEN i <= $1 * 6 / 10 THEN 'k:' || lpad((i / 20)::text, 64, 'a')
            ELSE 'k:' || lpad((i / 2)::text, 64, 'b') END, 'rig' || i FROM generate_series(1, $1::int) i`,
    [rigs],
  );
  const spans: readonly [seconds: number, fromHours: number, toHours: number][] = [
    [86_400, 365 * 24, 30 * 24],
    [3600, 30 * 24, 24],
    [600, 24, 1],
    [10, 1, 0],
  ];
  for (const [seconds, from, to] of spans) {
    await patient(pool, MAKE_BUCKETS, [seconds, from, to, seconds / 10]);
    await patient(pool, MAKE_REJECTIONS, [seconds, from, to, Math.ceil(seconds / 1000)]);
  }
  await makeBlocks(pool);
  await patient(pool, 'VACUUM ANALYZE', []);
}

const AT =
  "date_bin(make_interval(secs => $1::int), now() - make_interval(hours => $2::int), 'epoch') + i * make_interval(secs => $1::int)";
const STEPS = 'generate_series(0, ($2::int - $3::int) * 3600 / $1::int - 1) i';
/** A share each in ten seconds. */
const MAKE_BUCKETS = `
  INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
    SELECT rig.id, ${AT}, $1::int, $4::int, $4::int * 1000000000000 FROM ${STEPS}, rig`;
/** One rig in twenty has some. */
const MAKE_REJECTIONS = `
  INSERT INTO rejection (rig_id, starts_at, seconds, reason, submits, work)
    SELECT rig.id, ${AT}, $1::int, 'stale', $4::int, $4::int * 1000000000000 FROM ${STEPS}, rig WHERE rig.id % 20 = 0`;

/** A hundred a day. */
async function makeBlocks(pool: pg.Pool): Promise<void> {
  await patient(
    pool,
    `WITH made AS (
       INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig,
                             found_at, state, detail)
       SELECT int8send(i), '', i % 20, i, '', 0, 0, 1e15, 'http://node', 'farm', 'rig1', now() - i * interval '14.4 minutes', 'received', ''
       FROM generate_series(36500, 1, -1) i RETURNING id, height, found_at)
     INSERT INTO block (solution_id, hash, state, tip_height, reward, scheme, slot, weighed_at, round_work, effort)
       SELECT id, '', 'confirmed', height, 2, 'pplns', date_bin('10 seconds', found_at, 'epoch'), now(), 1e15, 1 FROM made`,
    [],
  );
}

/** Shares of the last minutes, as recorders would have booked them. */
export async function makeMinutes(pool: pg.Pool, minutes: number): Promise<void> {
  await patient(
    pool,
    `INSERT INTO bucket (rig_id, starts_at, shares, work)
       SELECT rig.id, date_bin('10 seconds', now(), 'epoch') - i * interval '10 seconds', 1, 1000000000000
       FROM generate_series(0, $1::int * 6) i, rig
     ON CONFLICT (rig_id, starts_at) DO UPDATE SET shares = bucket.shares + 1, work = bucket.work + excluded.work`,
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
