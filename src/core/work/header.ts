/**
 * A block header as hashed for proof of work. Every integer is little-endian.
 *
 * Source: node software 2.32, checked there against real headers (protocol notes A.1).
 */
import { blake2s } from '@noble/hashes/blake2.js';
import { bytesOfWords, finishHashWords, MIDSTATE_BYTES, type Midstate, wordsOf } from '../bytes/blake2s.js';
import { readUintLittleEndian, viewOf, writeUintLittleEndian } from '../bytes/bytes.js';
import { halvesOf, type NonceHalves } from '../jobs/nonce.js';
import { type Target, targetFromBytes } from './target.js';

/** The bytes of a header with three adjacents, as a node's work carries them. */
export type Header = Uint8Array & { readonly __brand: 'Header' };

export const HASH_BYTES = 32;
/** Chain id (4) and block hash of a neighbour. */
const ADJACENT_BYTES = 4 + HASH_BYTES;
const ADJACENTS_OFFSET = 50;

/** Where each field begins, and its bytes. Those behind the adjacents as where there are none. */
const LAYOUT = {
  /** Fork number and votes, opaque to a miner. */
  flags: [0, 8],
  /** Microseconds since the epoch. */
  creationTime: [8, 8],
  parent: [16, HASH_BYTES],
  /** Number of adjacents, which follow: ascending chain ids. */
  adjacents: [48, 2],
  target: [50, 32],
  payloadHash: [82, HASH_BYTES],
  chainId: [114, 4],
  weight: [118, 32],
  height: [150, 8],
  versionCode: [158, 4],
  /** Microseconds since the epoch. */
  epochStart: [162, 8],
  nonce: [170, 8],
} as const;
type HeaderField = keyof typeof LAYOUT;

/** Where a field begins in a header of so many adjacents. */
export function offsetOf(field: HeaderField, adjacents = 3): number {
  const [offset] = LAYOUT[field];
  return offset < ADJACENTS_OFFSET ? offset : offset + ADJACENT_BYTES * adjacents;
}

/** The bytes of a field, not copied. */
export function fieldOf(header: Uint8Array, field: HeaderField, adjacents = 3): Uint8Array {
  const offset = offsetOf(field, adjacents);
  return header.subarray(offset, offset + LAYOUT[field][1]);
}

export const HEADER_BYTES = headerLength(3);
export const CREATION_TIME_OFFSET = offsetOf('creationTime');
export const NONCE_OFFSET = offsetOf('nonce');

/** One chain's hash that a header refers to. */
export interface Adjacent {
  readonly chainId: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

export interface HeaderFields {
  readonly flags: bigint;
  /** Microseconds since the epoch. */
  readonly creationTime: bigint;
  readonly parent: Uint8Array;
  /** Ascending chain id. */
  readonly adjacents: readonly Adjacent[];
  readonly target: Target;
  readonly payloadHash: Uint8Array;
  readonly chainId: number;
  readonly weight: bigint;
  readonly height: number;
  readonly versionCode: number;
  /** Microseconds since the epoch. */
  readonly epochStart: bigint;
  readonly nonce: bigint;
}

/** Takes exactly 286 bytes as a header (a copy). Throws RangeError for another length. */
export function headerFromBytes(bytes: Uint8Array): Header {
  if (bytes.length !== HEADER_BYTES) {
    throw new RangeError(`a header has ${HEADER_BYTES} bytes, not ${bytes.length}`);
  }
  return Uint8Array.from(bytes) as Header;
}

/** Bytes of a header with `adjacents` adjacent chains. */
export function headerLength(adjacents: number): number {
  return offsetOf('nonce', adjacents) + LAYOUT.nonce[1];
}

/** Reads every field. Throws RangeError when the length does not fit the number of adjacents it names. */
export function decodeHeader(bytes: Uint8Array): HeaderFields {
  const hasCount = bytes.length >= ADJACENTS_OFFSET;
  const count = hasCount ? viewOf(bytes).getUint16(offsetOf('adjacents'), true) : 0;
  if (bytes.length !== headerLength(count)) {
    throw new RangeError(
      `a header with ${count} adjacents has ${headerLength(count)} bytes, not ${bytes.length}`,
    );
  }
  const view = viewOf(bytes);
  const at = (field: HeaderField): number => offsetOf(field, count);
  const copyOf = (field: HeaderField): Uint8Array => fieldOf(bytes, field, count).slice();
  const height = view.getBigUint64(at('height'), true);
  if (height > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`no block has the height ${height}`);
  return {
    flags: view.getBigUint64(at('flags'), true),
    creationTime: view.getBigInt64(at('creationTime'), true),
    parent: copyOf('parent'),
    adjacents: Array.from({ length: count }, (_, i) => ({
      chainId: view.getUint32(ADJACENTS_OFFSET + ADJACENT_BYTES * i, true),
      hash: adjacentHash(bytes, i).slice(),
    })),
    target: targetFromBytes(fieldOf(bytes, 'target', count)),
    payloadHash: copyOf('payloadHash'),
    chainId: view.getUint32(at('chainId'), true),
    weight: readUintLittleEndian(fieldOf(bytes, 'weight', count)),
    height: Number(height),
    versionCode: view.getUint32(at('versionCode'), true),
    epochStart: view.getBigInt64(at('epochStart'), true),
    nonce: view.getBigUint64(at('nonce'), true),
  };
}

/** The hash of the adjacent of this number, not copied. */
export function adjacentHash(header: Uint8Array, i: number): Uint8Array {
  const end = ADJACENTS_OFFSET + ADJACENT_BYTES * (i + 1);
  return header.subarray(end - HASH_BYTES, end);
}

/** The inverse of {@link decodeHeader}. Throws RangeError for a field out of its width. */
export function encodeHeader(fields: HeaderFields): Uint8Array {
  const { length: count } = fields.adjacents;
  const bytes = new Uint8Array(headerLength(count));
  const view = viewOf(bytes);
  const at = (field: HeaderField): number => offsetOf(field, count);
  view.setBigUint64(at('flags'), fields.flags, true);
  view.setBigInt64(at('creationTime'), fields.creationTime, true);
  bytes.set(hashBytes(fields.parent), at('parent'));
  view.setUint16(at('adjacents'), count, true);
  for (const [i, { chainId, hash }] of fields.adjacents.entries()) {
    view.setUint32(ADJACENTS_OFFSET + ADJACENT_BYTES * i, chainId, true);
    adjacentHash(bytes, i).set(hashBytes(hash));
  }
  bytes.set(fields.target, at('target'));
  bytes.set(hashBytes(fields.payloadHash), at('payloadHash'));
  view.setUint32(at('chainId'), fields.chainId, true);
  bytes.set(writeUintLittleEndian(fields.weight, 32), at('weight'));
  view.setBigUint64(at('height'), BigInt(fields.height), true);
  view.setUint32(at('versionCode'), fields.versionCode, true);
  view.setBigInt64(at('epochStart'), fields.epochStart, true);
  view.setBigUint64(at('nonce'), fields.nonce, true);
  return bytes;
}

function hashBytes(hash: Uint8Array): Uint8Array {
  if (hash.length !== HASH_BYTES) throw new RangeError(`a hash has ${HASH_BYTES} bytes, not ${hash.length}`);
  return hash;
}

/** Proof-of-work hash of a header of any number of adjacents: 32 bytes, lowest first. */
export function powHashOf(header: Uint8Array): Uint8Array {
  return blake2s(header);
}

/** What follows the midstate of a header, as words for {@link powHashWords}; its nonce does not matter. */
export function tailOf(header: Header): readonly number[] {
  return wordsOf(header, MIDSTATE_BYTES);
}

/**
 * Proof-of-work hash of a header with another nonce, as eight words: one compression. It puts no view on anything, which
 * would take as long again.
 *
 * @param midstate of the header.
 * @param tail of the header, from {@link tailOf}.
 */
export function powHashWords(
  midstate: Midstate,
  tail: readonly number[],
  { low, high }: NonceHalves,
): Uint32Array {
  const words = tail.slice();
  // The nonce begins in the middle of a word.
  words[5] = ((words[5] ?? 0) & 0xffff) | (low << 16);
  words[6] = (low >>> 16) | (high << 16);
  words[7] = high >>> 16;
  return finishHashWords(midstate, words, HEADER_BYTES - MIDSTATE_BYTES);
}

/** The same as 32 bytes, for an unsigned nonce of 64 bits. */
export function powHashWithNonce(header: Header, midstate: Midstate, nonce: bigint): Uint8Array {
  return bytesOfWords(powHashWords(midstate, tailOf(header), halvesOf(nonce)));
}

/** A copy of `header` with another nonce (unsigned 64 bits). */
export function withNonce(header: Header, nonce: bigint): Header {
  const copy = Uint8Array.from(header) as Header;
  viewOf(copy).setBigUint64(NONCE_OFFSET, nonce, true);
  return copy;
}

/** Microseconds since the epoch. */
export function creationTimeOf(header: Header): bigint {
  return viewOf(header).getBigInt64(CREATION_TIME_OFFSET, true);
}

/** A copy of `header` with another creation time (microseconds since the epoch). */
export function withCreationTime(header: Header, creationTime: bigint): Header {
  const copy = Uint8Array.from(header) as Header;
  viewOf(copy).setBigInt64(CREATION_TIME_OFFSET, creationTime, true);
  return copy;
}
