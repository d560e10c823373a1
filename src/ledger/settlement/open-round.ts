/**
 * The round that is open: work since the slot of the last block. What lies far enough behind is kept as one sum by account, so that slots
 * can be merged, and a block that comes after days is weighed as fast as any.
 */
import type pg from 'pg';
import type { Weight } from '../../core/rewards.js';
import { bulkQuery, inTransaction, lockBlocks } from '../database/transaction.js';
import { SLOT_MS, workBetween } from './weights.js';

/** How much is left to be read from the slots. */
const BEHIND_MS = 600_000;

/** Work by account from the last block up to and with the slot `to`, which is closed. */
export async function workSinceBlock(client: pg.ClientBase, to: Date): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ until: Date; accounts: number[]; work: string[] }>(
    client,
    'SELECT until, accounts, work::text[] AS work FROM open_round FOR UPDATE',
  );
  const { until = new Date(0), accounts = [], work = [] } = rows[0] ?? {};
  const sums = new Map(accounts.map((account, i) => [String(account), BigInt(work[i] ?? 0)]));
  for (const { account, work } of await workBetween(client, until, to))
    sums.set(account, (sums.get(account) ?? 0n) + work);
  return Array.from(sums, ([account, work]) => ({ account, work }));
}

/** From the slot after this one on another round is open. */
export async function endRound(client: pg.ClientBase, slot: Date): Promise<void> {
  const next = new Date(slot.getTime() + SLOT_MS);
  await writeRound(client, 'since = $1, until = $1', next, []);
}

/** Brings the sum near to where slots are closed, and no further than to a block that is to be weighed. */
export async function followRound(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const { rows } = await client.query<{ to: Date }>(NEAR, [BEHIND_MS]);
    const to = rows[0]?.to;
    if (!to) return;
    const weights = await workSinceBlock(client, new Date(to.getTime() - SLOT_MS));
    await writeRound(client, 'until = $1', to, weights);
  });
}

const NEAR = `
  SELECT "to" FROM (
    SELECT open_round.until, (SELECT least(closed.until, min(b.slot)) FROM block b WHERE b.weighed_at IS NULL) AS "to"
    FROM open_round, closed) AS round
  WHERE "to" >= until + $1 * interval '1 millisecond'`;

async function writeRound(
  client: pg.ClientBase,
  times: string,
  to: Date,
  weights: readonly Weight[],
): Promise<void> {
  await bulkQuery(client, `UPDATE open_round SET ${times}, accounts = $2, work = $3`, [
    to,
    weights.map(({ account }) => Number(account)),
    weights.map(({ work }) => work.toString()),
  ]);
}
