/** Who gets what of a block, by who worked for it. */
import type pg from 'pg';
import type { Amount } from '../../core/money/amount.js';
import { type Fees, type Scheme, type Split, splitByWork, type Weight } from '../../core/money/rewards.js';
import { accountIds } from '../accounts/accounts.js';
import type { BlockState } from '../blocks/blocks.js';
import { statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';
import { roundWeights, workOfRound } from './rounds.js';
import { OPERATOR_ID } from './transfers.js';

export const SQL = statementsOf<'settlement/splits.sql', { takeDue: { scheme: Scheme } }>(
  'settlement/splits.sql',
);

export interface DueBlock {
  readonly id: string;
  readonly slot: Date;
  readonly state: BlockState;
  readonly scheme: Scheme;
  readonly foundAt: Date;
  /** `undefined` while it is not known. */
  readonly reward: Amount | undefined;
  readonly fees: Amount;
  /** The slot after which the work begins that it was split by; `undefined` while it is not split. */
  readonly splitFrom: Date | undefined;
}

export interface Credit {
  readonly accountId: number;
  readonly amount: Amount;
}

/** They sum to what the block pays. @param from the slot after which the work begins that it is split by (`rounds.ts`). */
export async function creditsOf(
  client: pg.ClientBase,
  block: DueBlock,
  from: Date,
  byName: Fees,
): Promise<Credit[]> {
  const all = (block.reward ?? 0n) + block.fees;
  const fees = await feesById(client, byName);
  const rounds = from < block.slot ? await roundWeights(client, from, block) : [];
  if (block.scheme === 'prop') return creditsFrom([splitByWork(all, rounds, fees)], all);
  const waiting = rounds.length > 0 ? await partOf(client, all, rounds, block.slot) : 0n;
  const left = all - waiting;
  // Under pps the miners have had what the reward is worth; not so what the block pays besides.
  const own = block.scheme === 'pps' && block.fees < left ? block.fees : left;
  const weights = await weightsOf(client, block.id);
  return creditsFrom([splitByWork(waiting, rounds, fees), splitByWork(own, weights, fees)], all);
}

/** Of what a block of another scheme pays, the part of rounds that wait: theirs of all work since the block before. */
async function partOf(
  client: pg.ClientBase,
  all: Amount,
  rounds: readonly Weight[],
  slot: Date,
): Promise<Amount> {
  const work = rounds.reduce((sum, one) => sum + one.work, 0n);
  return work === 0n ? 0n : (all * work) / (work + (await workOfRound(client, slot)));
}

function creditsFrom(splits: readonly Split[], all: Amount): Credit[] {
  const amounts = new Map<number, Amount>();
  for (const { account, amount } of splits.flatMap(({ credits }) => credits))
    amounts.set(Number(account), (amounts.get(Number(account)) ?? 0n) + amount);
  // A login without a name is nobody's account.
  amounts.delete(OPERATOR_ID);
  const named = Array.from(amounts, ([accountId, amount]) => ({ accountId, amount }));
  const operator = all - named.reduce((sum, { amount }) => sum + amount, 0n);
  return operator > 0n ? [...named, { accountId: OPERATOR_ID, amount: operator }] : named;
}

async function weightsOf(client: pg.ClientBase, id: string): Promise<Weight[]> {
  const rows = await bulkRows(client, SQL.weightsOf, [id]);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** Fees of single accounts by their numbers. */
export async function feesById(client: pg.ClientBase, { basisPoints, overrides }: Fees): Promise<Fees> {
  if (overrides.size === 0) return { basisPoints, overrides };
  const ids = await accountIds(client, [...overrides.keys()]);
  const byId = Array.from(overrides, ([name, points]): [string, number] => [String(ids.get(name)), points]);
  return { basisPoints, overrides: new Map(byId) };
}
