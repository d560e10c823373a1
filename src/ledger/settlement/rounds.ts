/**
 * Rounds of `prop`: slots since the one of the block before. A block on the chain is paid by its own round and by those of blocks before
 * it that are not on the chain, back to the one that is. So all work counts for the blocks of one slot, or for the one to come, and who is
 * paid depends only on which blocks are on the chain, not on the order in which they left it or came back.
 */
import type pg from 'pg';
import type { Weight } from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';

const ON_CHAIN = "state IN ('onChain', 'confirmed')";

/** The slot of the last block before this slot that ends a round: one on the chain, or one of another scheme. The epoch when there is none. */
export async function roundBefore(client: pg.ClientBase, slot: Date): Promise<Date> {
  const { rows } = await client.query<{ slot: Date | null }>(
    `SELECT greatest((SELECT max(slot) FROM block WHERE slot < $1 AND ${ON_CHAIN}),
                     (SELECT max(slot) FROM block WHERE slot < $1 AND scheme <> 'prop')) AS slot`,
    [slot],
  );
  return rows[0]?.slot ?? new Date(0);
}

/** Work by account that counts for a block of this slot, in the rounds after `from`. */
export async function roundWeights(client: pg.ClientBase, from: Date, slot: Date): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(client, ROUNDS, [from, slot]);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** All blocks of a slot have the same round. */
const ROUNDS = `
  SELECT u.account::text AS account, sum(u.work)::text AS work FROM (
    SELECT DISTINCT ON (slot) solution_id FROM block WHERE slot > $1 AND slot <= $2 ORDER BY slot, solution_id) b
  JOIN block_weight w USING (solution_id), unnest(w.accounts, w.work) AS u (account, work) GROUP BY 1`;

/** Whether a block of an earlier slot may yet come onto the chain, or leave it before it is confirmed. */
export async function hasUndecidedBefore(client: pg.ClientBase, slot: Date): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    "SELECT EXISTS (SELECT FROM block WHERE slot < $1 AND state IN ('pending', 'onChain')) AS has",
    [slot],
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
     UPDATE block SET due = true WHERE NOT due AND scheme = 'prop' AND solution_id IN (
       SELECT solution_id FROM block WHERE slot > (SELECT slot FROM changed) AND state = 'confirmed' AND posted_at IS NULL
       UNION ALL
       SELECT solution_id FROM block WHERE slot = (
         SELECT min(slot) FROM block WHERE slot > (SELECT slot FROM changed) AND ${ON_CHAIN}))`,
    [solutionId],
  );
}
