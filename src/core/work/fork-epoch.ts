/** Epochs in which nodes vote on the next fork, in the first eight bytes of headers (protocol notes A). */

/** What one vote counts in a header. */
export const VOTE = 1000;
/** Of the 14,400 blocks of an epoch of public networks 120 count, and others vote. */
const COUNTING_PART = 120;

/** How many blocks of an epoch cast votes: the first of it. */
export function votingBlocksOf(epoch: number): number {
  return epoch - Math.max(1, Math.round(epoch / COUNTING_PART));
}
