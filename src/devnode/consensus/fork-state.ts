/**
 * The first eight bytes of a header (protocol notes A.7): a fork number and votes for the next fork.
 *
 * An epoch begins with blocks that vote, each adding one vote or none to those of its parent, and ends with blocks that
 * count: each has the mean of the votes of its parents, so that all chains come to one number. The first block of the next
 * epoch carries the next fork number if at least two thirds voted.
 */
import { VOTE, votingBlocksOf } from '../../core/work/fork-epoch.js';
import type { Block } from './block.js';

export interface ForkRules {
  /** Blocks of an epoch; 0: there are no votes, and every header begins with `flags`. */
  readonly epoch: number;
  /** Those of them that vote. */
  readonly voting: number;
  readonly flags: bigint;
  /** The newest fork that this node knows of: it votes until the network is there, and takes no block beyond. */
  readonly number: number;
}

interface ForkOptions {
  readonly forkState?: bigint;
  readonly forkNumber?: number;
}

const MOST_UINT_32 = 2 ** 32 - 1;

/** @param epoch in blocks. Throws RangeError with a sentence that names the setting. */
export function forkRulesFrom(epoch: number, { forkState = 0n, forkNumber = 0 }: ForkOptions): ForkRules {
  if (!Number.isSafeInteger(forkNumber) || forkNumber < 0 || forkNumber > MOST_UINT_32) {
    throw new RangeError(`forkNumber must be a whole number below 2^32, not ${forkNumber}`);
  }
  if (epoch > 0 && forkState !== 0n)
    throw new RangeError('forkState must be 0 where there are votes (forkEpoch)');
  if (epoch === 0 && forkNumber > 0) throw new RangeError('forkNumber needs votes, that is a forkEpoch');
  return { epoch, voting: votingBlocksOf(epoch), flags: forkState, number: forkNumber };
}

/** What the block of that height on top of these may begin with: without a vote first, and with one where there are votes. */
export function dueFlags(
  rules: ForkRules,
  height: number,
  parent: Block,
  adjacentParents: readonly Block[],
): readonly bigint[] {
  if (rules.epoch === 0) return [rules.flags];
  const before = forkStateOf(parent.flags);
  const place = height % rules.epoch;
  if (place === 0) {
    const number = before.number + (passes(rules, before.votes) ? 1 : 0);
    return [0, VOTE].map((votes) => flagsOf(number, votes));
  }
  if (place < rules.voting) {
    return [before.votes, before.votes + VOTE].map((votes) => flagsOf(before.number, votes));
  }
  const all = [parent, ...adjacentParents].map((block) => forkStateOf(block.flags).votes);
  const mean = Math.floor(all.reduce((sum, votes) => sum + votes, 0) / all.length);
  return [flagsOf(before.number, mean)];
}

/** What this node makes of that: it votes while the network is behind it. */
export function chosenFlags(rules: ForkRules, due: readonly bigint[]): bigint {
  const [without = 0n, withVote = without] = due;
  return forkStateOf(without).number < rules.number ? withVote : without;
}

/** Why a header may not begin so; `undefined` if it may. */
export function brokenFlags(rules: ForkRules, due: readonly bigint[], flags: bigint): string | undefined {
  if (!due.includes(flags)) return `flags are ${flags}, not ${due.join(' or ')}`;
  const { number } = forkStateOf(flags);
  if (rules.epoch === 0 || number <= rules.number) return undefined;
  return `the block is of fork ${number}, and this node knows of forks up to ${rules.number}: it needs a newer one`;
}

function passes({ voting }: ForkRules, votes: number): boolean {
  return 3 * Math.round(votes / VOTE) >= 2 * voting;
}

/** Fork number in the low half, votes in the high one. */
export function forkStateOf(flags: bigint): { readonly number: number; readonly votes: number } {
  return { number: Number(flags & 0xffff_ffffn), votes: Number(flags >> 32n) };
}

function flagsOf(number: number, votes: number): bigint {
  return (BigInt(votes) << 32n) | BigInt(number);
}
