/** Hashes of a block's payload: who mined it, its transactions, and what came out of them (protocol notes A.5). */
import { dataLeaf, type TreeHash, treeRoot } from './hash-tree.js';

const TAG = { minerData: 0x0017, transaction: 0x0013, coinbase: 0x0018, output: 0x0014 } as const;

/** What a payload is made of, as bytes. `outputs` has one entry a transaction. */
export interface PayloadParts {
  readonly minerData: Uint8Array;
  readonly transactions: readonly Uint8Array[];
  readonly coinbase: Uint8Array;
  readonly outputs: readonly Uint8Array[];
}

interface PayloadHashes {
  readonly transactionsHash: TreeHash;
  readonly outputsHash: TreeHash;
  readonly payloadHash: TreeHash;
}

export function payloadHashesOf(parts: PayloadParts): PayloadHashes {
  const transactionsHash = treeRoot([
    dataLeaf(TAG.minerData, parts.minerData),
    ...parts.transactions.map((bytes) => dataLeaf(TAG.transaction, bytes)),
  ]);
  const outputsHash = treeRoot([
    dataLeaf(TAG.coinbase, parts.coinbase),
    ...parts.outputs.map((bytes) => dataLeaf(TAG.output, bytes)),
  ]);
  return { transactionsHash, outputsHash, payloadHash: treeRoot([transactionsHash, outputsHash]) };
}
