/**
 * The ledger's hash tree: SHA-512/256, shaped like that of RFC 6962.
 *
 * A data leaf is hashed with its tag; a leaf that is itself the root of a tree (a hash) is put in as it is. `n` leaves
 * are split at the largest power of two below `n`. Source: protocol notes A.4.
 */
import { hash } from 'node:crypto';

/** The hash of a tree, or of one leaf: 32 bytes. */
export type TreeHash = Uint8Array;

/** H(0x00 | tag, 2 bytes big-endian | data). */
export function dataLeaf(tag: number, data: Uint8Array): TreeHash {
  const bytes = new Uint8Array(3 + data.length);
  bytes[1] = tag >>> 8;
  bytes[2] = tag & 0xff;
  bytes.set(data, 3);
  return sha512t256(bytes);
}

/** Root over leaves that are hashes already. The root of no leaves is H of nothing. */
export function treeRoot(leaves: readonly TreeHash[]): TreeHash {
  const [first] = leaves;
  if (first === undefined) return sha512t256(new Uint8Array(0));
  if (leaves.length === 1) return first;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return innerNode(treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

function innerNode(left: TreeHash, right: TreeHash): TreeHash {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha512t256(bytes);
}

/** SHA-512 with the initial values of its 256-bit variant (FIPS 180-4), not SHA-512 cut off. */
export function sha512t256(bytes: Uint8Array): TreeHash {
  return Uint8Array.from(hash('sha512-256', bytes, 'buffer'));
}
