/** How fresh jobs were, in the books: sums for each step of time that is shown, of all bridges together. */
import type pg from 'pg';
import type { DelayMinute } from '../../bridge/watch/job-delays.js';
import { SPANS } from '../../bridge/watch/spans.js';
import { inTransaction } from '../database/transaction.js';

const STEPS = Object.values(SPANS).map(({ stepMs, steps }) => ({ seconds: stepMs / 1000, steps }));
const SECONDS = STEPS.map(({ seconds }) => seconds);

/** $1: seconds ago, $2: counts, $3: seconds of the steps. What is of a clock that is fast is of now. */
const ADD = `
  INSERT INTO freshness AS f (step_seconds, starts_at, counts)
  SELECT s, date_bin(make_interval(secs => s), now() - make_interval(secs => greatest(0, $1::float8)), 'epoch'), $2::bigint[]
  FROM unnest($3::int[]) AS s
  ON CONFLICT (step_seconds, starts_at) DO UPDATE SET counts = (
    SELECT array_agg(a + b ORDER BY n) FROM unnest(f.counts, excluded.counts) WITH ORDINALITY AS t (a, b, n))`;

/** $1: seconds of the steps, $2: how many are shown. */
const FORGET = `
  DELETE FROM freshness USING unnest($1::int[], $2::int[]) AS shown (seconds, steps)
  WHERE step_seconds = seconds AND starts_at < now() - make_interval(secs => seconds::float8 * steps)`;

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
    for (const { atMs, counts } of minutes) await client.query(ADD, [(nowMs - atMs) / 1000, counts, SECONDS]);
    await client.query(FORGET, [SECONDS, STEPS.map(({ steps }) => steps)]);
  });
}
