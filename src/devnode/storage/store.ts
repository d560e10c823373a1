/** Where blocks are kept, orphans included. Every call is synchronous: a block is in or out, never half way. */
import type { Write } from '../coin/accounts.js';
import type { Block, BlockHash } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';

/** What was to be kept cannot be written; nothing of it was. Answered 507. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code = 'storage';
  readonly statusCode = 507;
}

export interface Written extends Write {
  readonly height: number;
  /** Of the block that put it. */
  readonly hash: BlockHash;
}

export interface BlockStore {
  /** Runs `work`, whose writes become durable together. Throws {@link StorageError} when they cannot. */
  atomically<T>(work: () => T): T;
  block(hash: BlockHash): Block | undefined;
  payload(chainId: number, payloadHash: string): Payload | undefined;
  addBlock(block: Block, payload: Payload | undefined, writes?: readonly Write[]): void;
  /** What blocks of a chain, orphans included, put under a key: the highest first, from that height down. Lazy. */
  written(chainId: number, key: string, fromHeight: number): Iterable<Written>;
  /** Everything that the blocks of a chain put. Lazy. */
  allWritten(chainId: number): Iterable<Written>;

  /** Forgets a block that is not on the branch of the cut, and its payload where no other block beside it has the same. */
  removeBlock(block: Block): void;

  /**
   * Blocks of a chain in ascending order of (height, hash bytes), beginning at that place.
   * Lazy: what is not asked for is not read.
   */
  ascending(chainId: number, from: Place): Iterable<Block>;

  /** Hash of the block of the current cut's branch at this height; an index, so that branches need no walk. */
  onBranch(chainId: number, height: number): BlockHash | undefined;
  /** Heads of the cut as last set, by chain id; `undefined` in a new store. */
  cut(): ReadonlyMap<number, BlockHash> | undefined;
  /** Sets the cut and, in the same step, what changed in the branches below it. */
  setCut(heads: ReadonlyMap<number, BlockHash>, changes: readonly BranchChange[]): void;

  /** Writes a copy, fit to be opened as a data directory, into an empty or new directory. */
  backUpTo(directory: string): Promise<void>;
  close(): Promise<void>;
}

/** Where to begin a listing. Without a hash: before the first block of that height. */
export interface Place {
  readonly height: number;
  readonly hash?: BlockHash;
}

/** From now on the branch of the cut has this block at this height, or none. */
export interface BranchChange {
  readonly chainId: number;
  readonly height: number;
  readonly hash: BlockHash | undefined;
}

/** Whether another block of the same chain and height has the same payload. */
export function sharesPayload(store: BlockStore, block: Block): boolean {
  for (const other of store.ascending(block.chainId, { height: block.height })) {
    if (other.height > block.height) return false;
    if (other.hash !== block.hash && other.payloadHash === block.payloadHash) return true;
  }
  return false;
}
