/** The leaves of a root and their tree. Their order is that of their hashes: by the salts, another one in each tree. */
import { createHmac } from 'node:crypto';
import { setImmediate as breath } from 'node:timers/promises';
import {
  joined,
  type Leaf,
  leafNode,
  type SumNode,
  type SumTree,
  type Totals,
} from '../../core/audit/sum-tree.js';

/** Made in one go: a tree of ten thousand leaves keeps no job waiting for longer than a millisecond or two. */
const AT_ONCE = 250;

/** In their order, piece by piece. */
async function mapInPieces<T, U>(all: readonly T[], make: (each: T, i: number) => U): Promise<U[]> {
  const made: U[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    made.push(...all.slice(at, at + AT_ONCE).map((each, i) => make(each, at + i)));
    await breath();
  }
  return made;
}

/** Rejects with RangeError without leaves. */
export async function treeOf(leaves: readonly SumNode[]): Promise<SumTree> {
  if (leaves.length === 0) throw new RangeError('a tree has leaves');
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) level = await aboveOf(level);
  return levels;
}

function aboveOf(level: readonly SumNode[]): Promise<SumNode[]> {
  const lefts = level.filter((_, i) => i % 2 === 0);
  return mapInPieces(lefts, (left, i) => {
    const right = level[2 * i + 1];
    return right ? joined(left, right) : left;
  });
}

export function leavesOf(
  seed: Uint8Array,
  totals: ReadonlyMap<number, Totals>,
  names: ReadonlyMap<number, string>,
): Promise<Leaf[]> {
  return mapInPieces([...totals], ([id, { work, shares }]) => {
    const account = names.get(id) ?? '';
    return { account, work, shares, salt: createHmac('sha256', seed).update(account).digest('hex') };
  });
}

export async function treeOfLeaves(leaves: readonly Leaf[]): Promise<SumTree> {
  const nodes = await mapInPieces(leaves, leafNode);
  return treeOf(nodes.sort((a, b) => (a.hash < b.hash ? -1 : 1)));
}
