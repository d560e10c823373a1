/**
 * The work that a block has to take, by the blocks of its own chain before it (`protocol.md`, C.4): without it anybody could put any
 * number of blocks on top of a real one for nothing.
 *
 * The exact rule takes the mean over the adjacent chains too, which go at the same pace: what they may change is bounded here.
 */
import type { WorkedBlock } from '../../core/work/anchor.js';

/** Of public networks: blocks of an epoch, of those that begin a chain too, and how long a block should take, microseconds. */
const EPOCH_BLOCKS = 120;
const FIRST_EPOCH_BLOCKS = 12;
const BLOCK_MICROS = 30_000_000n;
/** By which adjacent chains may make the blocks of an epoch easier than the own chain alone would. */
const ADJACENT_FACTOR = 2n;
/** However long an epoch says it took: its last block may carry any time. */
const GREATEST_EASING = 16n;

/** What is wrong with the work of a block, to follow on "it has"; `undefined`: nothing. */
export function workFault(parent: WorkedBlock, { work }: WorkedBlock): string | undefined {
  const blocks = parent.height <= EPOCH_BLOCKS ? FIRST_EPOCH_BLOCKS : EPOCH_BLOCKS;
  if ((parent.height + 1) % blocks !== 0)
    return work === parent.work ? undefined : 'another target in the middle of an epoch';
  const took = parent.timeMicros - parent.epochStartMicros;
  const byTime = took > 0n ? (parent.work * BigInt(blocks) * BLOCK_MICROS) / (took * ADJACENT_FACTOR) : 0n;
  const least = parent.work / GREATEST_EASING;
  return work < byTime || work < least ? 'a target that is far too easy for its epoch' : undefined;
}
