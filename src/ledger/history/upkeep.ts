/**
 * Keeps the books of shares small: closes time buckets, rolls them up for who looks, and merges old ones into longer ones. Of the
 * timeline it keeps so many lines of each kind. Every bridge on a ledger may run it; the steps exclude one another.
 */
import type pg from 'pg';
import type { Log } from '../../core/log.js';
import { SLOT_SECONDS } from '../../core/slot.js';
import { pruneDeliveries } from '../alerts/alert-deliveries.js';
import { pruneAlerts } from '../alerts/alert-look.js';
import { clockSkewMs, watchClocks } from '../database/clocks.js';
import { bulkQuery, inTransaction } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { followRound } from '../settlement/open-round.js';
import { settlePps, useScheme } from '../settlement/pps.js';
import { pruneTimeline } from '../timeline.js';
import { type Merge, mergeRolled, rollUp } from './rolling.js';

export interface Retention {
  /** Longer and longer buckets for older and older shares; widths are multiples of the one before. */
  readonly merges: readonly Merge[];
  /** Nothing is kept of buckets older than this, below as many days with shares. What they credited stays. */
  readonly bucketsMs: number;
  /** Slots stay open while a producer is waited for, at the most so long. */
  readonly patienceMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const RETENTION: Retention = {
  merges: [
    { olderThanMs: 60 * MINUTE_MS, seconds: 600 },
    { olderThanMs: DAY_MS, seconds: 3600 },
    { olderThanMs: 30 * DAY_MS, seconds: 86_400 },
  ],
  bucketsMs: 400 * DAY_MS,
  patienceMs: DAY_MS,
};

/** Of shares or rejections that a step merges, or one bucket of each rig: an upkeep that has waited for days takes many steps. */
const ROWS_AT_A_TIME = 200_000;

/**
 * One round of upkeep, by the database's clock: a bridge's own would be one of many. History goes only when it is old by that
 * clock and has as many newer days of shares above it, so that no clock alone deletes anything.
 *
 * @param signal ends it early, between two steps of rolling up or merging.
 */
export async function keepUp(
  pool: pg.Pool,
  retention: Retention = RETENTION,
  signal?: AbortSignal,
): Promise<void> {
  const [first] = retention.merges;
  if (first) {
    const text = `SELECT close_slots(${AGO}, $2 * interval '1 millisecond')`;
    await pool.query(text, [first.olderThanMs, retention.patienceMs]);
  }
  // What a step has made is merged before the next one, so that a merge is never longer than a step.
  await rollUp(pool, { between: () => mergeRolled(pool), signal });
  await followRound(pool);
  await mergeBuckets(pool, retention.merges, signal);
  if (signal?.aborted) return;
  await mergeRolled(pool);
  await pool.query('SELECT see_owed()');
  await forgetHistory(pool, retention.bucketsMs);
  await pruneTimeline(pool);
  await pruneAlerts(pool);
  await pruneDeliveries(pool);
}

/** Milliseconds before the database's now. */
const AGO = "now() - $1 * interval '1 millisecond'";

async function mergeBuckets(pool: pg.Pool, merges: readonly Merge[], signal?: AbortSignal): Promise<void> {
  let narrower = SLOT_SECONDS;
  for (const { olderThanMs, seconds } of merges) {
    const values = [olderThanMs, narrower, seconds, ROWS_AT_A_TIME];
    while (!signal?.aborted && (await mergeSome(pool, values)));
    narrower = seconds;
  }
}

/** True when more is left. */
function mergeSome(pool: pg.Pool, values: readonly number[]): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    // What a round that is open may be told apart by stays as it is.
    const text = `SELECT merge_some_buckets($2, $3, least(${AGO}, (SELECT until FROM open_round)), $4) AS more`;
    const { rows } = await bulkQuery<{ more: boolean }>(client, text, [...values]);
    return rows[0]?.more === true;
  });
}

async function forgetHistory(pool: pg.Pool, ageMs: number): Promise<void> {
  const { rows } = await pool.query<{ before: Date | null }>(
    `SELECT least(day_of_shares($2), ${AGO}) AS before
     WHERE EXISTS (SELECT FROM bucket WHERE starts_at < ${AGO}) AND day_of_shares($2) IS NOT NULL`,
    [ageMs, Math.ceil(ageMs / DAY_MS)],
  );
  const before = rows[0]?.before;
  if (!before) return;
  await pool.query('DELETE FROM bucket WHERE starts_at < $1', [before]);
  await pool.query('DELETE FROM rejection WHERE starts_at < $1', [before]);
  await pool.query('DELETE FROM rolled_sum WHERE starts_at < $1', [before]);
  await pool.query('DELETE FROM owed WHERE starts_at < $1', [before]);
}

export interface Upkeep {
  close(): Promise<void>;
}

export interface UpkeepOptions {
  readonly rules: RulesSource;
  /** The time of day here: only compared with the database's. */
  readonly nowMs: () => number;
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Keeps up, and settles pay per share, now and every `intervalMs`; a failure is told and the next turn tries again. */
export function startUpkeep(pool: pg.Pool, options: UpkeepOptions): Upkeep {
  const { rules, nowMs, log, intervalMs = MINUTE_MS } = options;
  let running: Promise<void> | undefined;
  const clocks = watchClocks(log);
  const closing = new AbortController();
  const { signal } = closing;
  const once = async (): Promise<void> => {
    const now = await rules();
    await useScheme(pool, now.scheme);
    if (now.scheme === 'pps') await settlePps(pool, now);
    if (clocks.agree(await clockSkewMs(pool, nowMs))) await keepUp(pool, RETENTION, signal);
    // Who looks is shown what is there, whatever this clock says.
    else await rollUp(pool, { signal });
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
      closing.abort();
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
