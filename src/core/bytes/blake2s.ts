/**
 * BLAKE2s-256 (RFC 7693, unkeyed) cut to what a header needs.
 *
 * A header of 286 bytes is four blocks of 64 and a last one of 30. The nonce lies in the last, so the state after
 * four blocks (the midstate) serves every nonce, and one compression settles a submit.
 */

/** Eight 32-bit words: the state after the first 256 bytes of a header. */
export type Midstate = Uint32Array & { readonly __brand: 'Midstate' };

export const MIDSTATE_BYTES = 256;
const BLOCK_BYTES = 64;

/** RFC 7693 section 2.6. */
export const IV = Uint32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

/** RFC 7693 section 2.7, one row a round. */
export const SIGMA: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** Parameter block: digest of 32 bytes, no key, sequential. */
const PARAMETERS = 0x01010020;

/** State after the first 256 bytes of `header`, which must have at least as many. */
export function midstateOf(header: Uint8Array): Midstate {
  let state = Uint32Array.from(IV);
  state[0] = (IV[0] ?? 0) ^ PARAMETERS;
  for (let offset = 0; offset < MIDSTATE_BYTES; offset += BLOCK_BYTES) {
    state = compress(state, wordsOf(header, offset), offset + BLOCK_BYTES, false);
  }
  return state as Midstate;
}

/**
 * The 32 hash bytes of a message whose first 256 bytes gave `midstate`.
 *
 * @param tail what follows them: 1 to 64 bytes (30 for a header of 286).
 */
export function finishHash(midstate: Midstate, tail: Uint8Array): Uint8Array {
  return bytesOfWords(finishHashWords(midstate, wordsOf(tail, 0), tail.length));
}

/** The hash as eight words, of a tail of `tailBytes` given as sixteen, lowest byte first, zero beyond its end. */
export function finishHashWords(
  midstate: Midstate,
  words: readonly number[],
  tailBytes: number,
): Uint32Array {
  return compress(midstate, words, MIDSTATE_BYTES + tailBytes, true);
}

/** Eight words as 32 bytes. */
export function bytesOfWords(state: Uint32Array): Uint8Array {
  const hash = new Uint8Array(32);
  for (let i = 0; i < 8; i++) {
    const word = state[i] ?? 0;
    hash[4 * i] = word;
    hash[4 * i + 1] = word >>> 8;
    hash[4 * i + 2] = word >>> 16;
    hash[4 * i + 3] = word >>> 24;
  }
  return hash;
}

/**
 * Sixteen words from `offset` on as signed integers, lowest byte first; what `bytes` does not reach is zero. A plain
 * array, because V8 reads one twice as fast as an Int32Array.
 */
export function wordsOf(bytes: Uint8Array, offset: number): number[] {
  const words = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const end = Math.min(BLOCK_BYTES, bytes.length - offset);
  for (let i = 0; i < end; i++) {
    words[i >> 2] = (words[i >> 2] ?? 0) | ((bytes[offset + i] ?? 0) << (8 * (i & 3)));
  }
  return words;
}

/**
 * The state after a block. It is long because the sixteen words must be variables: a submit is settled in
 * half a microsecond so, and in four as elements of an array.
 */
function compress(
  state: Uint32Array,
  m: readonly number[],
  bytesSoFar: number,
  last: boolean,
): Uint32Array<ArrayBuffer> {
  let v0 = (state[0] ?? 0) | 0;
  let v1 = (state[1] ?? 0) | 0;
  let v2 = (state[2] ?? 0) | 0;
  let v3 = (state[3] ?? 0) | 0;
  let v4 = (state[4] ?? 0) | 0;
  let v5 = (state[5] ?? 0) | 0;
  let v6 = (state[6] ?? 0) | 0;
  let v7 = (state[7] ?? 0) | 0;
  let v8 = (IV[0] ?? 0) | 0;
  let v9 = (IV[1] ?? 0) | 0;
  let v10 = (IV[2] ?? 0) | 0;
  let v11 = (IV[3] ?? 0) | 0;
  let v12 = ((IV[4] ?? 0) ^ bytesSoFar) | 0;
  let v13 = (IV[5] ?? 0) | 0;
  let v14 = ((IV[6] ?? 0) ^ (last ? -1 : 0)) | 0;
  let v15 = (IV[7] ?? 0) | 0;
  for (const s of SIGMA) {
    v0 = (v0 + v4 + word(m, s, 0)) | 0;
    v12 = turnRight(v12 ^ v0, 16);
    v8 = (v8 + v12) | 0;
    v4 = turnRight(v4 ^ v8, 12);
    v0 = (v0 + v4 + word(m, s, 1)) | 0;
    v12 = turnRight(v12 ^ v0, 8);
    v8 = (v8 + v12) | 0;
    v4 = turnRight(v4 ^ v8, 7);
    v1 = (v1 + v5 + word(m, s, 2)) | 0;
    v13 = turnRight(v13 ^ v1, 16);
    v9 = (v9 + v13) | 0;
    v5 = turnRight(v5 ^ v9, 12);
    v1 = (v1 + v5 + word(m, s, 3)) | 0;
    v13 = turnRight(v13 ^ v1, 8);
    v9 = (v9 + v13) | 0;
    v5 = turnRight(v5 ^ v9, 7);
    v2 = (v2 + v6 + word(m, s, 4)) | 0;
    v14 = turnRight(v14 ^ v2, 16);
    v10 = (v10 + v14) | 0;
    v6 = turnRight(v6 ^ v10, 12);
    v2 = (v2 + v6 + word(m, s, 5)) | 0;
    v14 = turnRight(v14 ^ v2, 8);
    v10 = (v10 + v14) | 0;
    v6 = turnRight(v6 ^ v10, 7);
    v3 = (v3 + v7 + word(m, s, 6)) | 0;
    v15 = turnRight(v15 ^ v3, 16);
    v11 = (v11 + v15) | 0;
    v7 = turnRight(v7 ^ v11, 12);
    v3 = (v3 + v7 + word(m, s, 7)) | 0;
    v15 = turnRight(v15 ^ v3, 8);
    v11 = (v11 + v15) | 0;
    v7 = turnRight(v7 ^ v11, 7);
    v0 = (v0 + v5 + word(m, s, 8)) | 0;
    v15 = turnRight(v15 ^ v0, 16);
    v10 = (v10 + v15) | 0;
    v5 = turnRight(v5 ^ v10, 12);
    v0 = (v0 + v5 + word(m, s, 9)) | 0;
    v15 = turnRight(v15 ^ v0, 8);
    v10 = (v10 + v15) | 0;
    v5 = turnRight(v5 ^ v10, 7);
    v1 = (v1 + v6 + word(m, s, 10)) | 0;
    v12 = turnRight(v12 ^ v1, 16);
    v11 = (v11 + v12) | 0;
    v6 = turnRight(v6 ^ v11, 12);
    v1 = (v1 + v6 + word(m, s, 11)) | 0;
    v12 = turnRight(v12 ^ v1, 8);
    v11 = (v11 + v12) | 0;
    v6 = turnRight(v6 ^ v11, 7);
    v2 = (v2 + v7 + word(m, s, 12)) | 0;
    v13 = turnRight(v13 ^ v2, 16);
    v8 = (v8 + v13) | 0;
    v7 = turnRight(v7 ^ v8, 12);
    v2 = (v2 + v7 + word(m, s, 13)) | 0;
    v13 = turnRight(v13 ^ v2, 8);
    v8 = (v8 + v13) | 0;
    v7 = turnRight(v7 ^ v8, 7);
    v3 = (v3 + v4 + word(m, s, 14)) | 0;
    v14 = turnRight(v14 ^ v3, 16);
    v9 = (v9 + v14) | 0;
    v4 = turnRight(v4 ^ v9, 12);
    v3 = (v3 + v4 + word(m, s, 15)) | 0;
    v14 = turnRight(v14 ^ v3, 8);
    v9 = (v9 + v14) | 0;
    v4 = turnRight(v4 ^ v9, 7);
  }
  const next = new Uint32Array(8);
  next[0] = (state[0] ?? 0) ^ v0 ^ v8;
  next[1] = (state[1] ?? 0) ^ v1 ^ v9;
  next[2] = (state[2] ?? 0) ^ v2 ^ v10;
  next[3] = (state[3] ?? 0) ^ v3 ^ v11;
  next[4] = (state[4] ?? 0) ^ v4 ^ v12;
  next[5] = (state[5] ?? 0) ^ v5 ^ v13;
  next[6] = (state[6] ?? 0) ^ v6 ^ v14;
  next[7] = (state[7] ?? 0) ^ v7 ^ v15;
  return next;
}

function word(m: readonly number[], sigma: readonly number[], index: number): number {
  return m[sigma[index] ?? 0] ?? 0;
}

function turnRight(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}
