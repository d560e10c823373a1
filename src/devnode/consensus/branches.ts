/** Reads blocks in the two orders of the interface: ascending with orphans, and descending along branches. */

import type { BlockStore } from '../storage/block-store.js';
import { type Block, type BlockHash, blockHashBytes } from './block.js';

/** Where to go on: at the named block, or just past it. */
export interface Cursor {
  readonly inclusive: boolean;
  readonly block: Block;
}

export interface Window {
  /** Most blocks to give. */
  readonly limit: number;
  readonly next: Cursor | undefined;
  readonly minHeight: number;
  readonly maxHeight: number;
}

export interface Page {
  readonly blocks: readonly Block[];
  /** The block that would come next; `undefined` at the end. */
  readonly next: Block | undefined;
}

/** Blocks of one chain, orphans included, in ascending order of (height, hash bytes). */
export function listBlocks(store: BlockStore, chainId: number, window: Window): Page {
  const { next, minHeight, maxHeight } = window;
  const from =
    next && next.block.height >= minHeight
      ? { height: next.block.height, hash: next.block.hash }
      : { height: minHeight };
  return pageOf(store.ascending(chainId, from), window, (block) => block.height > maxHeight);
}

/**
 * Ancestors of `upper` (inclusive) that are not ancestors of `lower` (inclusive), in descending order of (height, hash
 * bytes). With `maxHeight` each upper block gives way to its ancestor at that height.
 */
export function listBranch(
  store: BlockStore,
  upper: readonly Block[],
  lower: readonly Block[],
  window: Window,
): Page {
  const { next, minHeight } = window;
  const from = Math.min(window.maxHeight, next?.block.height ?? Number.POSITIVE_INFINITY);
  const walk = descend(store, upper, lower, from);
  const wanted = next ? skipAbove(walk, next.block) : walk;
  return pageOf(wanted, window, (block) => block.height < minHeight);
}

function pageOf(blocks: Iterable<Block>, window: Window, isPast: (block: Block) => boolean): Page {
  const page: Block[] = [];
  for (const block of blocks) {
    if (isPast(block)) break;
    if (window.next && !window.next.inclusive && block.hash === window.next.block.hash) continue;
    if (page.length >= window.limit) return { blocks: page, next: block };
    page.push(block);
  }
  return { blocks: page, next: undefined };
}

function* skipAbove(blocks: Iterable<Block>, start: Block): Iterable<Block> {
  for (const block of blocks) {
    if (block.height < start.height || compareHashes(block.hash, start.hash) <= 0) yield block;
  }
}

function* descend(
  store: BlockStore,
  upper: readonly Block[],
  lower: readonly Block[],
  from: number,
): Iterable<Block> {
  let tips = distinct(upper.map((block) => ancestorAt(store, block, from) ?? block));
  while (tips.length > 0) {
    const height = Math.max(...tips.map((block) => block.height));
    const excluded = new Set(lower.map((block) => ancestorHash(store, block, height)));
    const here = tips.filter((block) => block.height === height && !excluded.has(block.hash));
    here.sort((a, b) => compareHashes(b.hash, a.hash));
    yield* here;
    const parents = here.flatMap((block) => store.block(block.parent) ?? []);
    tips = distinct([...tips.filter((block) => block.height < height), ...parents]);
  }
}

function distinct(blocks: readonly Block[]): Block[] {
  return [...new Map(blocks.map((block) => [block.hash, block])).values()];
}

/** The ancestor (or the block itself) at a height; `undefined` when that is above the block. */
export function ancestorAt(store: BlockStore, block: Block, height: number): Block | undefined {
  const hash = ancestorHash(store, block, height);
  return hash === undefined ? undefined : store.block(hash);
}

/** Walks only as far as the cut's branch, where the store knows the way. */
function ancestorHash(store: BlockStore, block: Block, height: number): BlockHash | undefined {
  if (height > block.height) return undefined;
  let current: Block | undefined = block;
  while (current && current.height > height) {
    if (store.onBranch(current.chainId, current.height) === current.hash) {
      return store.onBranch(current.chainId, height);
    }
    current = store.block(current.parent);
  }
  return current?.hash;
}

function compareHashes(a: BlockHash, b: BlockHash): number {
  return Buffer.compare(blockHashBytes(a), blockHashBytes(b));
}
