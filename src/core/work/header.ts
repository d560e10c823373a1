/**
 * A block header as hashed for proof of work. Every integer is little-endian.
 *
 * | offset (3 adjacents) | bytes | field |
 * |---|---|---|
 * | 0 | 8 | flags: fork number and votes, opaque to a miner |
 * | 8 | 8 | creation time, microseconds since the epoch |
 * | 16 | 32 | parent block hash |
 * | 48 | 2 | number of adjacents n |
 * | 50 | 36 n | adjacents: chain id (4) and block hash (32) each, ascending chain id |
 * | 158 | 32 | target |
 * | 190 | 32 | payload hash |
 * | 222 | 4 | chain id |
 * | 226 | 32 | weight |
 * | 258 | 8 | height |
 * | 266 | 4 | version code |
 * | 270 | 8 | epoch start, microseconds since the epoch |
 * | 278 | 8 | nonce |
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

export const HEADER_BYTES = 286;
export const CREATION_TIME_OFFSET = 8;
export const NONCE_OFFSET = 278;
export const HASH_BYTES = 32;

const ADJACENTS_OFFSET = 50;
const ADJACENT_BYTES = 36;
const FIXED_BYTES = 178;

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
  return FIXED_BYTES + ADJACENT_BYTES * adjacents;
}

/** Reads every field. Throws RangeError when the length does not fit the number of adjacents it names. */
export function decodeHeader(bytes: Uint8Array): HeaderFields {
  const count = bytes.length >= ADJACENTS_OFFSET ? viewOf(bytes).getUint16(48, true) : 0;
  if (bytes.length !== headerLength(count)) {
    throw new RangeError(
      `a header with ${count} adjacents has ${headerLength(count)} bytes, not ${bytes.length}`,
    );
  }
  const view = viewOf(bytes);
  const rest = ADJACENTS_OFFSET + ADJACENT_BYTES * count;
  const at = (offset: number, length: number): Uint8Array =>
    bytes.slice(rest + offset, rest + offset + length);
  return {
    flags: view.getBigUint64(0, true),
    creationTime: view.getBigInt64(CREATION_TIME_OFFSET, true),
    parent: bytes.slice(16, 48),
    adjacents: Array.from({ length: count }, (_, i) =>
      adjacentAt(bytes, ADJACENTS_OFFSET + ADJACENT_BYTES * i),
    ),
    target: targetFromBytes(at(0, 32)),
    payloadHash: at(32, 32),
    chainId: view.getUint32(rest + 64, true),
    weight: readUintLittleEndian(at(68, 32)),
    height: heightFrom(view.getBigUint64(rest + 100, true)),
    versionCode: view.getUint32(rest + 108, true),
    epochStart: view.getBigInt64(rest + 112, true),
    nonce: view.getBigUint64(rest + 120, true),
  };
}

function adjacentAt(bytes: Uint8Array, offset: number): Adjacent {
  return {
    chainId: viewOf(bytes).getUint32(offset, true),
    hash: bytes.slice(offset + 4, offset + ADJACENT_BYTES),
  };
}

function heightFrom(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`no block has the height ${value}`);
  return Number(value);
}

/** The inverse of {@link decodeHeader}. Throws RangeError for a field out of its width. */
export function encodeHeader(fields: HeaderFields): Uint8Array {
  const bytes = new Uint8Array(headerLength(fields.adjacents.length));
  const view = viewOf(bytes);
  view.setBigUint64(0, fields.flags, true);
  view.setBigInt64(CREATION_TIME_OFFSET, fields.creationTime, true);
  bytes.set(hashBytes(fields.parent), 16);
  view.setUint16(48, fields.adjacents.length, true);
  let offset = ADJACENTS_OFFSET;
  for (const adjacent of fields.adjacents) {
    view.setUint32(offset, adjacent.chainId, true);
    bytes.set(hashBytes(adjacent.hash), offset + 4);
    offset += ADJACENT_BYTES;
  }
  bytes.set(fields.target, offset);
  bytes.set(hashBytes(fields.payloadHash), offset + 32);
  view.setUint32(offset + 64, fields.chainId, true);
  bytes.set(writeUintLittleEndian(fields.weight, 32), offset + 68);
  view.setBigUint64(offset + 100, BigInt(fields.height), true);
  view.setUint32(offset + 108, fields.versionCode, true);
  view.setBigInt64(offset + 112, fields.epochStart, true);
  view.setBigUint64(offset + 120, fields.nonce, true);
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
