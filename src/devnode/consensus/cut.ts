/**
 * A cut: one head a chain, such that adjacent heads differ by at most one in height and refer to each other's branches
 * (protocol notes C.2). Immutable; extending a cut makes another.
 */
import type { Adjacent } from '../../core/work/header.js';
import { type Block, type BlockHash, blockHashBytes, toBlockHash } from './block.js';
import { chainsAt, genesisHeightOf, graphAt, type Network } from './networks.js';

export class Cut {
  readonly #network: Network;
  readonly #heads: ReadonlyMap<number, Block>;

  constructor(network: Network, heads: ReadonlyMap<number, Block>) {
    this.#network = network;
    this.#heads = heads;
  }

  /** By chain id; chains that a later graph adds are absent until their genesis. */
  get heads(): ReadonlyMap<number, Block> {
    return this.#heads;
  }

  /** Sum of the heights of the heads. */
  get height(): number {
    return [...this.#heads.values()].reduce((sum, head) => sum + head.height, 0);
  }

  /** Sum of the weights of the heads. */
  get weight(): bigint {
    return [...this.#heads.values()].reduce((sum, head) => sum + head.weight, 0n);
  }

  /** Of the chains that there are now, ascending. */
  get chainIds(): readonly number[] {
    return chainsAt(this.#network, this.leastHeight);
  }

  get leastHeight(): number {
    return Math.min(...[...this.#heads.values()].map((head) => head.height));
  }

  /**
   * The adjacent parents of the next block of a chain, ascending chain id; `undefined` while the chain must wait for
   * others: an adjacent head is one lower, or the graph is about to change.
   */
  adjacentParents(chainId: number): readonly Adjacent[] | undefined {
    const head = this.#heads.get(chainId);
    if (head === undefined) return undefined;
    const graph = graphAt(this.#network, head.height);
    if (graph.chains.some((id) => !this.#heads.has(id))) return undefined;
    const adjacents: Adjacent[] = [];
    for (const id of graph.adjacentsOf(chainId)) {
      const hash = this.#blockAt(id, head.height);
      if (hash === undefined) return undefined;
      adjacents.push({ chainId: id, hash: blockHashBytes(hash) });
    }
    return adjacents;
  }

  /** Neighbours that are lower than this chain; on the eve of another graph all chains that are. */
  waitsFor(chainId: number): number[] {
    const height = this.#heads.get(chainId)?.height ?? 0;
    const isLower = (id: number): boolean => (this.#heads.get(id)?.height ?? height) < height;
    const neighbours = graphAt(this.#network, height).adjacentsOf(chainId).filter(isLower);
    return neighbours.length > 0 ? neighbours : [...this.#heads.keys()].filter(isLower);
  }

  /** Hash of the block at this height on a chain's branch, if that is the head or its parent. */
  #blockAt(chainId: number, height: number): BlockHash | undefined {
    const head = this.#heads.get(chainId);
    if (head?.height === height) return head.hash;
    return head?.height === height + 1 ? head.parent : undefined;
  }

  /** Whether the block can be put on top. */
  extendsTo(block: Block): boolean {
    if (this.#heads.get(block.chainId)?.hash !== block.parent) return false;
    const parents = this.adjacentParents(block.chainId);
    return parents?.every(({ chainId, hash }) => toBlockHash(hash) === block.adjacentOn(chainId)) ?? false;
  }

  /** The cut with the block on top; chains of a new graph join once every chain has reached it. */
  extendedBy(block: Block, genesisOf: (chainId: number) => Block): Cut {
    const heads = new Map(this.#heads).set(block.chainId, block);
    const extended = new Cut(this.#network, heads);
    for (const chainId of chainsAt(this.#network, extended.leastHeight)) {
      if (!heads.has(chainId)) heads.set(chainId, genesisOf(chainId));
    }
    return extended;
  }

  /** Whether heads refer to each other as the heads of one cut do. Needed of a cut that a peer names. */
  isBraided(): boolean {
    const least = chainsAt(this.#network, this.leastHeight);
    if (least.length !== this.#heads.size || least.some((id) => !this.#heads.has(id))) return false;
    return [...this.#heads.values()].every((head) => this.#fitsItsNeighbours(head));
  }

  #fitsItsNeighbours(head: Block): boolean {
    return head.adjacents.every(({ chainId }) => {
      const neighbour = this.#heads.get(chainId);
      if (neighbour === undefined) return true;
      const distance = neighbour.height - head.height;
      const named = head.adjacentOn(chainId);
      if (distance === -1) return named === neighbour.hash;
      if (distance === 0) return named === neighbour.parent || isGenesis(this.#network, head);
      return distance === 1 && neighbour.adjacentOn(head.chainId) === head.hash;
    });
  }
}

export function hashesOf(heads: ReadonlyMap<number, { readonly hash: BlockHash }>): Map<number, BlockHash> {
  return new Map([...heads].map(([chainId, { hash }]) => [chainId, hash]));
}

/** A genesis block names no real block, so it fits the genesis blocks (or older blocks) beside it. */
function isGenesis(network: Network, block: Block): boolean {
  return genesisHeightOf(network, block.chainId) === block.height;
}

/** Which of two cuts is preferred: the heavier; then the higher; then by the sorted hashes. */
export function preferredCut(a: Cut, b: Cut): Cut {
  if (a.weight !== b.weight) return a.weight > b.weight ? a : b;
  if (a.height !== b.height) return a.height > b.height ? a : b;
  const key = (cut: Cut): string =>
    [...cut.heads.values()]
      .map((head) => head.hash)
      .sort()
      .join();
  return key(a) >= key(b) ? a : b;
}
