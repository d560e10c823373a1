/**
 * A Merkle sum tree: each node says what all leaves below it come to, and its hash is over what both of its halves say. So a proof shows
 * that a leaf is part of the sum, and no leaf below it is negative: numbers are written without a sign.
 *
 *     leaf    H(0x00 | salt, 32 bytes | work, 32 bytes | shares, 8 bytes | account in UTF-8)
 *     inner   H(0x01 | left hash | left work | left shares | right hash | right work | right shares)
 *
 * H is SHA-256, numbers are big-endian. Neighbours are joined in pairs; one that is left over goes up as it is. The page runs this in browsers.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Work in expected hashes, and how many shares. */
export interface Totals {
  readonly work: bigint;
  readonly shares: bigint;
}

export interface SumNode extends Totals {
  /** 32 bytes as hex. */
  readonly hash: string;
}

/** What an account did since its books began. */
export interface Leaf extends Totals {
  readonly account: string;
  /** 32 bytes as hex: who does not know it cannot try names and numbers. */
  readonly salt: string;
}

/** A neighbour on the way to the root, and on which side it stands. */
export interface Step extends SumNode {
  readonly side: 'left' | 'right';
}

/** From the leaves to the root. */
export type SumTree = readonly (readonly SumNode[])[];

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);
const WORK_BYTES = 32;
const SHARES_BYTES = 8;

export function leafNode({ account, salt, work, shares }: Leaf): SumNode {
  const parts = [hexToBytes(salt), ...totalsIn({ work, shares }), utf8ToBytes(account)];
  return { hash: hashOf(LEAF, parts), work, shares };
}

export function rootOf(tree: SumTree): SumNode {
  const [root] = tree.at(-1) ?? [];
  if (!root) throw new RangeError('a tree has a root');
  return root;
}

/** The neighbours of a leaf and of all above it. */
export function pathOf(tree: SumTree, leaf: number): Step[] {
  const path: Step[] = [];
  let at = leaf;
  for (const level of tree.slice(0, -1)) {
    const side = at % 2 === 0 ? 'right' : 'left';
    const neighbour = level[side === 'right' ? at + 1 : at - 1];
    if (neighbour) path.push({ side, ...neighbour });
    at = Math.floor(at / 2);
  }
  return path;
}

/** The root that a leaf and its path come to. */
export function climb(leaf: Leaf, path: readonly Step[]): SumNode {
  return path.reduce<SumNode>(
    (below, step) => (step.side === 'left' ? joined(step, below) : joined(below, step)),
    leafNode(leaf),
  );
}

export function joined(left: SumNode, right: SumNode): SumNode {
  const parts = [left, right].flatMap((node) => [hexToBytes(node.hash), ...totalsIn(node)]);
  return {
    hash: hashOf(INNER, parts),
    work: left.work + right.work,
    shares: left.shares + right.shares,
  };
}

function totalsIn({ work, shares }: Totals): [Uint8Array, Uint8Array] {
  return [bigEndian(work, WORK_BYTES), bigEndian(shares, SHARES_BYTES)];
}

/** Throws RangeError for what has no place there, such as a number below zero. */
function bigEndian(value: bigint, bytes: number): Uint8Array {
  const digits = value < 0n ? '' : value.toString(16).padStart(bytes * 2, '0');
  if (digits.length !== bytes * 2) throw new RangeError(`${value} is no number of ${bytes} bytes`);
  return hexToBytes(digits);
}

function hashOf(tag: Uint8Array, parts: readonly Uint8Array[]): string {
  return bytesToHex(sha256(concatBytes(tag, ...parts)));
}
