/** Fork number and votes of a network, as each node writes them into the first eight bytes of its works. */
import type { NodeForks } from '../bridge/events.js';
import { bytesEqual } from '../core/bytes/bytes.js';
import type { Work } from '../core/work/work.js';

type ForkWork = Pick<Work, 'chainId'> & { readonly fields: Pick<Work['fields'], 'flags' | 'parent'> };

/** What a block for a fork adds to the votes of its chain. */
const VOTE = 1000n;
/** Blocks of an epoch on public networks: of the first votes are cast, the rest count them. */
const [EPOCH, VOTING] = [14_400, 14_280];
/** Votes that bring a fork, in the mean of the chains. */
const ENOUGH = (2 * VOTING) / 3;

/**
 * Of each node, by its works; `undefined` without one. The version of a node, and its settings, decide whether it votes: so
 * works of nodes for the same block, which has one parent, differ when the nodes vote differently. A node that does not know the
 * fork that the network has come to takes none of its blocks: its works are for others, and of a lower fork number.
 */
export function forksOf(nodes: readonly (readonly ForkWork[])[]): (Omit<NodeForks, 'isFor'> | undefined)[] {
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
      isNear: votes.reduce((sum, count) => sum + count, 0) >= ENOUGH * votes.length,
      agrees: agreement(works, others),
    };
  });
}

/** Whether blocks of this height cast votes. */
export function isVoting(height: number): boolean {
  return height % EPOCH < VOTING;
}

/**
 * Whether who made a work votes for the next fork, by what it adds to the votes of the parent.
 *
 * @param flags of the work's header, and of its parent's. `undefined` where no vote is cast.
 */
export function voteOf(height: number, flags: bigint, parentFlags: bigint): boolean | undefined {
  if (!isVoting(height)) return undefined;
  const before = height % EPOCH === 0 ? 0n : parentFlags >> 32n;
  const added = (flags >> 32n) - before;
  return added === 0n || added === VOTE ? added === VOTE : undefined;
}

/** Bits 0 to 31: fork number; 32 to 63: votes. */
function stateOf(flags: bigint): { number: number; votes: number } {
  return { number: Number(flags & 0xffff_ffffn), votes: Number((flags >> 32n) / VOTE) };
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
