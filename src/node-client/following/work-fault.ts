/**
 * The work that a block has to take, by the blocks of its own chain before it (`protocol.md`, C.4): without it anybody could put any
 * number of blocks on top of a real one for nothing.
 *
 * The exact rule takes the mean over the adjacent chains too, which go at the same pace: what they may change is bounded here.
 */

/** Of public networks: blocks of an epoch, and how long one should take, microseconds. */
const EPOCH_BLOCKS = 120;
const EPOCH_MICROS = BigInt(EPOCH_BLOCKS) * 30_000_000n;
/** By which adjacent chains may make the blocks of an epoch easier than the own chain alone would. */
const ADJACENT_FACTOR = 2n;
/** However long an epoch says it took: its last block may carry any time. */
const GREATEST_EASING = 16n;

export interface WorkedBlock {
  readonly height: number;
  readonly timeMicros: bigint;
  /** When its epoch began. */
  readonly epochStartMicros: bigint;
  /** Hashes that a block with its target takes, on average. */
  readonly work: bigint;
}

/** What is wrong with the work of a block, to follow on "it has"; `undefined`: nothing. */
export function workFault(parent: WorkedBlock, { work }: WorkedBlock): string | undefined {
  if ((parent.height + 1) % EPOCH_BLOCKS !== 0)
    return work === parent.work ? undefined : 'another target in the middle of an epoch';
  const took = parent.timeMicros - parent.epochStartMicros;
  const byTime = took > 0n ? (parent.work * EPOCH_MICROS) / (took * ADJACENT_FACTOR) : 0n;
  const least = parent.work / GREATEST_EASING;
  return work < byTime || work < least ? 'a target that is far too easy for its epoch' : undefined;
}
