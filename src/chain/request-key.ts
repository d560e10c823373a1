/** A signed transaction's name, the unkeyed BLAKE2b-256 hash of its command text, and the signatures over it. */
import { createPublicKey, verify } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../core/bytes/bytes.js';

/** 43 characters. @param cmd the text as its signer wrote it. */
export function requestKeyOf(cmd: string): string {
  return toBase64Url(requestKeyBytes(cmd));
}

/** 32 bytes: what is signed. */
export function requestKeyBytes(cmd: string): Uint8Array {
  return blake2b(new TextEncoder().encode(cmd), { dkLen: 32 });
}

/** Of the JSON text of a transaction; `undefined` for no JSON object with a `cmd` text whose `hash`, if given, is its hash. */
export function keyOfTransaction(text: string): string | undefined {
  const transaction = parseObject(text);
  const command = transaction?.['cmd'];
  if (typeof command !== 'string') return undefined;
  const key = requestKeyOf(command);
  const given = transaction?.['hash'];
  return given === undefined || given === key ? key : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * By the system's library: a block may have hundreds, and it takes a tenth of the time.
 * @param signature 64 bytes. @param signed {@link requestKeyBytes}. @param publicKey 32 bytes.
 */
export function isSignatureOf(signature: Uint8Array, signed: Uint8Array, publicKey: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) };
  return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}
