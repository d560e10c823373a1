/** Books of a year of a pool that balance: what each ten minutes brought, who worked for each block, what it paid, and all of it posted. */
import type pg from 'pg';

/** Rigs with a share each in ten seconds, ten to an account, and a block in 3,150 seconds: ten thousand of them. */
export async function makeProvedYear(pool: pg.Pool, rigs: number): Promise<void> {
  const client = await pool.connect();
  const query: (text: string, values?: unknown[]) => Promise<unknown> = (text, values = []) =>
    client.query({ text, values, query_timeout: 3_600_000 } as pg.QueryConfig);
  try {
    await query('SET statement_timeout = 0; SET timezone = UTC');
    await query(RIGS, [rigs]);
    for (const [table, seconds, from, to] of SPANS) {
      const steps = `generate_series(${ago(from)}, ${ago(to)} - interval '${seconds} seconds', interval '${seconds} seconds') AS at`;
      await query(`SELECT count(need_partition('${table}', at)) FROM ${steps}`);
      await query(`${table === 'rig_work' ? RIG_SUMS : ACCOUNT_SUMS} ${steps}`, [seconds]);
    }
    await query(BLOCKS, [rigs]);
    for (const text of MONEY) await query(text);
    await query(REST, [rigs]);
    await query('VACUUM ANALYZE');
  } finally {
    client.release(true);
  }
}

const DAYS = 365;
const ago = (days: number): string => `(date_trunc('day', now()) - interval '${days} days')`;
/** Table, seconds of its rows, and the days ago from and to which they are so wide. */
const SPANS: readonly (readonly ['rig_work' | 'account_work', number, number, number])[] = [
  ['rig_work', 3600, 90, 2],
  ['rig_work', 600, 2, 0],
  ['account_work', 86_400, DAYS, 60],
  ['account_work', 3600, 60, 8],
  ['account_work', 600, 8, 0],
];

const RIGS = `SELECT know_rigs(array_agg('k:' || lpad((i / 10)::text, 64, 'a')), array_agg('rig' || i)) FROM generate_series(0, $1::int - 1) i`;
const RIG_SUMS = `
  INSERT INTO rig_work (starts_at, rig_id, kind, seconds, submits, work)
    SELECT at, id, 0, $1::int, $1::int / 10, $1::int / 10 * 1e12 FROM rig,`;
const ACCOUNT_SUMS = `
  INSERT INTO account_work (starts_at, account_id, kind, seconds, submits, work, squares)
    SELECT at, a.id, 0, $1::int, a.rigs * $1::int / 10, a.rigs * $1::int / 10 * 1e12, a.rigs * $1::int / 10 * 1e24
    FROM (SELECT account_id AS id, count(*) AS rigs FROM rig GROUP BY 1 UNION ALL SELECT 0, count(*) FROM rig) a,`;

const BLOCKS = `
  INSERT INTO block (pow_hash, hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig, found_at, said,
                     state, reward, scheme, slot, weighed_at, round_work, effort, split_from, splits, changed_at)
    SELECT int8send(i), '', '', i % 20, i, '', 0, 0, 1e15, 'http://node', 'k:a', 'rig1', found_at, 'received',
           'confirmed', 0, 'prop', found_at, found_at, $1::numeric * 315e12, 1, found_at, 1, found_at + interval '1 hour'
    FROM generate_series(1, ${DAYS} * 86400 / 3150) i,
         LATERAL (SELECT ${ago(DAYS)} + i * interval '3150 seconds' - interval '10 seconds' AS found_at) t`;
const WORKED =
  'SELECT account_id, count(*) * 315e12 AS work, 2.0 / (account_id + 7) AS amount FROM rig GROUP BY 1 ORDER BY 1';
/** Who worked for blocks, and single transfers, are of the last 30 days; those of older days are summed. */
const OPEN_SINCE = "date_bin('1 day', now(), 'epoch') - interval '30 days'";
const MONEY = [
  `INSERT INTO block_weight (block_id, accounts, work)
     SELECT id, accounts, work
     FROM block, (SELECT array_agg(account_id) AS accounts, array_agg(work) AS work FROM (${WORKED}) w) a WHERE block.changed_at >= ${OPEN_SINCE}`,
  `UPDATE block SET reward = total, split_total = total FROM (SELECT sum(amount::numeric(38, 12)) AS total FROM (${WORKED}) w) all_of_it`,
  `WITH moved AS (
     SELECT id, block.changed_at AS at, chain_account(chain_id) AS chain, account_id, amount::numeric(38, 12) AS amount
     FROM block, (${WORKED}) w)
   INSERT INTO transfer (code, of, time, debit, credit, amount, at, transfers)
     SELECT 'block', id, 1, chain, account_id, amount, at, 1 FROM moved WHERE at >= ${OPEN_SINCE}
     UNION ALL
     SELECT 'block', extract(epoch FROM day)::bigint / 86400, 0, chain, account_id, sum(amount), day, count(*)
     FROM (SELECT *, date_bin('1 day', at, 'epoch') AS day FROM moved WHERE at < ${OPEN_SINCE}) older GROUP BY day, chain, account_id`,
  `INSERT INTO closed_day (day, transfers, hash)
     SELECT date 'epoch' + of::integer, sum(transfers), '' FROM transfer WHERE time = 0 GROUP BY of`,
  `INSERT INTO account (id, name, key) OVERRIDING SYSTEM VALUE SELECT id, 'chain ' || -1 - id, int4send(id) FROM (SELECT DISTINCT debit AS id FROM transfer) c`,
  `INSERT INTO balance (account_id, amount, paid) SELECT id, sum(amount), 0 FROM (
     SELECT credit AS id, amount FROM transfer UNION ALL SELECT debit, -amount FROM transfer) AS sides GROUP BY 1`,
];
/** What came after the last block, and the bridge that brought it all. */
const REST = `
  WITH last AS (SELECT max(slot) + interval '10 seconds' AS since, ${ago(0)} AS until FROM block),
  rest AS (
    UPDATE settlement SET closed_until = ${ago(0)}, round_since = last.since, round_until = last.until, round_accounts = ARRAY[1],
      round_work = ARRAY[extract(epoch FROM last.until - last.since) / 10 * $1::int * 1e12] FROM last)
  INSERT INTO log (id, place, started_at, watermark, numbers, shares, work, declared_number, declared_shares, declared_work, ended)
    SELECT gen_random_uuid(), 'bench', ${ago(DAYS)}, ${ago(0)}, '{[1,31536001)}', shares, shares * 1e12, 31536000, shares, shares * 1e12, true
    FROM (SELECT ${DAYS} * 8640::bigint * $1::int AS shares) AS all_of_it`;
