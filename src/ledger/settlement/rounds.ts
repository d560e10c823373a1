/**
 * Rounds of `prop`: slots since the one of the block before. A block on the chain is paid by its own round and by those of blocks before
 * it that are not on the chain, back to the one that is. So all work counts for the blocks of one slot, or for the one to come, and who is
 * paid depends only on which blocks are on the chain, not on the order in which they left it or came back. Where the next block is of
 * another scheme, it pays the rounds that nobody has paid with a part of what it brings: theirs of all work since the block before.
 */
import type pg from 'pg';
import type { Scheme, Weight } from '../../core/money/rewards.js';
import { rowOf, run, statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';
import { SLOT_MS } from './weights.js';

const SQL = statementsOf('settlement/rounds.sql');

interface Place {
  readonly slot: Date;
  readonly scheme: Scheme;
}

/**
 * The slot after which the work begins that a block is split by: that of the last block before it that is on the chain, the epoch where
 * there is none. Under another scheme than `prop` its own slot, where no round waits.
 */
export async function roundBefore(client: pg.ClientBase, { slot, scheme }: Place): Promise<Date> {
  const { before = new Date(0), waits } = (await rowOf(client, SQL.before, [slot])) ?? {};
  return scheme === 'prop' || waits ? before : slot;
}

/** Work by account in the rounds after `from` that count for a block: its own only under `prop`. */
export async function roundWeights(
  client: pg.ClientBase,
  from: Date,
  { slot, scheme }: Place,
): Promise<Weight[]> {
  const before = scheme === 'prop' ? new Date(slot.getTime() + SLOT_MS) : slot;
  const rows = await bulkRows(client, SQL.weights, [from, before]);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** All work of the round that ends with this slot. */
export async function workOfRound(client: pg.ClientBase, slot: Date): Promise<bigint> {
  return BigInt((await rowOf(client, SQL.workOf, [slot]))?.work ?? 0);
}

/** Whether a block of an earlier slot, whose round this one may have to pay, may yet come onto the chain or leave it. */
export async function hasUndecidedBefore(client: pg.ClientBase, { slot, scheme }: Place): Promise<boolean> {
  return (await rowOf(client, SQL.hasUndecided, [slot, scheme]))?.has === true;
}

/**
 * To be called when a block came onto the chain or left it, or was decided: marks those whose split depends on it. These are the next
 * ones on the chain, and those that wait.
 */
export async function markDependants(client: pg.ClientBase, blockId: string): Promise<void> {
  await run(client, SQL.markDependants, [blockId]);
}
