/** A signed transaction's name: the unkeyed BLAKE2b-256 hash of its command text. */
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../core/bytes.js';
import { type Fields, fieldsOf } from './codec.js';

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

function parseObject(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
