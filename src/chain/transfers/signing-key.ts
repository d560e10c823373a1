/** An Ed25519 key of 32 bytes, in memory of the system's library, from which nothing here takes it out again. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { toHex } from '../../core/bytes/bytes.js';

export interface SigningKey {
  /** 64 hex digits. */
  readonly publicKey: string;
  /** 128 hex digits. */
  sign(bytes: Uint8Array): string;
}

export const KEY_BYTES = 32;
/** What stands before the key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_BYTES = 12;

/** @param seed is wiped. */
export function signingKey(seed: Buffer): SigningKey {
  const der = Buffer.concat([PKCS8, seed]);
  const key: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  seed.fill(0);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_BYTES);
  return { publicKey: toHex(publicKey), sign: (bytes) => toHex(sign(null, bytes, key)) };
}
