/**
 * How a block's reward is split. Pure: work in, amounts out, and what goes in comes out to the last unit.
 *
 * | scheme | who gets what |
 * |---|---|
 * | pplns | by work among the last shares before the block, up to a window of work or of time |
 * | prop | by work among the shares since the pool's block before it that is on the chain |
 * | solo | the account that found the block gets all |
 * | pps | each share is paid its expected value by the pool, whatever blocks come; the pool gets the block |
 *
 * The operator's fee is taken off each account's part, in basis points, and rounded down in the account's favour.
 */
import type { Amount } from './amount.js';

export const SCHEMES = ['pplns', 'prop', 'solo', 'pps'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** What an account did; `work` in any unit, the same for all. */
export interface Weight {
  readonly account: string;
  readonly work: bigint;
}

export interface Fees {
  /** 1/10,000 each; 0 to 10,000. */
  readonly basisPoints: number;
  /** Account -> its own fee. */
  readonly overrides: ReadonlyMap<string, number>;
}

export interface Split {
  /** One for each account that gets something; no account twice. */
  readonly credits: readonly { readonly account: string; readonly amount: Amount }[];
  /** What remains for the operator. Credits and this sum to the reward. */
  readonly operator: Amount;
}

const BASIS = 10_000n;

/** By work, exact by the largest remainder; where remainders are equal, by the account's name. Without work all is the operator's. */
export function splitByWork(reward: Amount, weights: readonly Weight[], fees: Fees): Split {
  if (reward < 0n) throw new RangeError('no reward is below zero');
  const work = sumByAccount(weights);
  const parts = partsOf(reward, work);
  const credits: { account: string; amount: Amount }[] = [];
  let operator = reward;
  for (const [account, part] of parts) {
    const amount = part - feeOf(part, account, fees);
    if (amount === 0n) continue;
    credits.push({ account, amount });
    operator -= amount;
  }
  return { credits, operator };
}

function sumByAccount(weights: readonly Weight[]): Map<string, bigint> {
  const work = new Map<string, bigint>();
  for (const { account, work: more } of weights) {
    if (more < 0n) throw new RangeError(`the work of ${account} is below zero`);
    if (more > 0n) work.set(account, (work.get(account) ?? 0n) + more);
  }
  return work;
}

function partsOf(reward: Amount, work: ReadonlyMap<string, bigint>): [string, Amount][] {
  const total = Array.from(work.values()).reduce((sum, one) => sum + one, 0n);
  if (total === 0n) return [];
  const parts = Array.from(work, ([account, one]) => {
    const product = reward * one;
    return { account, part: product / total, remainder: product % total };
  });
  parts.sort((a, b) => compare(b.remainder, a.remainder) || compare(a.account, b.account));
  let left = reward - parts.reduce((sum, { part }) => sum + part, 0n);
  return parts.map(({ account, part }) => {
    const extra = left > 0n ? 1n : 0n;
    left -= extra;
    return [account, part + extra];
  });
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function feeOf(part: Amount, account: string, fees: Fees): Amount {
  const basisPoints = fees.overrides.get(account) ?? fees.basisPoints;
  if (!Number.isInteger(basisPoints) || basisPoints < 0 || basisPoints > 10_000) {
    throw new RangeError(`a fee is 0 to 10000 basis points, not ${basisPoints}`);
  }
  return (part * BigInt(basisPoints)) / BASIS;
}

/** Shares that fell into one span of time; their order within it is not known and does not matter. */
export interface Slice {
  readonly weights: readonly Weight[];
}

/**
 * The last `window` of work. Slices come newest first. Of the slice in which the window ends, each account counts with the
 * same fraction, so that the weights come out multiplied by that slice's work; only their ratio means anything.
 */
export function lastWork(slices: Iterable<Slice>, window: bigint): Weight[] {
  const whole: Weight[] = [];
  let left = window;
  for (const { weights } of slices) {
    if (left <= 0n) break;
    const work = weights.reduce((sum, weight) => sum + weight.work, 0n);
    if (work > left) return [...scaled(whole, work), ...scaled(weights, left)];
    whole.push(...weights);
    left -= work;
  }
  return whole;
}

function scaled(weights: readonly Weight[], factor: bigint): Weight[] {
  return weights.map(({ account, work }) => ({ account, work: work * factor }));
}

/**
 * What the pool owes for work that was expected to find `expected` / `unit` blocks of this reward, rounded down; the rest
 * of the expectation, which was too small for a unit of money, is given back to be counted next time.
 */
export function expectedValue(
  reward: Amount,
  expected: bigint,
  unit: bigint,
): { readonly amount: Amount; readonly rest: bigint } {
  if (reward <= 0n) return { amount: 0n, rest: expected };
  const amount = (reward * expected) / unit;
  const used = (amount * unit + reward - 1n) / reward;
  return { amount, rest: expected - used };
}
