/**
 * How soon history is answered from books of a year of many rigs, what the sums behind it cost, and what recording loses to who looks.
 * Buckets are made in the widths in which upkeep leaves them, and everything else by upkeep itself.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import type { BooksWatch } from '../../src/bridge/watch/books-watch.js';
import { SPANS } from '../../src/bridge/watch/spans.js';
import { SILENT } from '../../src/core/log.js';
import { rollUp } from '../../src/ledger/history/rolling.js';
import { keepUp } from '../../src/ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { openBooksWatch } from '../../src/ledger/watch/watch.js';
import { startTestPostgres } from '../helpers/postgres.js';
import { entryOf, makeShare } from '../helpers/shares.js';
import { makeMinutes, makeYear, someOf } from './web-year.js';

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
      await ledger.recordEntry(entryOf({ id: { producer, number: own }, shares, rejections: [] }));
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return (1000 * number) / (performance.now() - startedAt);
}

async function sizesOf(
  pool: pg.Pool,
): Promise<Pick<HistoryBench, 'bucketRows' | 'rolledRows' | 'rolledMegabytes'>> {
  const { rows } = await pool.query<{ buckets: string; rolled: string; bytes: string }>(
    `SELECT (SELECT count(*) FROM rig_work) AS buckets, (SELECT count(*) FROM account_minute) AS rolled,
            (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('account_minute')) AS bytes`,
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
    `a year of ${rigs} rigs: ${bucketRows} sums of rigs; of accounts ${rolledRows} rows, ${rolledMegabytes} MB; first upkeep ` +
      `${(firstRollMs / 1000).toFixed(1)} s, then rolling up ${(rollMs / 1000).toFixed(2)} s a minute of ${(upkeepMs / 1000).toFixed(2)} s of all upkeep\n\n`,
  );
  stdout.write(
    '| question | first ms | best ms | p50 ms | slowest of 20, ms | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const { what, firstMs, bestMs, p50Ms, p99Ms } of answers) {
    const missed = p99Ms > MOST_MS ? `**missed** (bar ${MOST_MS} ms)` : '';
    stdout.write(
      `| ${what} | ${firstMs.toFixed(1)} | ${bestMs.toFixed(1)} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} | ${missed} |\n`,
    );
  }
  const { alone, beside8Readers, besideUpkeep } = recorded;
  stdout.write(
    `\nentries of 100 shares recorded a second: ${alone} alone, ${beside8Readers} beside 8 readers ` +
      `(${(beside8Readers / alone).toFixed(2)}), ${besideUpkeep} beside upkeep without a pause (${(besideUpkeep / alone).toFixed(2)})\n`,
  );
}
