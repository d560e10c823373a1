/**
 * The target and the epoch start that a block must carry (protocol notes C.4, the rule in force today).
 *
 * The target changes with the first block of an epoch, that is after heights n with (n + 1) mod window = 0: it becomes
 * the mean, over the parent and the adjacent parents, of each one's target scaled by how long its epoch took.
 */
import { integerOfTarget, type Target, targetFromInteger } from '../../core/work/target.js';
import type { Block } from './block.js';

export interface DifficultyRules {
  /** Wanted time between two blocks of a chain, microseconds. */
  readonly blockDelayMicros: bigint;
  /** Blocks of an epoch. */
  readonly window: number;
  /** Blocks of an epoch while the parent's height is at most `earlyUntil`. */
  readonly earlyWindow: number;
  readonly earlyUntil: number;
  /** The epoch of the chains that were there first begins with their block 1, since their genesis time is long past. */
  readonly firstEpochStartsLate: boolean;
  /** False: the target stays as it is (a network without proof of work has no hash rate to follow). */
  readonly adjusts: boolean;
}

interface Epoch {
  readonly target: Target;
  /** Microseconds since the epoch of UNIX. */
  readonly epochStart: bigint;
}

const MAX_TARGET = (1n << 256n) - 1n;

/** @param genesisHeight of the parent's chain; the first epoch of a chain added later begins with its first own block. */
export function nextEpoch(
  rules: DifficultyRules,
  parent: Block,
  adjacentParents: readonly Block[],
  genesisHeight: number,
): Epoch {
  const target = rules.adjusts ? nextTarget(rules, parent, adjacentParents) : parent.target;
  const startsLate = parent.height === genesisHeight + 1 && (rules.firstEpochStartsLate || genesisHeight > 0);
  const starts = startsLate || isLastOfEpoch(rules, parent.height);
  return { target, epochStart: starts ? parent.creationTime : parent.epochStart };
}

function nextTarget(rules: DifficultyRules, parent: Block, adjacentParents: readonly Block[]): Target {
  if (!isLastOfEpoch(rules, parent.height)) return parent.target;
  const wanted = BigInt(windowAt(rules, parent.height)) * rules.blockDelayMicros;
  const sources = [parent, ...adjacentParents];
  const sum = sources.reduce((total, block) => total + scaledTarget(block, wanted), 0n);
  return targetFromInteger(clamp(sum / BigInt(sources.length), 1n, MAX_TARGET));
}

/** The target at which the block's epoch would have taken `wanted` microseconds, rounded up. */
function scaledTarget(block: Block, wanted: bigint): bigint {
  const scaled = (block.creationTime - block.epochStart) * integerOfTarget(block.target);
  return clamp((scaled + wanted - 1n) / wanted, 0n, MAX_TARGET);
}

function isLastOfEpoch(rules: DifficultyRules, height: number): boolean {
  return (height + 1) % windowAt(rules, height) === 0;
}

function windowAt(rules: DifficultyRules, height: number): number {
  return height <= rules.earlyUntil ? rules.earlyWindow : rules.window;
}

function clamp(value: bigint, least: bigint, most: bigint): bigint {
  return value < least ? least : value > most ? most : value;
}
