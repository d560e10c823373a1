/** Fork number and votes of a network, as each node writes them into the first eight bytes of its works. */
import type { NodeForks } from '../bridge/events.js';
import { bytesEqual } from '../core/bytes/bytes.js';
import { VOTE, votingBlocksOf } from '../core/work/fork-epoch.js';
import type { Work } from '../core/work/work.js';

type ForkWork = Pick<Work, 'chainId'> & { readonly fields: Pick<Work['fields'], 'flags' | 'parent'> };

/**
 * Of each node, by its works; `undefined` without one. The version of a node, and its settings, decide whether it votes: so
 * works of nodes for the same block, which has one parent, differ when the nodes vote differently. A node that does not know the
 * fork that the network has come to takes none of its blocks: its works are for others, and of a lower fork number.
 *
 * @param epoch blocks of a chain in which a fork is voted on: two thirds of those that vote, in the mean of the chains, bring it.
 */
export function forksOf(
  nodes: readonly (readonly ForkWork[])[],
  epoch: number,
): (Omit<NodeForks, 'isFor'> | undefined)[] {
  const enough = (2 * votingBlocksOf(epoch)) / 3;
  const highest = Math.max(0, ...nodes.flat().map(({ fields }) => stateOf(fields.flags).number));
  return nodes.map((works, i) => {
    if (works.length === 0) return undefined;
    const states = works.map(({ fields }) => stateOf(fields.flags));
    const votes = states.map((state) => state.votes);
    const others = nodes.filter((_, other) => other !== i).flat();
    const number = Math.max(...states.map((state) => state.number));
    return {
      number,
      isPassed: number < highest,
      leastVotes: Math.min(...votes),
      mostVotes: Math.max(...votes),
      isNear: votes.reduce((sum, count) => sum + count, 0) >= enough * votes.length,
      agrees: agreement(works, others),
    };
  });
}

/** Whether blocks of this height cast votes. */
export function isVoting(height: number, epoch: number): boolean {
  return height % epoch < votingBlocksOf(epoch);
}

/**
 * Whether who made a work votes for the next fork, by what it adds to the votes of the parent.
 *
 * @param flags of the work's header, and of its parent's. `undefined` where no vote is cast.
 */
export function voteOf(
  height: number,
  epoch: number,
  flags: bigint,
  parentFlags: bigint,
): boolean | undefined {
  if (!isVoting(height, epoch)) return undefined;
  const before = height % epoch === 0 ? 0n : parentFlags >> 32n;
  const added = (flags >> 32n) - before;
  return added === 0n || added === BigInt(VOTE) ? added !== 0n : undefined;
}

/** Bits 0 to 31: fork number; 32 to 63: votes. */
function stateOf(flags: bigint): { number: number; votes: number } {
  return { number: Number(flags & 0xffff_ffffn), votes: Math.floor(Number(flags >> 32n) / VOTE) };
}

function agreement(works: readonly ForkWork[], others: readonly ForkWork[]): boolean | undefined {
  const pairs = works.flatMap((work) =>
    others.filter((other) => isForSameBlock(work, other)).map((other) => [work, other] as const),
  );
  if (pairs.length === 0) return undefined;
  return pairs.every(([one, other]) => one.fields.flags === other.fields.flags);
}

function isForSameBlock(one: ForkWork, other: ForkWork): boolean {
  return one.chainId === other.chainId && bytesEqual(one.fields.parent, other.fields.parent);
}
