/** A cut that brings its newest blocks along, as that of a real node may: whoever lacks no more than these asks for nothing. */
import { headerBytes, payloadJson } from '../../chain/encode.js';
import { decodeHeaderText } from '../../chain/encoded-header.js';
import type { CutObject, OfferedCut } from '../../chain/models.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import { Block, type BlockHash } from '../consensus/block.js';
import type { Chains } from '../consensus/chains.js';
import { hashesOf } from '../consensus/cut.js';
import type { Payload } from '../mining/payload.js';
import { type Head, headsOf, PeerError } from './peer-client.js';

/** One block on each chain of the largest graph, twice. */
const MOST_BLOCKS = 40;
/** Whatever is more is asked for. */
const MOST_TEXT = 256 * 1024;

export interface Offered {
  readonly heads: ReadonlyMap<number, Head>;
  readonly blocks: readonly Block[];
  readonly payloads: ReadonlyMap<string, Payload>;
}

/** What a cut brings along. */
type Brought = Pick<OfferedCut, 'headers' | 'payloads'>;

/** Members of a cut: the blocks above those heads. None where these are not known, or too many blocks are above them. */
export function blocksAbove(chains: Chains, theirs: ReadonlyMap<number, BlockHash>): Brought {
  const blocks = new Map<BlockHash, Block>();
  for (const [chainId, head] of chains.cut.heads) {
    let block: Block | undefined = head;
    while (block && block.hash !== theirs.get(chainId)) {
      blocks.set(block.hash, block);
      if (blocks.size > MOST_BLOCKS || block.height === 0) return {};
      block = chains.store.block(block.parent);
    }
  }
  const headers: Record<string, string> = {};
  const payloads: NonNullable<Brought['payloads']> = {};
  let room = MOST_TEXT;
  for (const block of blocks.values()) {
    const found = chains.store.payload(block.chainId, block.payloadHash);
    const text = found && payloadJson(found);
    room -= text?.length ?? MOST_TEXT;
    if (!text || room < 0) return {};
    headers[block.hash] = toBase64Url(headerBytes(block));
    payloads[block.payloadHash] = JSON.parse(text);
  }
  return blocks.size === 0 ? {} : { headers, payloads };
}

/** Of the body of `PUT /cut`. Throws {@link PeerError} for what is none. */
export function readOffer({ hashes, headers = {}, payloads = {} }: OfferedCut): Offered {
  const texts = Object.values(headers);
  if (texts.length > MOST_BLOCKS) throw new PeerError(`a cut with more than ${MOST_BLOCKS} blocks`);
  return {
    heads: headsOf(hashes as CutObject['hashes']),
    blocks: texts.map(readHeader).sort((a, b) => a.height - b.height),
    payloads: new Map(
      Object.values(payloads).map((each) => [each.payloadHash, { ...each, outputs: [], coinbase: '' }]),
    ),
  };
}

function readHeader(text: string): Block {
  try {
    return Block.fromHeader(decodeHeaderText(text).header);
  } catch {
    throw new PeerError('a cut with what is no header'); // whatever it is
  }
}

/** Takes the blocks, each as if it were mined here, and then the cut. True when nothing of it is left to ask for. */
export function take(chains: Chains, { heads, blocks, payloads }: Offered): boolean {
  for (const block of blocks) {
    const found = payloads.get(block.payloadHash);
    if (chains.store.block(block.hash) || !found) continue;
    // What is refused here is asked for, and told, as every other block of the peer.
    if (chains.add(block.header, found).outcome === 'refused') return false;
  }
  const isWhole = [...heads.values()].every(
    ({ hash: head, height }) => chains.store.block(head)?.height === height,
  );
  if (isWhole) chains.offerCut(hashesOf(heads));
  return isWhole;
}
