/**
 * Keeps the books of shares small: closes time buckets, merges old ones into longer ones, forgets single shares, and
 * replaces the ids of old entries by ranges. Every bridge on a ledger may run it; the steps exclude one another.
 */
import type pg from 'pg';
import type { Log } from '../core/log.js';
import { settlePps, useScheme } from './pps.js';
import type { RewardRules } from './reward-rules.js';

export interface Retention {
  /** Single shares are kept this long. */
  readonly recentSharesMs: number;
  /** Entry ids are kept as rows this long, then as ranges for ever. */
  readonly entryRowsMs: number;
  /** Longer and longer buckets for older and older shares; widths are multiples of the one before. */
  readonly merges: readonly Merge[];
  /** Nothing is kept of buckets older than this. What they credited stays. */
  readonly bucketsMs: number;
}

export interface Merge {
  readonly olderThanMs: number;
  readonly seconds: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const RETENTION: Retention = {
  recentSharesMs: 60 * MINUTE_MS,
  entryRowsMs: 60 * MINUTE_MS,
  merges: [
    { olderThanMs: 60 * MINUTE_MS, seconds: 600 },
    { olderThanMs: DAY_MS, seconds: 3600 },
    { olderThanMs: 30 * DAY_MS, seconds: 86_400 },
  ],
  bucketsMs: 400 * DAY_MS,
};

/** One round of upkeep. */
export async function keepUp(pool: pg.Pool, nowMs: number, retention: Retention = RETENTION): Promise<void> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  const [first] = retention.merges;
  if (first) await pool.query('SELECT close_buckets($1)', [before(first.olderThanMs)]);
  for (const { olderThanMs, seconds } of retention.merges) {
    await pool.query('SELECT merge_buckets($1, $2)', [seconds, before(olderThanMs)]);
  }
  await pool.query('DELETE FROM bucket WHERE starts_at < $1', [before(retention.bucketsMs)]);
  await pool.query('DELETE FROM rejection WHERE starts_at < $1', [before(retention.bucketsMs)]);
  await pool.query('DELETE FROM recent_entry WHERE recorded_at < $1', [before(retention.recentSharesMs)]);
  await pool.query("SELECT compact_entries($1 * interval '1 millisecond')", [retention.entryRowsMs]);
}

export interface Upkeep {
  close(): Promise<void>;
}

export interface UpkeepOptions {
  readonly rules: RewardRules;
  readonly nowMs: () => number;
  readonly log: Log;
  /** A random UUID: names one settlement of pay per share among all. */
  readonly newKey: () => string;
  readonly intervalMs?: number;
}

/** Keeps up, and settles pay per share, now and every `intervalMs`; a failure is told and the next turn tries again. */
export function startUpkeep(pool: pg.Pool, options: UpkeepOptions): Upkeep {
  const { rules, nowMs, log, newKey, intervalMs = MINUTE_MS } = options;
  let running: Promise<void> | undefined;
  const once = async (): Promise<void> => {
    await useScheme(pool, rules.scheme);
    if (rules.scheme === 'pps') await settlePps(pool, newKey(), rules);
    await keepUp(pool, nowMs());
  };
  const turn = (): void => {
    running ??= once()
      .catch((error: Error) =>
        log.warn({ error: error.message }, 'the upkeep of the ledger failed; it is tried again'),
      )
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(turn, intervalMs);
  turn();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** Rows of bucket that `rigs` rigs, always mining, make in a year. */
export function bucketRowsAfterAYear(rigs: number, retention: Retention = RETENTION): number {
  const yearMs = 365 * DAY_MS;
  let rows = 0;
  let [youngerMs, seconds] = [0, 10];
  for (const merge of [...retention.merges, { olderThanMs: yearMs, seconds: 0 }]) {
    // One width more: a bucket is merged when it is whole.
    rows += (merge.olderThanMs - youngerMs) / (1000 * seconds) + merge.seconds / seconds;
    [youngerMs, seconds] = [merge.olderThanMs, merge.seconds];
  }
  return Math.ceil(rows) * rigs;
}
