/** Signatures by the library that the node does not use. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { requestKeyBytes } from '../../../src/chain/request-key.js';
import type { KeyPair } from '../../helpers/processes/key-pair.js';

export function signatureOf(cmd: string, { secret }: KeyPair): string {
  return Buffer.from(ed25519.sign(requestKeyBytes(cmd), secret)).toString('hex');
}
