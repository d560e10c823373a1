/** A node as the follower of a chain asks it, by its client. */
import { NodeError } from '../../chain/errors.js';
import type { CallPolicy } from '../asking/policy.js';
import type { ChainClient } from '../parts/chain-client.js';
import type { FollowedNode } from './asked-node.js';
import { linkOf } from './links.js';

/** @param chain of a client that checks what it reads. */
export function followedNode(
  node: string,
  chain: ChainClient,
  head: FollowedNode['head'],
  policy?: CallPolicy,
): FollowedNode {
  return {
    ...{ node, head },
    branch: async (upper, { minHeight, maxHeight, limit }) => {
      const window = { minHeight, limit, ...(maxHeight === undefined ? {} : { maxHeight }) };
      return (await chain.encodedHeaders.branch({ upper: [upper] }, window, policy)).items.map(linkOf);
    },
    genesis: async () => {
      const [first] = (await chain.encodedHeaders.page({ minHeight: 0, limit: 1 }, policy)).items;
      if (!first) throw new NodeError('not-found', 'has no block of it', { url: node });
      return linkOf(first);
    },
    payloads: (links) =>
      chain.payloadsWithOutputs(
        links.map(({ payloadHash: hash, height }) => ({ hash, height })),
        policy,
      ),
  };
}
