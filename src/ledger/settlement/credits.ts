/** Who gets what of a block, by who worked for it. */
import type pg from 'pg';
import type { Amount } from '../../core/amount.js';
import { type Fees, type Scheme, type Split, splitByWork, type Weight } from '../../core/rewards.js';
import { accountIds } from '../accounts/accounts.js';
import type { BlockState } from '../blocks/blocks.js';
import { bulkQuery } from '../database/transaction.js';
import { OPERATOR_ID } from './posting.js';
import { roundWeights } from './rounds.js';

export interface DueBlock {
  readonly id: string;
  readonly slot: Date;
  readonly state: BlockState;
  readonly scheme: Scheme;
  readonly foundAt: Date;
  /** `undefined` while it is not known. */
  readonly reward: Amount | undefined;
  readonly fees: Amount;
  readonly isPosted: boolean;
  /** The slot after which the work begins that it is split by now; `undefined` while it has no split. */
  readonly splitFrom: Date | undefined;
}

export interface Credit {
  readonly accountId: number;
  readonly amount: Amount;
}

/** They sum to what the block pays. @param from of `prop`: the slot after which the work begins that counts. */
export async function creditsOf(
  client: pg.ClientBase,
  { id, slot, scheme, reward = 0n, fees }: DueBlock,
  from: Date,
  byName: Fees,
): Promise<Credit[]> {
  const all = reward + fees;
  // Under pps the miners have had what the reward is worth; not so what the block pays besides.
  const split = scheme === 'pps' ? fees : all;
  const weights = scheme === 'prop' ? await roundWeights(client, from, slot) : await weightsOf(client, id);
  return creditsFrom(splitByWork(split, weights, await feesById(client, byName)), all);
}

function creditsFrom({ credits }: Split, all: Amount): Credit[] {
  const miners = credits.map(({ account, amount }) => ({ accountId: Number(account), amount }));
  // A login without a name is nobody's account.
  const named = miners.filter(({ accountId }) => accountId !== OPERATOR_ID);
  const operator = all - named.reduce((sum, { amount }) => sum + amount, 0n);
  return operator > 0n ? [...named, { accountId: OPERATOR_ID, amount: operator }] : named;
}

async function weightsOf(client: pg.ClientBase, id: string): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(
    client,
    'SELECT u.account::text, u.work::text FROM block_weight b, unnest(b.accounts, b.work) AS u (account, work) WHERE b.solution_id = $1',
    [id],
  );
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** Fees of single accounts by their numbers. */
export async function feesById(client: pg.ClientBase, { basisPoints, overrides }: Fees): Promise<Fees> {
  if (overrides.size === 0) return { basisPoints, overrides };
  const ids = await accountIds(client, [...overrides.keys()]);
  const byId = Array.from(overrides, ([name, points]): [string, number] => [String(ids.get(name)), points]);
  return { basisPoints, overrides: new Map(byId) };
}
