/**
 * Rounds of `prop`: slots since the one of the block before. A block on the chain is paid by its own round and by those of blocks before
 * it that are not on the chain, back to the one that is. So all work counts for the blocks of one slot, or for the one to come, and who is
 * paid depends only on which blocks are on the chain, not on the order in which they left it or came back. Where the next block is of
 * another scheme, it pays the rounds that nobody has paid with a part of what it brings: theirs of all work since the block before.
 */
import type pg from 'pg';
import type { Scheme, Weight } from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';
import { SLOT_MS } from './weights.js';

const ON_CHAIN = "state IN ('onChain', 'confirmed')";

export interface Place {
  readonly slot: Date;
  readonly scheme: Scheme;
}

/**
 * The slot after which the work begins that a block is split by: that of the last block before it that is on the chain, the epoch where
 * there is none. Under another scheme than `prop` its own slot, where no round waits.
 */
export async function roundBefore(client: pg.ClientBase, { slot, scheme }: Place): Promise<Date> {
  const { rows } = await client.query<{ before: Date; waits: boolean }>(
    `SELECT before, EXISTS (SELECT FROM block WHERE scheme = 'prop' AND slot > before AND slot < $1) AS waits
     FROM (SELECT coalesce(max(slot), 'epoch') AS before FROM block WHERE slot < $1 AND ${ON_CHAIN}) AS last`,
    [slot],
  );
  const { before = new Date(0), waits } = rows[0] ?? {};
  return scheme === 'prop' || waits ? before : slot;
}

/** Work by account in the rounds after `from` that count for a block: its own only under `prop`. */
export async function roundWeights(
  client: pg.ClientBase,
  from: Date,
  { slot, scheme }: Place,
): Promise<Weight[]> {
  const before = scheme === 'prop' ? new Date(slot.getTime() + SLOT_MS) : slot;
  const { rows } = await bulkQuery<{ account: string; work: string }>(client, ROUNDS, [from, before]);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** All blocks of a slot have the same round. */
const ROUNDS = `
  SELECT u.account::text AS account, sum(u.work)::text AS work FROM (
    SELECT DISTINCT ON (slot) solution_id FROM block WHERE scheme = 'prop' AND slot > $1 AND slot < $2 ORDER BY slot, solution_id) b
  JOIN block_weight w USING (solution_id), unnest(w.accounts, w.work) AS u (account, work) GROUP BY 1`;

/** All work of the round that ends with this slot. */
export async function workOfRound(client: pg.ClientBase, slot: Date): Promise<bigint> {
  const text = 'SELECT coalesce(sum(round_work), 0)::text AS work FROM block WHERE slot = $1';
  const { rows } = await client.query<{ work: string }>(text, [slot]);
  return BigInt(rows[0]?.work ?? 0);
}

/** Whether a block of an earlier slot, whose round this one may have to pay, may yet come onto the chain or leave it. */
export async function hasUndecidedBefore(client: pg.ClientBase, { slot, scheme }: Place): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM block WHERE slot < $1 AND state IN ('pending', 'onChain') AND (scheme = 'prop' OR $2 = 'prop')) AS has`,
    [slot, scheme],
  );
  return rows[0]?.has === true;
}

/**
 * To be called when a block came onto the chain or left it, or was decided: marks those whose split depends on it. These are the next
 * ones on the chain, and those that wait.
 */
export async function markDependants(client: pg.ClientBase, solutionId: string): Promise<void> {
  await client.query(
    `WITH changed AS (SELECT slot FROM block WHERE solution_id = $1)
     UPDATE block SET due = true WHERE NOT due AND solution_id IN (
       SELECT solution_id FROM block WHERE slot > (SELECT slot FROM changed) AND state = 'confirmed' AND posted_at IS NULL
       UNION ALL
       SELECT solution_id FROM block WHERE slot = (
         SELECT min(slot) FROM block WHERE slot > (SELECT slot FROM changed) AND ${ON_CHAIN}))`,
    [solutionId],
  );
}
