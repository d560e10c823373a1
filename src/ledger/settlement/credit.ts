/** Who gets what of a block, by the operator's scheme and the books of shares. */
import type pg from 'pg';
import type { Amount } from '../../core/amount.js';
import {
  type Fees,
  lastWork,
  type Scheme,
  type Split,
  splitByWork,
  type Weight,
} from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';
import { BUCKET_SECONDS } from '../recording/share-sums.js';
import { OPERATOR } from './posting.js';
import type { PplnsWindow } from './reward-rules.js';
import { roundWeights } from './rounds.js';

export interface Credit {
  readonly account: string;
  readonly amount: Amount;
}

/** What the split of a block depends on. */
export interface CreditedBlock {
  readonly solutionId: string;
  readonly finder: string;
  readonly foundAt: Date;
  readonly difficulty: bigint;
}

const HOUR_MS = 3_600_000;

/** What does not change any more once a block was seen on the chain. */
export interface Terms {
  readonly scheme: Scheme;
  readonly fees: Fees;
}

/** What comes later is recorded after this block, whatever its time says, so that the block's window stays as it is. */
export async function closeBucketsAt(client: pg.ClientBase, foundAt: Date): Promise<void> {
  // Never ahead of the database's clock, whatever the finder's says: shares would pile up in a bucket of the future.
  await client.query('SELECT close_buckets(least($1::timestamptz, now()))', [
    new Date(foundAt.getTime() + 1000 * BUCKET_SECONDS),
  ]);
}

/** Credits that sum to the reward. `window` is asked for by `pplns` alone. */
export async function creditsOf(
  client: pg.ClientBase,
  block: CreditedBlock,
  reward: Amount,
  terms: Terms,
  window: () => Promise<readonly Weight[]>,
): Promise<Credit[]> {
  if (reward === 0n) return [];
  const split = await splitOf(client, block, reward, terms, window);
  // A login without a name is nobody's account.
  const credits = split.credits.filter(({ account }) => account !== OPERATOR);
  const operator = reward - credits.reduce((sum, { amount }) => sum + amount, 0n);
  return operator > 0n ? [...credits, { account: OPERATOR, amount: operator }] : credits;
}

async function splitOf(
  client: pg.ClientBase,
  block: CreditedBlock,
  reward: Amount,
  { scheme, fees }: Terms,
  window: () => Promise<readonly Weight[]>,
): Promise<Split> {
  switch (scheme) {
    case 'pps':
      return { credits: [], operator: reward };
    case 'solo':
      return splitByWork(reward, [{ account: block.finder, work: 1n }], fees);
    case 'prop':
      return splitByWork(reward, await roundWeights(client, block.solutionId), fees);
    case 'pplns':
      return splitByWork(reward, await window(), fees);
  }
}

/** Work by account in the window of a block, as the books are now. */
export async function windowWeights(
  client: pg.ClientBase,
  block: Pick<CreditedBlock, 'foundAt' | 'difficulty'>,
  window: PplnsWindow,
): Promise<Weight[]> {
  if (window.of === 'time')
    return bucketWeights(client, new Date(block.foundAt.getTime() - window.ms), block.foundAt);
  const work = (block.difficulty * window.permille) / 1000n;
  const boundary = await windowStart(client, block.foundAt, work);
  if (!boundary) return bucketWeights(client, new Date(0), block.foundAt);
  const justAfter = new Date(boundary.getTime() + 1);
  const newest = await bucketWeights(client, justAfter, block.foundAt);
  const oldest = await bucketWeights(client, boundary, boundary);
  return lastWork([{ weights: newest }, { weights: oldest }], work);
}

/** The start of the buckets in which a window of work ends; `undefined` when all there is does not fill it. */
async function windowStart(client: pg.ClientBase, until: Date, work: bigint): Promise<Date | undefined> {
  const oldest = await oldestBucket(client);
  if (!oldest) return undefined;
  let left = work;
  let to = until.getTime() + 1;
  for (let spanMs = HOUR_MS; to > oldest.getTime(); spanMs *= 2) {
    const from = to - spanMs;
    const { rows } = await client.query<{ starts_at: Date; work: string }>(
      'SELECT starts_at, sum(work) AS work FROM bucket WHERE starts_at >= $1 AND starts_at < $2 GROUP BY 1 ORDER BY 1 DESC',
      [new Date(from), new Date(to)],
    );
    for (const row of rows) {
      left -= BigInt(row.work);
      if (left <= 0n) return row.starts_at;
    }
    to = from;
  }
  return undefined;
}

async function oldestBucket(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ starts_at: Date | null }>(
    'SELECT min(starts_at) AS starts_at FROM bucket',
  );
  return rows[0]?.starts_at ?? undefined;
}

/** Work by account in the buckets that start between the two times, both included. */
function bucketWeights(client: pg.ClientBase, from: Date, to: Date): Promise<Weight[]> {
  return weightsOf(
    client,
    `SELECT account, sum(work) AS work FROM bucket JOIN rig ON rig.id = rig_id
     WHERE starts_at BETWEEN $1 AND $2 GROUP BY account`,
    [from, to],
  );
}

async function weightsOf(client: pg.ClientBase, sql: string, values: unknown[]): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(client, sql, values);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}
