/**
 * The accounts as they are behind any block. Each block puts what it changes under its own hash, so nothing is copied, and
 * nothing is taken back in a reorganisation: an account is as the newest ancestor left it that changed it.
 */
import { type Account, accountKey, type ChainState, inclusionKey, readAccount } from '../coin/accounts.js';
import type { BlockStore, Written } from '../storage/block-store.js';
import type { Block, BlockHash } from './block.js';

/** The blocks of a branch above where it leaves that of the cut. */
interface Fork {
  readonly base: Block;
  readonly top: BlockHash;
  readonly hashes: ReadonlyMap<number, BlockHash>;
}

export class ChainStates {
  readonly #store: BlockStore;
  /** Per chain the fork that was looked at last, since blocks of a fork come one behind the other. */
  readonly #forks = new Map<number, Fork>();

  constructor(store: BlockStore) {
    this.#store = store;
  }

  /** The chain as it is behind this block, which is in the store. */
  behind(block: Block): BlockState {
    return new BlockState(this.#store, block, this.#forkOf(block));
  }

  #forkOf(block: Block): Fork {
    if (this.#isOnBranch(block)) return { base: block, top: block.hash, hashes: new Map() };
    const known = this.#forks.get(block.chainId);
    const goesOn = known?.top === block.parent && this.#isOnBranch(known.base);
    const fork = goesOn ? onTop(known, block) : this.#walk(block);
    this.#forks.set(block.chainId, fork);
    return fork;
  }

  #walk(top: Block): Fork {
    const hashes = new Map<number, BlockHash>();
    let block = top;
    while (!this.#isOnBranch(block)) {
      hashes.set(block.height, block.hash);
      const parent = this.#store.block(block.parent);
      if (parent === undefined) throw new Error(`the store lacks the parent of block ${block.hash}`);
      block = parent;
    }
    return { base: block, top: top.hash, hashes };
  }

  #isOnBranch({ chainId, height, hash }: Block): boolean {
    return this.#store.onBranch(chainId, height) === hash;
  }
}

function onTop({ base, hashes }: Fork, block: Block): Fork {
  // The same map: nobody asks the shorter fork for heights above it.
  return { base, top: block.hash, hashes: (hashes as Map<number, BlockHash>).set(block.height, block.hash) };
}

/** One state is good until the cut changes. */
export class BlockState implements ChainState {
  readonly #store: BlockStore;
  readonly #fork: Fork;
  readonly block: Block;

  constructor(store: BlockStore, block: Block, fork: Fork) {
    this.#store = store;
    this.#fork = fork;
    this.block = block;
  }

  account(name: string): Account | undefined {
    const found = this.#newest(accountKey(name));
    return found && readAccount(found.value);
  }

  isIncluded(requestKey: string): boolean {
    return this.inclusion(requestKey) !== undefined;
  }

  /** The block up to here that holds a transaction, and the transaction's number in it. */
  inclusion(requestKey: string): { readonly block: Block; readonly index: number } | undefined {
    const found = this.#newest(inclusionKey(requestKey));
    const block = found && this.#store.block(found.hash);
    return block && { block, index: Number(found.value) };
  }

  /** Every account, as it is here. */
  *accounts(): Iterable<Account & { readonly name: string }> {
    const newest = new Map<string, Written>();
    for (const one of this.#store.allWritten(this.block.chainId)) {
      const known = newest.get(one.key);
      const isNewer = known === undefined || one.height > known.height;
      if (one.key.startsWith(accountKey('')) && isNewer && this.#isAncestor(one)) newest.set(one.key, one);
    }
    for (const { value } of newest.values()) yield readAccount(value);
  }

  #newest(key: string): Written | undefined {
    for (const one of this.#store.written(this.block.chainId, key, this.block.height))
      if (this.#isAncestor(one)) return one;
    return undefined;
  }

  #isAncestor({ height, hash }: Written): boolean {
    if (height > this.block.height) return false;
    const { base, hashes } = this.#fork;
    if (height > base.height) return hashes.get(height) === hash;
    return this.#store.onBranch(this.block.chainId, height) === hash;
  }
}
