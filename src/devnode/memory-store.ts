/** Blocks in memory: gone with the process. */
import { Block, type BlockHash, blockHashBytes } from './block.js';
import { DiskStore } from './disk-store.js';
import type { Payload } from './payload.js';
import type { BlockStore, BranchChange, Place } from './store.js';

export class MemoryStore implements BlockStore {
  readonly #headers = new Map<BlockHash, Uint8Array>();
  readonly #payloads = new Map<string, Payload>();
  /** Per chain and height the hashes in ascending order of their bytes. */
  readonly #listing = new Map<number, BlockHash[][]>();
  readonly #branches = new Map<number, (BlockHash | undefined)[]>();
  #cut: ReadonlyMap<number, BlockHash> | undefined;

  block(hash: BlockHash): Block | undefined {
    const header = this.#headers.get(hash);
    return header && new Block(hash, header);
  }

  payload(chainId: number, payloadHash: string): Payload | undefined {
    return this.#payloads.get(payloadKey(chainId, payloadHash));
  }

  addBlock(block: Block, payload: Payload | undefined): void {
    if (this.#headers.has(block.hash)) return;
    this.#headers.set(block.hash, block.header);
    if (payload) this.#payloads.set(payloadKey(block.chainId, payload.payloadHash), payload);
    const heights = rowOf(this.#listing, block.chainId);
    const level = heights[block.height];
    heights[block.height] = level ? [...level, block.hash].sort(compareHashes) : [block.hash];
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

  /** What is in memory goes to disk in the form of a disk store. */
  async backUpTo(directory: string): Promise<void> {
    const copy = new DiskStore(directory);
    copy.atomically(() => {
      for (const chainId of this.#listing.keys()) {
        for (const block of this.ascending(chainId, { height: 0 })) {
          copy.addBlock(block, this.payload(chainId, block.payloadHash));
        }
      }
      if (this.#cut) copy.setCut(this.#cut, this.#branchEntries());
    });
    await copy.close();
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
