/**
 * Keeps the books small: closes slots, sums up and drops old partitions. Of the timeline it keeps so many lines of each kind. One bridge
 * of all does it (`database/leader.ts`); nothing breaks when two do for a moment.
 */
import type pg from 'pg';
import { pruneAlerts } from '../alerts/alert-look.js';
import type { Chore } from '../database/leader.js';
import { run } from '../database/statements.js';
import { followRound } from '../settlement/open-round.js';
import { pruneTimeline } from '../timeline.js';
import { forgetOld, makePartitions, type Retention, rollUp, SQL } from './rolling.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const RETENTION: Retention = { rigsMs: 90 * DAY_MS, accountsMs: 730 * DAY_MS, patienceMs: DAY_MS };

/** What comes later than that counts in the first open slot. */
const OPEN_MS = 60 * MINUTE_MS;
/**
 * One round of upkeep, by the database's clock: a bridge's own would be one of many. What it reads does not grow with history.
 *
 * @param signal ends it early, between two steps.
 */
export async function keepUp(
  pool: pg.Pool,
  retention: Retention = RETENTION,
  signal?: AbortSignal,
): Promise<void> {
  await makePartitions(pool);
  await run(pool, SQL.close, [OPEN_MS, retention.patienceMs]);
  await followRound(pool);
  await rollUp(pool, signal);
  if (signal?.aborted) return;
  await forgetOld(pool, retention);
  await run(pool, SQL.seeOwed);
  await pruneTimeline(pool);
  await pruneAlerts(pool);
}

/** Keeps up each minute. */
export function upkeepChore(pool: pg.Pool, retention: Retention = RETENTION): Chore {
  return {
    name: 'the upkeep of the ledger',
    everyMs: MINUTE_MS,
    run: (signal) => keepUp(pool, retention, signal),
  };
}
