/** A header as nodes store and send it: the bytes that are hashed for proof of work, and the block hash behind them. */
import { fromBase64Url } from '../core/bytes/bytes.js';
import { decodeHeader, HASH_BYTES, type HeaderFields } from '../core/work/header.js';

export interface EncodedHeader {
  /** 286 bytes with three adjacents. */
  readonly header: Uint8Array;
  /** Block hash, 32 bytes. */
  readonly hash: Uint8Array;
  readonly fields: HeaderFields;
}

/** Takes 318 bytes with three adjacents (178 + 36 each + 32). Throws RangeError. */
export function decodeEncodedHeader(bytes: Uint8Array): EncodedHeader {
  // A copy, because a slice of a Buffer is a view.
  const own = Uint8Array.from(bytes);
  const header = own.slice(0, -HASH_BYTES);
  return { header, hash: own.slice(-HASH_BYTES), fields: decodeHeader(header) };
}

/** The same from unpadded Base64Url. Throws RangeError. */
export function decodeHeaderText(text: string): EncodedHeader {
  const bytes = fromBase64Url(text);
  if (bytes) return decodeEncodedHeader(bytes);
  throw new RangeError(`a header is unpadded Base64Url, not ${JSON.stringify(text.slice(0, 80))}`);
}
