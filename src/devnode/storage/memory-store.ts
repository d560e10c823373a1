/** Blocks in memory: gone with the process. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Write } from '../coin/accounts.js';
import { Block, type BlockHash, blockHashBytes } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';
import { DiskStore } from './disk-store.js';
import {
  type BlockStore,
  type BranchChange,
  type Place,
  StorageError,
  sharesPayload,
  type Written,
} from './store.js';

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
  /** Per chain and key, ascending height. */
  readonly #written = new Map<number, Map<string, Written[]>>();
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

  addBlock(block: Block, payload: Payload | undefined, writes: readonly Write[] = []): void {
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
    for (const { key, value } of writes) this.#write(block, key, value);
  }

  #write({ chainId, height, hash }: Block, key: string, value: string): void {
    const ofChain = this.#written.get(chainId) ?? new Map<string, Written[]>();
    this.#written.set(chainId, ofChain);
    const versions = ofChain.get(key) ?? [];
    ofChain.set(key, versions);
    const above = versions.findLastIndex((one) => one.height <= height) + 1;
    versions.splice(above, 0, { key, value, height, hash });
    this.#dropOld(chainId, versions);
  }

  /** What no block can ask for whose payload is still here. */
  #dropOld(chainId: number, versions: Written[]): void {
    const oldest = (versions.at(-1)?.height ?? 0) - this.#bounds.payloads;
    for (let second = versions[1]; second && second.height < oldest; second = versions[1]) {
      const isOnBranch = this.onBranch(chainId, second.height) === second.hash;
      versions.splice(isOnBranch ? 0 : 1, 1);
    }
  }

  *written(chainId: number, key: string, fromHeight: number): Iterable<Written> {
    const versions = this.#written.get(chainId)?.get(key) ?? [];
    for (let i = versions.length - 1; i >= 0; i--) {
      const version = versions[i];
      if (version && version.height <= fromHeight) yield version;
    }
  }

  *allWritten(chainId: number): Iterable<Written> {
    for (const versions of this.#written.get(chainId)?.values() ?? []) yield* versions;
  }

  #keep(key: string, payload: Payload): void {
    this.#payloads.set(key, payload);
    for (const oldest of this.#payloads.keys()) {
      if (this.#payloads.size <= this.#bounds.payloads) break;
      this.#payloads.delete(oldest);
    }
  }

  removeBlock(block: Block): void {
    if (!sharesPayload(this, block)) this.#payloads.delete(payloadKey(block.chainId, block.payloadHash));
    for (const versions of this.#written.get(block.chainId)?.values() ?? []) forget(versions, block);
    this.#headers.delete(block.hash);
    const heights = rowOf(this.#listing, block.chainId);
    heights[block.height] = (heights[block.height] ?? []).filter((hash) => hash !== block.hash);
    while (heights.at(-1)?.length === 0) heights.pop();
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
    const writes = this.#writesByBlock();
    const copy = new DiskStore(directory);
    try {
      for (let from = 0; from < blocks.length; from += BLOCKS_A_TURN) {
        const part = blocks.slice(from, from + BLOCKS_A_TURN);
        copy.atomically(() => {
          for (const block of part)
            copy.addBlock(block, this.payload(block.chainId, block.payloadHash), writes.get(block.hash));
        });
        await nextTurn();
      }
      if (cut) copy.setCut(cut, branches);
    } finally {
      await copy.close();
    }
  }

  #writesByBlock(): ReadonlyMap<BlockHash, readonly Write[]> {
    const writes = new Map<BlockHash, Write[]>();
    for (const chainId of this.#written.keys()) {
      for (const one of this.allWritten(chainId)) {
        const ofBlock = writes.get(one.hash) ?? [];
        ofBlock.push(one);
        writes.set(one.hash, ofBlock);
      }
    }
    return writes;
  }

  #branchEntries(): BranchChange[] {
    return [...this.#branches].flatMap(([chainId, hashes]) =>
      hashes.flatMap((hash, height) => (hash === undefined ? [] : [{ chainId, height, hash }])),
    );
  }

  async close(): Promise<void> {}
}

/** Takes out what a block put; the highest come last. */
function forget(versions: Written[], { height, hash }: Block): void {
  for (let i = versions.length - 1; (versions[i]?.height ?? -1) >= height; i--) {
    if (versions[i]?.hash === hash) versions.splice(i, 1);
  }
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
