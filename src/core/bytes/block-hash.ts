/** The hash that names a block: root of the hash tree over its header's fields, adjacents last (protocol notes A.4). */

import { HASH_BYTES, headerLength } from '../work/header.js';
import { dataLeaf, type TreeHash, treeRoot } from './hash-tree.js';

const TAG = {
  flags: 0x0006,
  creationTime: 0x0007,
  target: 0x0011,
  chainId: 0x0002,
  weight: 0x0004,
  height: 0x0003,
  versionCode: 0x0008,
  epochStart: 0x0019,
  nonce: 0x0020,
} as const;

const ADJACENTS_OFFSET = 50;
const ADJACENT_BYTES = 36;

/** Block hash (32 bytes) of a header as hashed for proof of work, with any number of adjacents. */
export function blockHashOf(header: Uint8Array): TreeHash {
  const adjacents = (header.length - headerLength(0)) / ADJACENT_BYTES;
  if (!Number.isInteger(adjacents) || adjacents < 0) {
    throw new RangeError(`no header has ${header.length} bytes`);
  }
  const rest = ADJACENTS_OFFSET + ADJACENT_BYTES * adjacents;
  const field = (tag: number, offset: number, length: number): TreeHash =>
    dataLeaf(tag, header.subarray(offset, offset + length));
  const hashAt = (offset: number): TreeHash => header.subarray(offset, offset + HASH_BYTES);
  return treeRoot([
    field(TAG.flags, 0, 8),
    field(TAG.creationTime, 8, 8),
    hashAt(16),
    field(TAG.target, rest, 32),
    hashAt(rest + 32),
    field(TAG.chainId, rest + 64, 4),
    field(TAG.weight, rest + 68, 32),
    field(TAG.height, rest + 100, 8),
    field(TAG.versionCode, rest + 108, 4),
    field(TAG.epochStart, rest + 112, 8),
    field(TAG.nonce, rest + 120, 8),
    ...Array.from({ length: adjacents }, (_, i) => hashAt(ADJACENTS_OFFSET + ADJACENT_BYTES * i + 4)),
  ]);
}
