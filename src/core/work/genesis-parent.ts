/** What a genesis block names as its parent: it follows from network and chain alone (protocol notes A.6). */
import { sha512t256, type TreeHash, treeRoot } from '../bytes/hash-tree.js';

const ROOT_NAME = Uint8Array.from(Buffer.from('CHAINWEB_GENESIS', 'latin1'));

/** Takes the place of the parent (and of the adjacent parents) of a genesis block. */
export function genesisParent(versionCode: number, chainId: number): TreeHash {
  return treeRoot([ROOT_NAME, uint32(versionCode), uint32(chainId)].map(untaggedLeaf));
}

function untaggedLeaf(data: Uint8Array): TreeHash {
  const bytes = new Uint8Array(1 + data.length);
  bytes.set(data, 1);
  return sha512t256(bytes);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
