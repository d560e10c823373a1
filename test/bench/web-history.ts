/**
 * How soon history is answered from books of a year of many rigs, what the sums behind it cost, and what recording loses to who looks.
 * Buckets are made in the widths in which upkeep leaves them, and everything else by upkeep itself.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import type { BooksWatch, HistoryOf } from '../../src/bridge/books-watch.js';
import { SILENT } from '../../src/core/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { rollUp } from '../../src/ledger/rolling.js';
import { keepUp } from '../../src/ledger/upkeep.js';
import { openBooksWatch } from '../../src/ledger/watch/watch.js';
import { SPANS } from '../../src/web/state/delay-history.js';
import { startTestPostgres } from '../helpers/postgres.js';
import { makeShare } from '../helpers/shares.js';

export interface HistoryBench {
  readonly rigs: number;
  readonly bucketRows: number;
  readonly rolledRows: number;
  readonly rolledMegabytes: number;
  /** All of it, once. */
  readonly firstRollMs: number;
  /** The same for a minute of these rigs at work. */
  readonly rollMs: number;
  /** All of a minute's upkeep. */
  readonly upkeepMs: number;
  readonly answers: readonly AnswerRow[];
  /** Entries recorded while nobody looks, while eight ask without a pause, and while upkeep runs without one; a second. */
  readonly recorded: {
    readonly alone: number;
    readonly beside8Readers: number;
    readonly besideUpkeep: number;
  };
}

export interface AnswerRow {
  readonly what: string;
  /** With the caches of the database cold as far as the bench can make them: the first answer. */
  readonly firstMs: number;
  /** What it takes when nothing else is in the way. */
  readonly bestMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const MOST_MS = 100;
const TIMES = 20;

export async function benchHistory({ rigs = 10_000 } = {}): Promise<HistoryBench> {
  const postgres = await startTestPostgres();
  const { connectionString } = postgres;
  const ledger = await openLedger({ connectionString, log: SILENT });
  const watch = openBooksWatch({ connectionString, ready: ledger.ready, patienceMs: 60_000 });
  try {
    const { pool } = ledger;
    await makeYear(pool, rigs);
    const firstRollMs = await timed(() => keepUp(pool));
    await makeMinutes(pool, 2);
    const rollMs = await timed(() => rollUp(pool));
    const upkeepMs = await timed(() => keepUp(pool));
    await pool.query('VACUUM ANALYZE');
    const answers = await askAll(watch, rigs);
    // As upkeep leaves the last hour each minute.
    await makeMinutes(pool, 2);
    await rollUp(pool);
    answers.push(...(await askOf(watch, rigs, '1h')));
    const recorded = await record(ledger, watch, rigs);
    const bench = { rigs, ...(await sizesOf(pool)), firstRollMs, rollMs, upkeepMs, answers, recorded };
    report(bench);
    return bench;
  } finally {
    await watch.close();
    await ledger.close();
    await postgres.close();
  }
}

/** A tenth of the rigs are of one account, half of them of accounts of 20, and the others of accounts of two. */
async function makeYear(pool: pg.Pool, rigs: number): Promise<void> {
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
       FROM generate_series(36500, 1, -1) i RETURNING id, height)
     INSERT INTO block (solution_id, hash, state, tip_height, reward, scheme) SELECT id, '', 'confirmed', height, 2, 'pplns' FROM made`,
    [],
  );
  await patient(
    pool,
    'INSERT INTO round_sum (round_id, solution_id, found_at, work, effort) SELECT -id, id, found_at, 1e15, 1 FROM solution',
    [],
  );
}

/** Shares of the last minutes, as recorders would have booked them. */
async function makeMinutes(pool: pg.Pool, minutes: number): Promise<void> {
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
function someOf(rigs: number): Readonly<Record<string, HistoryOf>> {
  const home = `k:${String(Math.floor((rigs * 0.9) / 2)).padStart(64, 'b')}`;
  return {
    pool: { kind: 'pool' },
    'account of a tenth of the rigs': { kind: 'account', account: 'farm' },
    'account of 2': { kind: 'account', account: home },
    rig: { kind: 'rig', account: 'farm', rig: 'rig7' },
  };
}

async function askAll(watch: BooksWatch, rigs: number): Promise<AnswerRow[]> {
  const rows = [...(await askOf(watch, rigs, '1y')), ...(await askOf(watch, rigs, '30d'))];
  for (const metric of ['blocks', 'effort'] as const)
    rows.push(
      await measured(`${metric} of pool, 1y`, () =>
        watch.history({ metric, of: { kind: 'pool' }, ...SPANS['1y'] }),
      ),
    );
  rows.push(await measured('account of a tenth of the rigs', () => watch.account('farm')));
  rows.push(await measured('blocks, first page', () => watch.blocks({ limit: 100 })));
  return rows;
}

async function askOf(watch: BooksWatch, rigs: number, range: keyof typeof SPANS): Promise<AnswerRow[]> {
  const rows: AnswerRow[] = [];
  for (const [who, of] of Object.entries(someOf(rigs)))
    for (const metric of ['hashRate', 'shares', 'rigs'] as const) {
      const stepMs = metric === 'rigs' ? Math.max(600_000, SPANS[range].stepMs) : SPANS[range].stepMs;
      const steps = (SPANS[range].steps * SPANS[range].stepMs) / stepMs;
      rows.push(
        await measured(`${metric} of ${who}, ${range}`, () => watch.history({ metric, of, stepMs, steps })),
      );
    }
  return rows;
}

async function measured(what: string, ask: () => Promise<unknown>): Promise<AnswerRow> {
  const firstMs = await timed(ask);
  const times: number[] = [];
  for (let i = 0; i < TIMES; i++) times.push(await timed(ask));
  times.sort((a, b) => a - b);
  return {
    what,
    firstMs,
    bestMs: times[0] ?? 0,
    p50Ms: times[Math.floor(TIMES / 2)] ?? 0,
    p99Ms: times.at(-1) ?? 0,
  };
}

/** In turns, so that whatever else the machine does takes from all alike. */
async function record(ledger: Ledger, watch: BooksWatch, rigs: number): Promise<HistoryBench['recorded']> {
  const sums = { alone: 0, beside8Readers: 0, besideUpkeep: 0 };
  const rounds = 3;
  const beside: Record<keyof typeof sums, (isOver: () => boolean) => Promise<unknown>> = {
    alone: async () => {},
    beside8Readers: (isOver) => Promise.all(Array.from({ length: 8 }, () => readOn(watch, rigs, isOver))),
    besideUpkeep: async (isOver) => {
      while (!isOver()) await keepUp(ledger.pool);
    },
  };
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) {
      let isOver = false;
      const other = beside[name](() => isOver);
      sums[name] += (await recordFor(ledger, 4000)) / rounds;
      isOver = true;
      await other;
    }
  return {
    alone: Math.round(sums.alone),
    beside8Readers: Math.round(sums.beside8Readers),
    besideUpkeep: Math.round(sums.besideUpkeep),
  };
}

async function readOn(watch: BooksWatch, rigs: number, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const of = Object.values(someOf(rigs))[i % 4] ?? { kind: 'pool' };
    await watch.history({ metric: i % 2 ? 'hashRate' : 'shares', of, ...SPANS[i % 3 ? '1y' : '1h'] });
  }
}

/** Entries of a hundred shares, four at a time as a bridge's recorder takes them. Resolves with how many a second. */
async function recordFor(ledger: Ledger, ms: number): Promise<number> {
  const producer = randomUUID();
  const startedAt = performance.now();
  let number = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      const own = ++number;
      const shares = Array.from({ length: 100 }, (_, i) =>
        makeShare({ account: 'farm', rig: `rig${1 + ((own * 100 + i) % 1000)}`, acceptedAtMs: Date.now() }),
      );
      await ledger.recordEntry({ id: { producer, number: own }, shares, rejections: [] });
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return (1000 * number) / (performance.now() - startedAt);
}

async function sizesOf(
  pool: pg.Pool,
): Promise<Pick<HistoryBench, 'bucketRows' | 'rolledRows' | 'rolledMegabytes'>> {
  const { rows } = await pool.query<{ buckets: string; rolled: string; bytes: string }>(
    `SELECT (SELECT count(*) FROM bucket) AS buckets, (SELECT count(*) FROM rolled_sum) AS rolled,
            pg_total_relation_size('rolled_sum') AS bytes`,
  );
  const { buckets = 0, rolled = 0, bytes = 0 } = rows[0] ?? {};
  return {
    bucketRows: Number(buckets),
    rolledRows: Number(rolled),
    rolledMegabytes: Math.round(Number(bytes) / 2 ** 20),
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function report(bench: HistoryBench): void {
  const { stdout } = process;
  const { rigs, bucketRows, rolledRows, rolledMegabytes, firstRollMs, rollMs, upkeepMs, answers, recorded } =
    bench;
  stdout.write(
    `a year of ${rigs} rigs: ${bucketRows} buckets; sums beside them ${rolledRows} rows, ${rolledMegabytes} MB, made in ` +
      `${(firstRollMs / 1000).toFixed(1)} s once, then ${(rollMs / 1000).toFixed(2)} s a minute beside ${(upkeepMs / 1000).toFixed(2)} s of all upkeep\n\n`,
  );
  stdout.write(
    '| question | first ms | best ms | p50 ms | p99 ms | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const { what, firstMs, bestMs, p50Ms, p99Ms } of answers) {
    const missed = p50Ms > MOST_MS ? `**missed** (bar ${MOST_MS} ms)` : '';
    stdout.write(
      `| ${what} | ${firstMs.toFixed(1)} | ${bestMs.toFixed(1)} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${missed} |\n`,
    );
  }
  const { alone, beside8Readers, besideUpkeep } = recorded;
  stdout.write(
    `\nentries of 100 shares recorded a second: ${alone} alone, ${beside8Readers} beside 8 readers ` +
      `(${(beside8Readers / alone).toFixed(2)}), ${besideUpkeep} beside upkeep without a pause (${(besideUpkeep / alone).toFixed(2)})\n`,
  );
  stdout.write(`${JSON.stringify({ bench: 'web', history: bench })}\n`);
}
