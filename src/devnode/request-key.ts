/** A signed transaction's name: the unkeyed BLAKE2b-256 hash of its command text. */
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../core/bytes.js';

/** 43 characters; `undefined` when `text` is no JSON object with a `cmd` text whose `hash`, if given, is its hash. */
export function requestKeyOf(text: string): string | undefined {
  const transaction = parseObject(text);
  const command = transaction?.['cmd'];
  if (typeof command !== 'string') return undefined;
  const key = toBase64Url(blake2b(new TextEncoder().encode(command), { dkLen: 32 }));
  const given = transaction?.['hash'];
  return given === undefined || given === key ? key : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
