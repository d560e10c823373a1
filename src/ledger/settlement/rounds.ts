/**
 * Rounds: what was done between one block that was seen on the chain and the next.
 *
 * A round ends when its block is first seen on the chain, and stays as it is for ever. A block is paid by its own round and
 * by those before it back to the block before that is on the chain now: the round of an orphan counts for the next block
 * that is none. So all work counts for one block on the chain, or for the one to come, and who is paid depends only on
 * which blocks are on the chain, not on the order in which they left it or came back.
 */
import type pg from 'pg';
import type { Weight } from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';

/** SQL that tells whether a row `b` of block is on the chain. */
const ON_CHAIN = "b.state IN ('onChain', 'confirmed')";

/** The caller holds the lock of the books, so that nothing is recorded meanwhile: what comes later is of the next round. */
export async function endRound(client: pg.ClientBase, solutionId: string): Promise<void> {
  await client.query('UPDATE round SET solution_id = $1 WHERE solution_id IS NULL', [solutionId]);
  await client.query('INSERT INTO round DEFAULT VALUES');
}

/** Work by account that a block is paid for under `prop`, by the blocks that are on the chain now. */
export async function roundWeights(client: pg.ClientBase, solutionId: string): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(
    client,
    `SELECT account, sum(work) AS work FROM round own JOIN round_work ON round_id <= own.id
     WHERE own.solution_id = $1 AND round_id > coalesce(
       (SELECT r.id FROM round r JOIN block b USING (solution_id)
        WHERE r.id < own.id AND ${ON_CHAIN} ORDER BY r.id DESC LIMIT 1), 0)
     GROUP BY account`,
    [solutionId],
  );
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** The block on the chain whose rounds begin after this one's: it has to do with whether this one is on the chain. */
export async function nextOnChain(client: pg.ClientBase, solutionId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ solution_id: string }>(
    `SELECT r.solution_id FROM round own JOIN round r ON r.id > own.id JOIN block b ON b.solution_id = r.solution_id
     WHERE own.solution_id = $1 AND ${ON_CHAIN} ORDER BY r.id LIMIT 1`,
    [solutionId],
  );
  return rows[0]?.solution_id;
}
