/** A node as the follower of a chain asks it, by its client. */
import type { CallPolicy, NodeClient } from '../client.js';
import type { FollowedNode } from './chain-follower.js';
import { linkOf } from './links.js';

/** @param client one that checks what it reads. */
export function followedNode(
  node: string,
  client: NodeClient,
  { chainId, head }: { readonly chainId: number; readonly head: FollowedNode['head'] },
  policy?: CallPolicy,
): FollowedNode {
  const chain = client.chain(chainId);
  return {
    ...{ node, head },
    branch: async (upper, { minHeight, maxHeight, limit }) => {
      const window = { minHeight, limit, ...(maxHeight === undefined ? {} : { maxHeight }) };
      return (await chain.encodedHeaderBranch({ upper: [upper] }, window, policy)).items.map(linkOf);
    },
    payloads: (links) =>
      chain.payloadsWithOutputs(
        links.map(({ payloadHash: hash, height }) => ({ hash, height })),
        policy,
      ),
  };
}
