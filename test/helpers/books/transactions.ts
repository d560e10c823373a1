import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../../src/core/bytes/bytes.js';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { NodeClient } from '../../../src/node-client/client.js';

export interface Transaction {
  /** JSON text as it is inserted. */
  readonly text: string;
  /** Request key. */
  readonly key: string;
}

export function newTransaction(nonce: string): Transaction {
  const cmd = JSON.stringify({ nonce, payload: { exec: { code: '(+ 1 2)', data: {} } } });
  const key = toBase64Url(blake2b(new TextEncoder().encode(cmd), { dkLen: 32 }));
  return { text: JSON.stringify({ hash: key, sigs: [{ sig: 'ab' }], cmd }), key };
}

/** A transaction waits on this chain: with `payloadRefresh: 1` its next work has another payload. */
export async function insertTransaction(node: DevNode, chainId: number): Promise<void> {
  // Real nodes take transactions on their peer port alone, with a certificate of their own.
  const peer = await NodeClient.connect({ nodes: node.peerUrl, tls: { insecure: true } });
  await peer.chain(chainId).mempool.insert([newTransaction('waits').text]);
  await peer.close();
}
