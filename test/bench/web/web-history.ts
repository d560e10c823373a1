/**
 * How soon history is answered from books of a year of many rigs, what the sums behind it cost, and what recording loses to who looks.
 * Buckets are made in the widths in which upkeep leaves them, and everything else by upkeep itself.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { BooksWatch } from '../../../src/bridge/watch/books-watch.js';
import { SPANS } from '../../../src/bridge/watch/spans.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { openBooksWatch } from '../../../src/ledger/watch/watch.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { type Took, took } from '../processors.js';
import { makeMinutes, makeYear, someOf } from './web-year.js';

export interface HistoryBench {
  readonly rigs: number;
  readonly rigRows: number;
  readonly accountRows: number;
  readonly megabytes: number;
  /** Upkeep of a minute in which an hour of sums is summed up, with who records and reads meanwhile, and of any other. */
  readonly hour: Took;
  readonly minute: Took;
  /** The longest that somebody waited while nothing else was done, and while that hour was summed up. */
  readonly alone: Waits;
  readonly besideHour: Waits;
  readonly answers: readonly AnswerRow[];
  /** Entries recorded while nobody looks, while eight ask without a pause, and while upkeep runs without one; a second. */
  readonly recorded: {
    readonly alone: number;
    readonly beside8Readers: number;
    readonly besideUpkeep: number;
  };
}

/** Milliseconds: of who records an entry of 100 shares, and of who asks for a year of the pool. */
interface Waits {
  readonly recordMs: number;
  readonly readMs: number;
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
const MOST_UPKEEP_S = 1;
const TIMES = 20;

export async function benchHistory({ rigs = 10_000 } = {}): Promise<HistoryBench> {
  const postgres = await startTestPostgres();
  const { connectionString } = postgres;
  const ledger = await openLedger({ connectionString, log: SILENT });
  const watch = openBooksWatch({ connectionString, ready: ledger.ready, patienceMs: 60_000 });
  try {
    const { pool } = ledger;
    await makeYear(pool, connectionString, rigs, progress());
    const looks = { ledger, watch, rigs };
    const alone = await waitsDuring(looks, () => pause(4000));
    let hour: Took | undefined;
    const besideHour = await waitsDuring(looks, async () => {
      hour = await took(pool, () => keepUp(pool));
    });
    await makeMinutes(pool, 2);
    const minute = await took(pool, () => keepUp(pool));
    const answers = await askAll(watch, rigs);
    const recorded = await record(ledger, watch, rigs);
    const upkeep = { hour: hour ?? minute, minute, alone, besideHour };
    const bench = { rigs, ...(await sizesOf(pool)), ...upkeep, answers, recorded };
    report(bench);
    return bench;
  } finally {
    await watch.close();
    await ledger.close();
    await postgres.close();
  }
}

/** Says how far it is, now and then. */
function progress(): (rows: number) => void {
  const startedAt = performance.now();
  let [sum, told] = [0, 0];
  return (rows) => {
    sum += rows;
    if (sum - told < 2_000_000) return;
    told = sum;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stderr.write(`made ${(sum / 1e6).toFixed(1)} million sums in ${seconds} s\n`);
  };
}

/** One after the other each. */
async function waitsDuring(
  { ledger, watch, rigs }: { ledger: Ledger; watch: BooksWatch; rigs: number },
  act: () => Promise<unknown>,
): Promise<Waits> {
  const waits = { recordMs: 0, readMs: 0 };
  let isOver = false;
  const longest = async (name: keyof Waits, once: () => Promise<unknown>): Promise<void> => {
    while (!isOver) waits[name] = Math.max(waits[name], await timed(once));
  };
  const log = randomUUID();
  let number = 0;
  const others = [
    longest('recordMs', () => recordOne(ledger, log, ++number)),
    longest('readMs', () =>
      watch.history({ metric: 'hashRate', of: someOf(rigs)['pool'] ?? POOL, ...SPANS['1y'] }),
    ),
  ];
  await act();
  isOver = true;
  await Promise.all(others);
  return waits;
}

const POOL = { kind: 'pool' } as const;

async function askAll(watch: BooksWatch, rigs: number): Promise<AnswerRow[]> {
  const rows: AnswerRow[] = [];
  for (const range of ['1y', '30d', '7d', '1h'] as const) rows.push(...(await askOf(watch, rigs, range)));
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
  const log = randomUUID();
  const startedAt = performance.now();
  let number = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      await recordOne(ledger, log, ++number);
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return (1000 * number) / (performance.now() - startedAt);
}

/** An entry of a hundred shares. */
async function recordOne(ledger: Ledger, log: string, number: number): Promise<void> {
  const shares = Array.from({ length: 100 }, (_, i) =>
    makeShare({ account: 'farm', rig: `rig${1 + ((number * 100 + i) % 1000)}`, acceptedAtMs: Date.now() }),
  );
  await ledger.recordEntry(entryOf({ id: { log, number }, shares, rejections: [] }));
}

async function sizesOf(pool: pg.Pool): Promise<Pick<HistoryBench, 'rigRows' | 'accountRows' | 'megabytes'>> {
  const { rows } = await pool.query<{ rigs: number; accounts: number; bytes: string }>(
    `SELECT (SELECT sum(reltuples) FROM pg_class JOIN pg_partition_tree('rig_work') ON relid = oid WHERE isleaf)::float8 AS rigs,
            (SELECT sum(reltuples) FROM pg_class JOIN pg_partition_tree('account_work') ON relid = oid WHERE isleaf)::float8 AS accounts,
            pg_database_size(current_database()) AS bytes`,
  );
  const { rigs = 0, accounts = 0, bytes = 0 } = rows[0] ?? {};
  return { rigRows: rigs, accountRows: accounts, megabytes: Math.round(Number(bytes) / 2 ** 20) };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function report(bench: HistoryBench): void {
  const { stdout } = process;
  const { rigs, rigRows, accountRows, megabytes, hour, minute, alone, besideHour, answers, recorded } = bench;
  const millions = (count: number): string => (count / 1e6).toFixed(1);
  stdout.write(
    `a year of ${rigs} rigs: ${millions(rigRows)} million sums of rigs, ${millions(accountRows)} of accounts, ${megabytes} MB\n\n` +
      '| upkeep | seconds | of PostgreSQL | bar |\n| --- | --- | --- | --- |\n',
  );
  // The one comes once in sixty minutes.
  const mean = {
    seconds: minute.seconds + hour.seconds / 60,
    postgres: (minute.postgres ?? 0) + (hour.postgres ?? 0) / 60,
  };
  for (const [what, { seconds, postgres }, most] of [
    ['a minute', minute, MOST_UPKEEP_S],
    ['a minute in which an hour is summed up, with who records and reads meanwhile', hour, undefined],
    ['a minute of an hour, in the mean', mean, MOST_UPKEEP_S],
  ] as const) {
    const bar = most !== undefined && seconds > most ? `${most} s: **missed**` : (most ?? '');
    stdout.write(`| ${what} | ${seconds.toFixed(2)} | ${postgres?.toFixed(2) ?? ''} | ${bar} |\n`);
  }
  stdout.write(
    `\nthe longest wait of who records, and of who reads: ${alone.recordMs.toFixed(0)} and ${alone.readMs.toFixed(0)} ms, ` +
      `${besideHour.recordMs.toFixed(0)} and ${besideHour.readMs.toFixed(0)} ms while an hour is summed up\n\n`,
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
  const { beside8Readers, besideUpkeep } = recorded;
  const part = (some: number): string => (some / recorded.alone).toFixed(2);
  stdout.write(
    `\nentries of 100 shares recorded a second: ${recorded.alone} alone, ${beside8Readers} beside 8 readers ` +
      `(${part(beside8Readers)}), ${besideUpkeep} beside upkeep without a pause (${part(besideUpkeep)})\n`,
  );
}
