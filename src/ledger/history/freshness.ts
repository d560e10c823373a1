/** How fresh jobs were, in the books: sums for each step of time that is shown, of all bridges together. */
import type pg from 'pg';
import type { DelayMinute } from '../../bridge/watch/job-delays.js';
import { SPANS } from '../../bridge/watch/spans.js';
import { run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { SQL } from './rolling.js';

const STEPS = Object.values(SPANS).map(({ stepMs, steps }) => ({ seconds: stepMs / 1000, steps }));
const SECONDS = STEPS.map(({ seconds }) => seconds);

/**
 * Adds what one bridge counted. Where the connection is lost in its very end, some may be counted twice.
 *
 * @param nowMs by the clock of the minutes.
 */
export async function addDelays(
  pool: pg.Pool,
  minutes: readonly DelayMinute[],
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    for (const { atMs, counts } of minutes)
      await run(client, SQL.addDelays, [(nowMs - atMs) / 1000, counts, SECONDS]);
    await run(client, SQL.forgetDelays, [SECONDS, STEPS.map(({ steps }) => steps)]);
  });
}
