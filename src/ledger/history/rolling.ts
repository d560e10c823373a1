/** Sums that history is read from (`rolled_sum`): made from the buckets, each time once for ever when it is closed. */
import type pg from 'pg';
import { bulkQuery, inTransaction } from '../database/transaction.js';

/** What is older becomes sums of so many seconds. */
export interface Merge {
  readonly olderThanMs: number;
  readonly seconds: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A little longer than the ranges that are shown: an hour by minutes, a day by ten, a week by hours, a month by three of them. */
export const ROLLED_MERGES: readonly Merge[] = [
  { olderThanMs: 2 * HOUR_MS, seconds: 600 },
  { olderThanMs: 26 * HOUR_MS, seconds: 3600 },
  { olderThanMs: 8 * DAY_MS, seconds: 10_800 },
  { olderThanMs: 31 * DAY_MS, seconds: 86_400 },
];

/** Of shares and rejections that a step reads, or ten minutes of them: a first start on old books takes many steps, none of them long. */
const ROWS_AT_A_TIME = 100_000;

export interface Rolling {
  readonly rowsAtATime?: number;
  /** Between two steps. */
  readonly between?: () => Promise<void>;
  /** No further step is begun. */
  readonly signal?: AbortSignal | undefined;
}

/** Rolls up all that can be; where another bridge does so already there is nothing to do. To be called before buckets are merged. */
export async function rollUp(pool: pg.Pool, rolling: Rolling = {}): Promise<void> {
  const { rowsAtATime = ROWS_AT_A_TIME, between, signal } = rolling;
  const step = `SELECT roll_up(${rowsAtATime}) AS value`;
  while (!signal?.aborted && (await one<boolean>(pool, step))) await between?.();
}

export async function mergeRolled(pool: pg.Pool): Promise<void> {
  for (const { olderThanMs, seconds } of ROLLED_MERGES) {
    await inTransaction(pool, (client) =>
      bulkQuery(client, "SELECT merge_rolled($1, now() - $2 * interval '1 millisecond')", [
        seconds,
        olderThanMs,
      ]),
    );
  }
}

function one<T>(pool: pg.Pool, sql: string): Promise<T | undefined> {
  return inTransaction(pool, async (client) => (await bulkQuery<{ value: T }>(client, sql)).rows[0]?.value);
}
