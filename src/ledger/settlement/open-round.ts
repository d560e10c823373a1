/**
 * The round that is open: work since the slot of the last block. What lies far enough behind is kept as one sum by account, so that slots
 * can be merged, and a block that comes after days is weighed as fast as any.
 */
import type pg from 'pg';
import type { Weight } from '../../core/money/rewards.js';
import { rowOf } from '../database/statements.js';
import { bulkRows, inTransaction, lockBlocks } from '../database/transaction.js';
import { allWorkFrom, SLOT_MS, SQL, summed, type Tail, workBetween, workFrom } from './weights.js';

/** How much may be left to be read. */
const BEHIND_MS = 60_000;

interface OpenRound {
  readonly until: Date;
  readonly weights: readonly Weight[];
}

async function openRound(client: pg.ClientBase): Promise<OpenRound> {
  const [open] = await bulkRows(client, SQL.openRound);
  const { until = new Date(0), accounts = [], work = [] } = open ?? {};
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
  await writeRound(client, next, next, []);
}

/** Brings the sum near to where slots are closed, to a whole minute, and no further than to a block that is to be weighed. */
export async function followRound(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const { to } = (await rowOf(client, SQL.near, [BEHIND_MS])) ?? {};
    if (!to) return;
    const { until, weights } = await openRound(client);
    const since = await workBetween(client, until, new Date(to.getTime() - SLOT_MS));
    await writeRound(client, null, to, summed([...weights, ...since]));
  });
}

async function writeRound(
  client: pg.ClientBase,
  since: Date | null,
  until: Date,
  weights: readonly Weight[],
): Promise<void> {
  const accounts = weights.map(({ account }) => Number(account));
  await bulkRows(client, SQL.writeRound, [
    since,
    until,
    accounts,
    weights.map(({ work }) => work.toString()),
  ]);
}
