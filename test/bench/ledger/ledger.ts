/** Shares a second through judge, queue and ledger, how long a rig waits for its answer, and what shares cost on disk. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { createJudge, verdictOn } from '../../../src/bridge/judge.js';
import type { Judge } from '../../../src/bridge/ports.js';
import { JobBook } from '../../../src/core/jobs/job.js';
import type { Nonce1, Nonce2 } from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { MAX_TARGET } from '../../../src/core/work/target.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../../src/queue/bullmq/entry-queue.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue, type ShareQueue } from '../../../src/queue/share-queue.js';
import { encodeEntry } from '../../../src/queue/shipping/entry.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeWork } from '../../helpers/rigs/works.js';

export interface LedgerBenchRow {
  readonly backend: 'postgres' | 'redis';
  /** Judged, durable and answered. */
  readonly acknowledgedPerSecond: number;
  /** Answered and in the books. */
  readonly recordedPerSecond: number;
  /** With 2,000 submits under way at any time. */
  readonly loadedMs: Percentiles;
  /** With 20 submits under way at any time. */
  readonly lightMs: Percentiles;
  /** Against entries of one share each, added by 50 at a time past the judge in the same run. */
  readonly ofOneShareEntries: number;
}

/** What a million shares are in the books, when every rig brings one in ten seconds: each begins a row. */
export interface LedgerSizes {
  readonly fresh: Size;
  /** A day later: merged into rows of an hour, single shares forgotten, entry ids as ranges. */
  readonly afterADay: Size;
}

interface Size {
  readonly rows: number;
  readonly megabytes: number;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface LedgerBenchOptions {
  readonly shares?: number;
  readonly rigs?: number;
}

/** Rigs, queue, recorder and database share one machine and, but for the databases, one process. Prints tables and JSON. */
export async function benchLedger(options: LedgerBenchOptions = {}): Promise<LedgerBenchRow[]> {
  const rows: LedgerBenchRow[] = [];
  for (const backend of ['postgres', 'redis'] as const) {
    if (backend === 'redis' && (await findRedis()) !== undefined) continue;
    rows.push(await benchBackend(backend, options));
  }
  print(rows, await measureSizes());
  return rows;
}

async function benchBackend(
  backend: 'postgres' | 'redis',
  { shares = 100_000, rigs = 1000 }: LedgerBenchOptions,
): Promise<LedgerBenchRow> {
  const postgres = await startTestPostgres();
  const redis = backend === 'redis' ? await startTestRedis() : undefined;
  const connection: QueueConnection = redis
    ? { backend: 'redis', url: redis.url }
    : { backend: 'postgres', connectionString: postgres.connectionString };
  const dataDir = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  const queue = await openShareQueue({
    ...{ connection, folder: dataDir, ledger, place: 'test', log: SILENT, newLogId: randomUUID },
  });
  const recorder = startShareRecorder({ connection, ledger, log: SILENT });
  try {
    const single = await oneShareEntriesPerSecond(connection);
    await untilRecorded(ledger, queue, SINGLE_ENTRIES);
    const light = await load(judgeOf(queue), 5000, 20, rigs);
    const startedAt = performance.now();
    const loaded = await load(judgeOf(queue), shares, 2000, rigs);
    await untilRecorded(ledger, queue, SINGLE_ENTRIES + 5000 + shares);
    const recordedPerSecond = (1000 * shares) / (performance.now() - startedAt);
    return {
      backend,
      acknowledgedPerSecond: Math.round(loaded.perSecond),
      recordedPerSecond: Math.round(recordedPerSecond),
      loadedMs: loaded.waitMs,
      lightMs: light.waitMs,
      ofOneShareEntries: rounded(loaded.perSecond / single),
    };
  } finally {
    await queue.close();
    await recorder.close();
    await ledger.close();
    await redis?.close();
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const SINGLE_ENTRIES = 2000;

async function oneShareEntriesPerSecond(connection: QueueConnection): Promise<number> {
  const adder = new EntryQueue(connection, SILENT, 10_000);
  const id = randomUUID();
  let number = 0;
  const add = async (): Promise<void> => {
    while (number < SINGLE_ENTRIES) {
      await adder.add(
        encodeEntry(entryOf({ id: { log: id, number: ++number }, shares: [makeShare()], rejections: [] })),
      );
    }
  };
  await adder.counts();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 50 }, add));
  const seconds = (performance.now() - startedAt) / 1000;
  await adder.close();
  return SINGLE_ENTRIES / seconds;
}

function judgeOf(queue: ShareQueue): { judge: Judge; jobIds: string[] } {
  const book = new JobBook(1);
  const jobs = [1, 2].map((payload) => book.add(makeWork({ payload, difficulty: 1n << 200n }), 'node'));
  const judge = createJudge({ book, shares: queue, sendSolution: () => {}, clock: { nowMs: Date.now } });
  return { judge, jobIds: jobs.map((job) => job.id) };
}

async function load(
  { judge, jobIds }: ReturnType<typeof judgeOf>,
  shares: number,
  underWay: number,
  rigs: number,
): Promise<{ perSecond: number; waitMs: Percentiles }> {
  const waits: number[] = [];
  let next = 0;
  const mine = async (): Promise<void> => {
    while (next < shares) {
      const nonce2 = next++ as Nonce2;
      const askedAt = performance.now();
      const verdict = await verdictOn(judge, {
        jobId: jobIds[nonce2 % jobIds.length] ?? '',
        nonce1: 1 as Nonce1,
        nonce2,
        account: `k:${nonce2 % 50}`,
        rig: `rig${nonce2 % rigs}`,
        shareTargetOf: () => MAX_TARGET,
      });
      if (!verdict.accepted) throw new Error(`a share was refused: ${verdict.detail}`);
      waits.push(performance.now() - askedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: underWay }, mine));
  const perSecond = (1000 * shares) / (performance.now() - startedAt);
  return { perSecond, waitMs: percentilesOf(waits) };
}

function percentilesOf(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => rounded(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

function rounded(value: number): number {
  return Math.round(10 * value) / 10;
}

async function untilRecorded(ledger: Ledger, queue: ShareQueue, shares: number): Promise<void> {
  while ((await ledger.totals()).shares < shares) {
    const { failed } = await queue.stats();
    if (failed > 0) throw new Error(`${failed} entries failed`);
    await pause(20);
  }
}

/** Of the books alone; what the queue holds goes when it is recorded. */
async function measureSizes(): Promise<LedgerSizes> {
  const [rigs, tenSeconds, sharesPerEntry] = [50, 1000, 10];
  const shares = rigs * tenSeconds;
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    const firstMs = Date.now() - 2 * DAY_MS;
    const log = randomUUID();
    for (let at = 0; at < shares; at += sharesPerEntry) {
      const some = Array.from({ length: sharesPerEntry }, (_, i) =>
        makeShare({
          account: `k:${'ab'.repeat(32)}`,
          rig: `rig${(at + i) % rigs}`,
          acceptedAtMs: firstMs + 10_000 * Math.floor((at + i) / rigs),
        }),
      );
      const id = { log, number: 1 + at / sharesPerEntry };
      await ledger.recordEntry(entryOf({ id, shares: some, rejections: [] }));
    }
    const fresh = await sizeOf(ledger.pool, shares);
    await keepUp(ledger.pool);
    return { fresh, afterADay: await sizeOf(ledger.pool, shares) };
  } finally {
    await ledger.close();
    await postgres.close();
  }
}

const DAY_MS = 86_400_000;

/** Without what deleted rows left behind, which later rows take. */
async function sizeOf(pool: pg.Pool, shares: number): Promise<Size> {
  await pool.query('VACUUM FULL ANALYZE');
  const { rows } = await pool.query<{ rows: number; bytes: string }>(
    `SELECT sum(c.reltuples)::float8 AS rows, sum(pg_total_relation_size(c.oid))::text AS bytes
     FROM pg_class c WHERE c.relnamespace = 'stratum_bridge'::regnamespace AND c.relkind = 'r' AND c.reltuples > 0`,
  );
  const factor = 1_000_000 / shares;
  return {
    rows: Math.round((rows[0]?.rows ?? 0) * factor),
    megabytes: rounded((Number(rows[0]?.bytes ?? 0) * factor) / 2 ** 20),
  };
}

function print(rows: readonly LedgerBenchRow[], sizes: LedgerSizes): void {
  const line = (...cells: unknown[]): string => `| ${cells.join(' | ')} |\n`;
  const { stdout } = process;
  stdout.write(
    line('backend', 'answered/s', 'in the books/s', 'wait p50, p99 ms loaded', 'light', 'x entries of one'),
  );
  stdout.write(line('---', '---', '---', '---', '---', '---'));
  for (const row of rows) {
    stdout.write(
      line(
        row.backend,
        row.acknowledgedPerSecond,
        row.recordedPerSecond,
        `${row.loadedMs.p50}, ${row.loadedMs.p99}`,
        `${row.lightMs.p50}, ${row.lightMs.p99}`,
        row.ofOneShareEntries,
      ),
    );
  }
  stdout.write(
    `\n${line('a million shares, one a rig in ten seconds', 'rows', 'MB')}${line('---', '---', '---')}`,
  );
  stdout.write(line('as they come', sizes.fresh.rows, sizes.fresh.megabytes));
  stdout.write(line('a day later', sizes.afterADay.rows, sizes.afterADay.megabytes));
  stdout.write(`${JSON.stringify({ bench: 'ledger', rows, sizes })}\n`);
}
