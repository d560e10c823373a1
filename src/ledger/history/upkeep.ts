/**
 * Keeps the books small: closes slots, sums up and drops old partitions. Of the timeline it keeps so many lines of each kind. One bridge
 * of all does it (`database/leader.ts`); nothing breaks when two do for a moment.
 */
import type pg from 'pg';
import { pruneAlerts } from '../alerts/alert-look.js';
import type { Chore } from '../database/leader.js';
import { run } from '../database/statements.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import type { RewardRules } from '../rules/rule-table.js';
import { followRound } from '../settlement/open-round.js';
import { pruneTimeline } from '../timeline.js';
import { closeDays, forgetOld, makePartitions, rollUp, SQL } from './rolling.js';

const MINUTE_MS = 60_000;

/** What comes later than that counts in the first open slot. */
const OPEN_MS = 60 * MINUTE_MS;

type Rules = Pick<RewardRules, 'patienceMs' | 'keepRigsMs' | 'keepAccountsMs'>;

/** By the database's clock: a bridge's own would be one of many. What it reads does not grow with history. */
export async function closeSlots(pool: pg.Pool, { patienceMs }: Rules): Promise<void> {
  await run(pool, SQL.close, [OPEN_MS, patienceMs]);
  await followRound(pool);
}

/** Sums up and drops what is old, and makes room for what comes. @param signal ends it early, between two steps. */
export async function keepSmall(pool: pg.Pool, rules: Rules, signal?: AbortSignal): Promise<void> {
  await makePartitions(pool);
  await rollUp(pool, signal);
  if (signal?.aborted) return;
  await forgetOld(pool, rules);
  await run(pool, SQL.forgetEntries);
  await run(pool, SQL.seeOwed);
  await closeDays(pool, signal);
  await pruneTimeline(pool);
  await pruneAlerts(pool);
}

/** Of all that is old nothing grows by much in five minutes, and partitions are made for hours. */
export function upkeepChores(pool: pg.Pool, rules: RulesSource): Chore[] {
  return [
    {
      name: 'the closing of slots',
      everyMs: MINUTE_MS,
      run: async () => closeSlots(pool, await rules()),
    },
    {
      name: 'the upkeep of the ledger',
      everyMs: 5 * MINUTE_MS,
      run: async (signal) => keepSmall(pool, await rules(), signal),
    },
  ];
}
