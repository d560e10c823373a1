/** Fetches what a peer's cut stands on and this node lacks: headers from the top down, then whole blocks from below. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NodeError } from '../../chain/errors.js';
import type { Block } from '../consensus/block.js';
import type { Chains } from '../consensus/chains.js';
import type { Payload } from '../mining/payload.js';
import { type Head, type PeerClient, PeerError } from './peer-client.js';

/** Heights fetched in one round, so that a long gap needs little memory. */
const ROUND_HEIGHTS = 500;
/** A fork of more blocks than this on one chain is not followed. */
const MOST_OF_A_CHAIN = 20_000;
/** So many rounds may bring nothing: of blocks that are here already. */
const MOST_EMPTY_ROUNDS = MOST_OF_A_CHAIN / ROUND_HEIGHTS;
const BLOCKS_A_TURN = 50;
/** Headers of a page that nodes give at most. */
const MOST_OF_A_PAGE = 360;

interface FetchParts {
  readonly chains: Chains;
  readonly client: PeerClient;
  /** Whether to go on: the link may be cut, and the node closed. */
  readonly goesOn: () => boolean;
}

/** Fetches the blocks behind those heads that are not known, in rounds of rising height. Throws {@link PeerError}. */
export async function fetchBehind(parts: FetchParts, heads: ReadonlyMap<number, Head>): Promise<void> {
  const { chains } = parts;
  const unknown = unknownOf(chains, heads);
  const top = Math.max(0, ...unknown.map(([, { height }]) => height));
  let emptyRounds = 0;
  for (let height = chains.cut.leastHeight; parts.goesOn(); ) {
    height = Math.min(top, height + ROUND_HEIGHTS);
    const missing: Block[] = [];
    for (const [chainId, head] of unknown) missing.push(...(await missingOf(parts, chainId, head, height)));
    await take(parts, missing);
    if (height >= top || unknownOf(chains, heads).length === 0) return checkHeights(chains, heads);
    emptyRounds = missing.length > 0 ? 0 : emptyRounds + 1;
    if (emptyRounds > MOST_EMPTY_ROUNDS)
      throw new PeerError(`a cut of height ${top} without the blocks below it`);
  }
}

function unknownOf(chains: Chains, heads: ReadonlyMap<number, Head>): [number, Head][] {
  return [...heads].filter(([, { hash }]) => !chains.store.block(hash));
}

function checkHeights(chains: Chains, heads: ReadonlyMap<number, Head>): void {
  for (const [chainId, { hash, height }] of heads) {
    const known = chains.store.block(hash);
    if (known && known.height !== height)
      throw new PeerError(`a head of chain ${chainId} at height ${height} that is at ${known.height}`);
  }
}

/** Unknown ancestors of a peer's head up to a height. */
async function missingOf(
  parts: FetchParts,
  chainId: number,
  head: Head,
  maxHeight: number,
): Promise<Block[]> {
  const { chains, client, goesOn } = parts;
  const missing: Block[] = [];
  const firstPage = await newestOf(parts, chainId, head, maxHeight);
  let expected = head.height <= maxHeight ? head.hash : undefined;
  for (
    let page = firstPage;
    ;
    page = await client.ancestors(chainId, head.hash, { maxHeight, next: page.next })
  ) {
    for (const block of page.blocks) {
      if (block.chainId !== chainId || (expected !== undefined && block.hash !== expected))
        throw new PeerError(
          `a header of chain ${block.chainId} that is not of the branch that was asked for`,
        );
      if (chains.store.block(block.hash)) return missing;
      missing.push(block);
      expected = block.parent;
    }
    if (missing.length > MOST_OF_A_CHAIN)
      throw new PeerError(`a fork of more than ${MOST_OF_A_CHAIN} blocks`);
    if (page.next === null || !goesOn()) return missing;
  }
}

/** The first page: no more than what is above our own head, where the peer knows that. */
async function newestOf(
  { chains, client }: FetchParts,
  chainId: number,
  head: Head,
  maxHeight: number,
): Promise<{ blocks: Block[]; next: string | null }> {
  const own = chains.head(chainId);
  const above = Math.min(maxHeight, head.height) - (own?.height ?? 0);
  const part = { maxHeight, limit: Math.min(MOST_OF_A_PAGE, Math.max(1, above + 1)) };
  if (above <= 0) return client.ancestors(chainId, head.hash, part);
  return client.ancestors(chainId, head.hash, { ...part, lower: own?.hash }).catch((error: unknown) => {
    // It is on another branch there, or not there at all.
    if (error instanceof NodeError && error.status === 404) return client.ancestors(chainId, head.hash, part);
    throw error;
  });
}

/** Adds blocks from the lowest up, with their payloads. */
async function take(parts: FetchParts, blocks: readonly Block[]): Promise<void> {
  const ordered = [...blocks].sort((a, b) => a.height - b.height || a.chainId - b.chainId);
  for (let from = 0; from < ordered.length && parts.goesOn(); from += BLOCKS_A_TURN) {
    const some = ordered.slice(from, from + BLOCKS_A_TURN);
    const payloads = await payloadsOf(parts, some);
    for (const block of some) {
      const payload = payloads.get(block.payloadHash);
      if (payload === undefined && !parts.goesOn()) return;
      if (payload === undefined) throw new PeerError(`no payload for block ${block.hash}`);
      const added = parts.chains.add(block.header, payload);
      if (added.outcome === 'refused') throw new PeerError(`block ${block.hash}: ${added.reason}`);
    }
    await nextTurn();
  }
}

async function payloadsOf(parts: FetchParts, blocks: readonly Block[]): Promise<Map<string, Payload>> {
  const chainIds = [...new Set(blocks.map((block) => block.chainId))];
  const maps = await Promise.all(
    chainIds.map((chainId) =>
      payloadsOn(
        parts,
        chainId,
        blocks.filter((block) => block.chainId === chainId),
      ),
    ),
  );
  return new Map(maps.flatMap((map) => [...map]));
}

/** An answer may hold only some: the others are asked for again, as long as any come. */
async function payloadsOn(
  { client, goesOn }: FetchParts,
  chainId: number,
  blocks: readonly Block[],
): Promise<Map<string, Payload>> {
  const found = new Map<string, Payload>();
  for (let missing = blocks; missing.length > 0 && goesOn(); ) {
    for (const [hash, payload] of await client.payloads(chainId, missing)) found.set(hash, payload);
    const left = blocks.filter((block) => !found.has(block.payloadHash));
    if (left.length === missing.length) break;
    missing = left;
  }
  return found;
}
