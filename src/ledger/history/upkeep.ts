/**
 * Keeps the books small: closes slots, sums up and drops old partitions. Of the timeline it keeps so many lines of each kind. One bridge
 * of all does it (`database/leader.ts`); nothing breaks when two do for a moment.
 */
import type pg from 'pg';
import { pruneAlerts } from '../alerts/alert-look.js';
import type { Chore } from '../database/leader.js';
import { run } from '../database/statements.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { REWARD_RULES, type RewardRules } from '../rules/rule-table.js';
import { followRound } from '../settlement/open-round.js';
import { pruneTimeline } from '../timeline.js';
import { closeDays, forgetOld, makePartitions, rollUp, SQL } from './rolling.js';

const MINUTE_MS = 60_000;

/** What comes later than that counts in the first open slot. */
const OPEN_MS = 60 * MINUTE_MS;
/**
 * One round of upkeep, by the database's clock: a bridge's own would be one of many. What it reads does not grow with history.
 *
 * @param signal ends it early, between two steps.
 */
export async function keepUp(
  pool: pg.Pool,
  rules: Pick<RewardRules, 'patienceMs' | 'keepRigsMs' | 'keepAccountsMs'> = REWARD_RULES,
  signal?: AbortSignal,
): Promise<void> {
  await makePartitions(pool);
  await run(pool, SQL.close, [OPEN_MS, rules.patienceMs]);
  await followRound(pool);
  await rollUp(pool, signal);
  if (signal?.aborted) return;
  await forgetOld(pool, rules);
  await run(pool, SQL.forgetEntries);
  await run(pool, SQL.seeOwed);
  await closeDays(pool, signal);
  await pruneTimeline(pool);
  await pruneAlerts(pool);
}

/** Keeps up each minute. */
export function upkeepChore(pool: pg.Pool, rules: RulesSource): Chore {
  return {
    name: 'the upkeep of the ledger',
    everyMs: MINUTE_MS,
    run: async (signal) => keepUp(pool, await rules(), signal),
  };
}
