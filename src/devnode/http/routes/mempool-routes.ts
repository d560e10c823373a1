/** Interface 4.5: the mempool as other nodes use it. */
import type { NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import type { Asked, Handlers } from '../table.js';

export const MEMPOOL_HANDLERS: Handlers<'pending' | 'member' | 'lookup' | 'insert'> = {
  pending,
  member: ({ mempool }, { chainId, body }) =>
    (body as string[]).map((key) => mempool.lookup(chainId, key) !== undefined),
  lookup: ({ mempool }, { chainId, body }) =>
    (body as string[]).map((key) => {
      const contents = mempool.lookup(chainId, key);
      return contents === undefined ? { tag: 'Missing' } : { tag: 'Pending', contents };
    }),
  insert: ({ mempool }, { chainId, body }) => {
    const refusal = mempool.insert(chainId, body as string[]);
    if (refusal) throw new RequestError(400, refusal.reason);
  },
};

/** With this pool's nonce: what came after `since`; otherwise everything. Other pools' nonces only have to differ from ours. */
function pending({ mempool }: NodeContext, { chainId, query: { nonce, since } }: Asked): string {
  const isOurs = nonce !== undefined && BigInt(nonce) === mempool.nonce;
  const { keys, highwaterMark } = mempool.pending(chainId, isOurs ? Number(since ?? 0) : 0);
  // As text, since the nonce may be beyond 2^53.
  return `{"hashes":${JSON.stringify(keys)},"highwaterMark":[${mempool.nonce},${highwaterMark}]}`;
}
