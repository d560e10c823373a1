/**
 * What one look at alerts costs a bridge with many rigs: how long it takes, and for how long at a stretch nothing else gets its turn.
 * Real books, a real list of rigs; what the sessions of a server would say stands in for these.
 */

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { judge } from '../../src/alerts/judge.js';
import { NO_OTHERS } from '../../src/bridge/watch/other-bridges.js';
import { SILENT } from '../../src/core/names/log.js';
import { alertBook } from '../../src/ledger/alerts/alert-book.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { RigOrders } from '../../src/stratum/operator/rig-orders.js';
import { watchOf } from '../../src/stratum/operator/watch.js';
import { RigBook } from '../../src/stratum/resume/rig-book.js';
import { look, SETTINGS, WELL } from '../helpers/alerts/alert-looks.js';
import { startTestPostgres } from '../helpers/books/postgres.js';
import { NO_RIGS } from '../helpers/rigs/no-rigs.js';

export interface AlertsBench {
  readonly rigs: number;
  readonly rows: readonly LookRow[];
}

interface LookRow {
  readonly what: string;
  readonly p50Ms: number;
  readonly slowestMs: number;
  /** The longest time of the processor that the loop took for one turn: so long nothing else gets one. */
  readonly blockedMs: number;
}

const TIMES = 20;
/** Milliseconds. */
const MOST_BLOCKED = 20;
const OFFLINE_MS = 600_000;
const GO = `
  UPDATE alert_rig SET seen_at = now() - interval '11 minutes';
  UPDATE alert_watch SET watching_since = now() - interval '1 day'`;

export async function benchAlerts({
  rigs = Number(process.env['BENCH_RIGS'] ?? 10_000),
} = {}): Promise<AlertsBench> {
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    const { pool } = ledger;
    const book = alertBook(pool);
    const watch = await connectRigs(pool, rigs);
    const present = async (): Promise<void> => {
      for await (const part of watch.online()) await book.sawRigs(part);
    };
    const looked = async (): Promise<void> => {
      const found = judge({ ...WELL, rigs: await book.overdueRigs(OFFLINE_MS, []) }, SETTINGS, () => false);
      const findings = found.filter(({ condition }) => condition === 'rigOffline');
      await book.look(look({ bridge: randomUUID(), findings }));
    };
    const rows = [
      await measured('all are written down as heard', present),
      await measured('a look while all are heard', looked),
    ];
    await pool.query(GO);
    rows.push(await measured('a look after all have gone', looked));
    const { open } = await book.readAlerts({ state: 'open', limit: 1 });
    if (open !== 1) throw new Error(`${open} alerts are open, and not the one of many rigs`);
    report({ rigs, rows });
    return { rigs, rows };
  } finally {
    await ledger.close();
    await postgres.close();
  }
}

/** A tenth of the rigs are of one account, the others of accounts of two. */
async function connectRigs(pool: pg.Pool, count: number): Promise<ReturnType<typeof watchOf>> {
  const rigBook = new RigBook({ limits: { remembered: count }, accounts: { areProven: true } });
  const logins = Array.from({ length: count }, (_, i) => ({
    account: i < count / 10 ? 'farm' : `k:${String(i >> 1).padStart(64, 'b')}`,
    rig: `rig${i}`,
  }));
  const nowMs = Date.now();
  for (const login of logins) {
    const session = {
      openedAtMs: nowMs,
      answeredAtMs: nowMs,
      cameFrom: { host: '192.0.2.1', port: 'tcp' },
      agent: 'rig/1',
      difficulty: undefined,
    };
    rigBook.entered(login, { ...session, report: () => NO_REPORT }, 'an address');
  }
  await pool.query('SELECT know_rigs($1::text[], $2::text[])', [
    logins.map(({ account }) => account),
    logins.map(({ rig }) => rig),
  ]);
  return watchOf({
    ...{
      rigBook,
      ordered: new RigOrders(),
      labels: new RigOrders(),
      isBanned: () => false,
      nowMs: () => nowMs,
    },
    ...{
      sessions: () => new Set(),
      counts: NO_RIGS.counts,
      bans: () => [],
      addresses: () => [],
      drain: NO_RIGS.drain,
      others: () => NO_OTHERS,
    },
  });
}

const NO_REPORT = {
  ...{ id: 0, transport: 'tcp', peer: '', agent: '', logins: [], openedAtMs: 0, chainId: undefined },
  ...{ difficulty: undefined, hashRates: [], bestShare: 0 },
} as never;

async function measured(what: string, act: () => Promise<unknown>): Promise<LookRow> {
  const times: number[] = [];
  const stretch = watchStretches();
  for (let i = 0; i < TIMES; i++) {
    const from = performance.now();
    await act();
    times.push(performance.now() - from);
  }
  const blockedMs = stretch.end();
  times.sort((a, b) => a - b);
  return { what, p50Ms: times[TIMES / 2] ?? 0, slowestMs: times.at(-1) ?? 0, blockedMs };
}

/** Takes its turn as often as there is one. By time of the processor: what else the machine does is not counted. */
function watchStretches(): { end(): number } {
  let [longest, last, isOver] = [0, processorMs(), false];
  const turn = (): void => {
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end: () => {
      isOver = true;
      return longest;
    },
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function report({ rigs, rows }: AlertsBench): void {
  const { stdout } = process;
  stdout.write(`${rigs} rigs, ${TIMES} times each\n\n`);
  stdout.write('| what | p50 ms | slowest ms | nothing else for, ms | |\n| --- | --- | --- | --- | --- |\n');
  for (const { what, p50Ms, slowestMs, blockedMs } of rows) {
    const missed = blockedMs > MOST_BLOCKED ? `**missed** (bar ${MOST_BLOCKED} ms)` : '';
    stdout.write(
      `| ${what} | ${p50Ms.toFixed(1)} | ${slowestMs.toFixed(1)} | ${blockedMs.toFixed(1)} | ${missed} |\n`,
    );
  }
  stdout.write(`${JSON.stringify({ bench: 'alerts', rigs, rows })}\n`);
}
