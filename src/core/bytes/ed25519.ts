/** Keys of Ed25519 by their 32 bytes, and signatures of texts in UTF-8, all as hex. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** What stands before these bytes (RFC 8410). */
const SPKI = '302a300506032b6570032100';
const PKCS8 = '302e020100300506032b657004220420';

/** Throws where it is none. */
function publicKeyOf(hex: string): KeyObject {
  return createPublicKey({ key: Buffer.from(SPKI + hex, 'hex'), format: 'der', type: 'spki' });
}

/** Throws where it is none. */
export function privateKeyOf(hex: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(PKCS8 + hex, 'hex'), format: 'der', type: 'pkcs8' });
}

/** Of a public key, and also of the private one that it belongs to. */
export function publicHexOf(key: KeyObject): string {
  const own = key.type === 'private' ? createPublicKey(key) : key;
  return own.export({ format: 'der', type: 'spki' }).toString('hex').slice(SPKI.length);
}

export function signText(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text), key).toString('hex');
}

/** @param key public. Throws where it is none. */
export function isSignedBy(key: string, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), publicKeyOf(key), Buffer.from(signature, 'hex'));
}
