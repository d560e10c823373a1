/** The cut, read and offered: how nodes learn of each other's blocks. */
import type { CutObject, OfferedCut } from '../../../chain/models.js';
import { toBase64Url, writeUintLittleEndian } from '../../../core/bytes/bytes.js';
import { sha512t256 } from '../../../core/bytes/hash-tree.js';
import { type Block, blockHashBytes } from '../../consensus/block.js';
import { ancestorAt } from '../../consensus/branches.js';
import type { Chains } from '../../consensus/chains.js';
import { Cut } from '../../consensus/cut.js';
import { type Offered, readOffer } from '../../peers/peer-offer.js';
import type { NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import type { Asked, Handlers } from '../table.js';

export const CUT_HANDLERS: Handlers<'cut' | 'putCut'> = {
  cut: ({ chains }, { query }) => {
    const most = query['maxheight'];
    return cutJson(chains, most === undefined ? chains.cut : limited(chains, Number(most)));
  },
  putCut: (context, asked) => putCut(context, asked),
};

export function cutJson(chains: Chains, cut: Cut): CutObject {
  const heads = [...cut.heads].sort(([a], [b]) => a - b);
  const hashes = heads.map(([id, { height, hash }]) => [String(id), { height, hash }] as const);
  return {
    origin: null,
    height: cut.height,
    weight: toBase64Url(writeUintLittleEndian(cut.weight, 32)),
    hashes: Object.fromEntries(hashes),
    instance: chains.network.name,
    id: toBase64Url(sha512t256(Buffer.concat(heads.map(([, head]) => blockHashBytes(head.hash))))),
  };
}

/** The cut as it was at a sum of heights of at most `most`, with all heads at one height. */
function limited(chains: Chains, most: number): Cut {
  const level = Math.floor(most / chains.cut.heads.size);
  const heads = new Map<number, Block>();
  for (const [chainId, head] of chains.cut.heads) {
    heads.set(chainId, ancestorAt(chains.store, head, Math.min(head.height, level)) ?? head);
  }
  return new Cut(chains.network, heads);
}

/** Tells the link to that peer that there is something to fetch; what is fetched is checked block by block. */
function putCut({ peers, knownPeers }: NodeContext, { body, request }: Asked): void {
  const cut = body as OfferedCut;
  const { id, address } = cut.origin;
  const known = peers.wake(address, request.socket.remoteAddress ?? '', offerIn(cut));
  if (!known) throw new RequestError(401, 'Unknown peer');
  if (typeof id === 'string') knownPeers.add({ id, address: known });
}

function offerIn(cut: OfferedCut): Offered {
  try {
    return readOffer(cut);
  } catch (error) {
    throw new RequestError(400, (error as Error).message);
  }
}
