/** All of the upkeep once. */
import type pg from 'pg';
import { closeSlots, keepSmall } from '../../../src/ledger/history/upkeep.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';

export async function keepUp(pool: pg.Pool, rules = REWARD_RULES): Promise<void> {
  await closeSlots(pool, rules);
  await keepSmall(pool, rules);
}
