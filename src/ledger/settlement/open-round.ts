/**
 * The round that is open: work since the slot of the last block. What lies far enough behind is kept as one sum by account, so that slots
 * can be merged, and a block that comes after days is weighed as fast as any.
 */
import type pg from 'pg';
import type { Weight } from '../../core/rewards.js';
import { bulkQuery, inTransaction, lockBlocks } from '../database/transaction.js';
import { allWorkFrom, SLOT_MS, summed, type Tail, workBetween, workFrom } from './weights.js';

/** How much may be left to be read. */
const BEHIND_MS = 60_000;

interface OpenRound {
  readonly until: Date;
  readonly weights: readonly Weight[];
}

async function openRound(client: pg.ClientBase): Promise<OpenRound> {
  const { rows } = await bulkQuery<{ until: Date; accounts: number[]; work: string[] }>(
    client,
    'SELECT until, accounts, work::text[] AS work FROM open_round FOR UPDATE',
  );
  const { until = new Date(0), accounts = [], work = [] } = rows[0] ?? {};
  return {
    until,
    weights: accounts.map((account, i) => ({ account: String(account), work: BigInt(work[i] ?? 0) })),
  };
}

/** Work by account from the last block up to the end of the tail, whose slots are closed. */
export async function workSinceBlock(client: pg.ClientBase, tail: Tail): Promise<Weight[]> {
  const { until, weights } = await openRound(client);
  return summed([...weights, ...(await workFrom(client, until, tail))]);
}

/** The same, of all accounts together. */
export async function allWorkSinceBlock(client: pg.ClientBase, tail: Tail): Promise<bigint> {
  const { until, weights } = await openRound(client);
  return weights.reduce((sum, { work }) => sum + work, await allWorkFrom(client, until, tail));
}

/** From the slot after this one on another round is open. */
export async function endRound(client: pg.ClientBase, slot: Date): Promise<void> {
  const next = new Date(slot.getTime() + SLOT_MS);
  await writeRound(client, 'since = $1, until = $1', next, []);
}

/** Brings the sum near to where slots are closed, to a whole minute, and no further than to a block that is to be weighed. */
export async function followRound(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const { rows } = await client.query<{ to: Date }>(NEAR, [BEHIND_MS]);
    const to = rows[0]?.to;
    if (!to) return;
    const { until, weights } = await openRound(client);
    const since = await workBetween(client, until, new Date(to.getTime() - SLOT_MS));
    await writeRound(client, 'until = $1', to, summed([...weights, ...since]));
  });
}

const NEAR = `
  SELECT "to" FROM (
    SELECT open_round.until, (SELECT date_bin('1 minute', least(closed.until, min(b.slot)), 'epoch') FROM block b WHERE b.weighed_at IS NULL) AS "to"
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
