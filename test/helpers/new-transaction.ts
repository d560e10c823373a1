import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../src/core/bytes.js';
import type { DevNode } from '../../src/devnode/server.js';
import { NodeClient } from '../../src/node/client.js';

/** A transaction waits on this chain: with `payloadRefreshMs: 1` its next work has another payload. */
export async function newTransaction(node: DevNode, chainId: number): Promise<void> {
  const cmd = JSON.stringify({ nonce: '1', payload: {} });
  const hash = toBase64Url(blake2b(new TextEncoder().encode(cmd), { dkLen: 32 }));
  // Real nodes take transactions on their peer port alone, with a certificate of their own.
  const peer = await NodeClient.connect(node.peerUrl, undefined, { tls: { insecure: true } });
  await peer.chain(chainId).mempool.insert([JSON.stringify({ hash, sigs: [], cmd })]);
  await peer.close();
}
