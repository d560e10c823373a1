/** The hash that names a block: root of the hash tree over its header's fields, adjacents last (protocol notes A.4). */

import { adjacentHash, fieldOf, headerLength } from '../work/header.js';
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

/** Block hash (32 bytes) of a header as hashed for proof of work, with any number of adjacents. */
export function blockHashOf(header: Uint8Array): TreeHash {
  const adjacents = (header.length - headerLength(0)) / (headerLength(1) - headerLength(0));
  if (!Number.isInteger(adjacents) || adjacents < 0) {
    throw new RangeError(`no header has ${header.length} bytes`);
  }
  const leaf = (field: keyof typeof TAG): TreeHash => dataLeaf(TAG[field], fieldOf(header, field, adjacents));
  return treeRoot([
    leaf('flags'),
    leaf('creationTime'),
    fieldOf(header, 'parent'),
    leaf('target'),
    fieldOf(header, 'payloadHash', adjacents),
    leaf('chainId'),
    leaf('weight'),
    leaf('height'),
    leaf('versionCode'),
    leaf('epochStart'),
    leaf('nonce'),
    ...Array.from({ length: adjacents }, (_, i) => adjacentHash(header, i)),
  ]);
}
