/** What happens to a payout, for the timeline: told in the transaction that does it, as its last statement. */
import type pg from 'pg';
import type { FactsOf } from '../../bridge/timeline/happenings.js';
import { tellInBooks } from '../timeline.js';

export async function tellPrepared(client: pg.ClientBase, id: string, by: string | undefined): Promise<void> {
  const { minimum, ...facts } = await factsOf(client, id);
  const says = `payout ${id} is prepared: ${facts.total} to ${facts.accounts} accounts`;
  await tellInBooks(client, 'payoutPrepared', says, { batch: id, minimum, ...facts }, by);
}

export async function tellMarked(
  client: pg.ClientBase,
  id: string,
  outcome: FactsOf<'payoutMarked'>['outcome'],
  by: string | undefined,
): Promise<void> {
  const { note, minimum: _, ...facts } = await factsOf(client, id);
  const says = `payout ${id} is marked ${outcome}: ${facts.total} to ${facts.accounts} accounts`;
  await tellInBooks(client, 'payoutMarked', says, { batch: id, outcome, note, ...facts }, by);
}

async function factsOf(
  client: pg.ClientBase,
  id: string,
): Promise<{ minimum: string; note: string; accounts: number; total: string }> {
  const { rows } = await client.query(
    `SELECT minimum::text AS minimum, note, (SELECT count(*)::int FROM batch_line WHERE batch_id = $1) AS accounts,
            (SELECT coalesce(sum(amount), 0)::text FROM batch_line WHERE batch_id = $1) AS total
     FROM batch WHERE id = $1`,
    [id],
  );
  return rows[0];
}
