/** Blocks in memory: gone with the process. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Block, type BlockHash, blockHashBytes } from './block.js';
import { DiskStore } from './disk-store.js';
import type { Payload } from './payload.js';
import { type BlockStore, type BranchChange, type Place, StorageError } from './store.js';

/** Of a backup, between which requests are answered. */
const BLOCKS_A_TURN = 500;

export interface MemoryBounds {
  /** More than these are not taken. */
  readonly blocks: number;
  /** Of older blocks the payloads are forgotten. */
  readonly payloads: number;
}

/** Up to a gigabyte; at a block a second days of it. */
export const MEMORY_BOUNDS: MemoryBounds = { blocks: 1_000_000, payloads: 50_000 };

export class MemoryStore implements BlockStore {
  readonly #headers = new Map<BlockHash, Uint8Array>();
  readonly #payloads = new Map<string, Payload>();
  /** Per chain and height the hashes in ascending order of their bytes. */
  readonly #listing = new Map<number, BlockHash[][]>();
  readonly #branches = new Map<number, (BlockHash | undefined)[]>();
  readonly #bounds: MemoryBounds;
  #cut: ReadonlyMap<number, BlockHash> | undefined;

  constructor(bounds: MemoryBounds = MEMORY_BOUNDS) {
    this.#bounds = bounds;
  }

  block(hash: BlockHash): Block | undefined {
    const header = this.#headers.get(hash);
    return header && new Block(hash, header);
  }

  payload(chainId: number, payloadHash: string): Payload | undefined {
    return this.#payloads.get(payloadKey(chainId, payloadHash));
  }

  addBlock(block: Block, payload: Payload | undefined): void {
    if (this.#headers.has(block.hash)) return;
    if (this.#headers.size >= this.#bounds.blocks) {
      const sentence = `memory holds ${this.#bounds.blocks} blocks, and no more: start the node with a data directory`;
      throw new StorageError(sentence);
    }
    this.#headers.set(block.hash, block.header);
    if (payload) this.#keep(payloadKey(block.chainId, payload.payloadHash), payload);
    const heights = rowOf(this.#listing, block.chainId);
    const level = heights[block.height];
    heights[block.height] = level ? [...level, block.hash].sort(compareHashes) : [block.hash];
  }

  #keep(key: string, payload: Payload): void {
    this.#payloads.set(key, payload);
    for (const oldest of this.#payloads.keys()) {
      if (this.#payloads.size <= this.#bounds.payloads) break;
      this.#payloads.delete(oldest);
    }
  }

  *ascending(chainId: number, from: Place): Iterable<Block> {
    const heights = this.#listing.get(chainId) ?? [];
    for (let height = from.height; height < heights.length; height++) {
      for (const hash of heights[height] ?? []) {
        if (height === from.height && from.hash && compareHashes(hash, from.hash) < 0) continue;
        const block = this.block(hash);
        if (block) yield block;
      }
    }
  }

  onBranch(chainId: number, height: number): BlockHash | undefined {
    return this.#branches.get(chainId)?.[height];
  }

  cut(): ReadonlyMap<number, BlockHash> | undefined {
    return this.#cut;
  }

  setCut(heads: ReadonlyMap<number, BlockHash>, changes: readonly BranchChange[]): void {
    this.#cut = new Map(heads);
    for (const { chainId, height, hash } of changes) rowOf(this.#branches, chainId)[height] = hash;
  }

  atomically<T>(work: () => T): T {
    return work();
  }

  /** What is in memory now goes to disk in the form of a disk store, in parts, so that the node goes on answering. */
  async backUpTo(directory: string): Promise<void> {
    const blocks = [...this.#listing.keys()].flatMap((chainId) => [
      ...this.ascending(chainId, { height: 0 }),
    ]);
    const [cut, branches] = [this.#cut, this.#branchEntries()];
    const copy = new DiskStore(directory);
    try {
      for (let from = 0; from < blocks.length; from += BLOCKS_A_TURN) {
        const part = blocks.slice(from, from + BLOCKS_A_TURN);
        copy.atomically(() => {
          for (const block of part) copy.addBlock(block, this.payload(block.chainId, block.payloadHash));
        });
        await nextTurn();
      }
      if (cut) copy.setCut(cut, branches);
    } finally {
      await copy.close();
    }
  }

  #branchEntries(): BranchChange[] {
    return [...this.#branches].flatMap(([chainId, hashes]) =>
      hashes.flatMap((hash, height) => (hash === undefined ? [] : [{ chainId, height, hash }])),
    );
  }

  async close(): Promise<void> {}
}

function payloadKey(chainId: number, payloadHash: string): string {
  return `${chainId}/${payloadHash}`;
}

function rowOf<T>(rows: Map<number, T[]>, chainId: number): T[] {
  const row = rows.get(chainId) ?? [];
  rows.set(chainId, row);
  return row;
}

function compareHashes(a: BlockHash, b: BlockHash): number {
  return Buffer.compare(blockHashBytes(a), blockHashBytes(b));
}
