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

const IV = Uint32Array.of(
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
  const state = Uint32Array.from(IV);
  state[0] = (IV[0] ?? 0) ^ PARAMETERS;
  for (let offset = 0; offset < MIDSTATE_BYTES; offset += BLOCK_BYTES) {
    compress(state, header.subarray(offset, offset + BLOCK_BYTES), offset + BLOCK_BYTES, false);
  }
  return state as Midstate;
}

/**
 * The 32 hash bytes of a message whose first 256 bytes gave `midstate`.
 *
 * @param tail what follows them: 1 to 64 bytes (30 for a header of 286).
 */
export function finishHash(midstate: Midstate, tail: Uint8Array): Uint8Array {
  const state = Uint32Array.from(midstate);
  compress(state, tail, MIDSTATE_BYTES + tail.length, true);
  const hash = new Uint8Array(32);
  const view = new DataView(hash.buffer);
  for (let i = 0; i < 8; i++) view.setUint32(i * 4, state[i] ?? 0, true);
  return hash;
}

function compress(state: Uint32Array, block: Uint8Array, bytesSoFar: number, last: boolean): void {
  const m = wordsOf(block);
  const v = new Uint32Array(16);
  v.set(state, 0);
  v.set(IV, 8);
  v[12] = (v[12] ?? 0) ^ bytesSoFar;
  if (last) v[14] = ~(v[14] ?? 0);
  for (const row of SIGMA) round(v, m, row);
  for (let i = 0; i < 8; i++) state[i] = (state[i] ?? 0) ^ (v[i] ?? 0) ^ (v[i + 8] ?? 0);
}

function wordsOf(block: Uint8Array): Uint32Array {
  const padded = new Uint8Array(BLOCK_BYTES);
  padded.set(block);
  const view = new DataView(padded.buffer);
  return Uint32Array.from({ length: 16 }, (_, i) => view.getUint32(i * 4, true));
}

function round(v: Uint32Array, m: Uint32Array, s: readonly number[]): void {
  const word = (i: number): number => m[s[i] ?? 0] ?? 0;
  mix(v, 0, 4, 8, 12, word(0), word(1));
  mix(v, 1, 5, 9, 13, word(2), word(3));
  mix(v, 2, 6, 10, 14, word(4), word(5));
  mix(v, 3, 7, 11, 15, word(6), word(7));
  mix(v, 0, 5, 10, 15, word(8), word(9));
  mix(v, 1, 6, 11, 12, word(10), word(11));
  mix(v, 2, 7, 8, 13, word(12), word(13));
  mix(v, 3, 4, 9, 14, word(14), word(15));
}

function mix(v: Uint32Array, a: number, b: number, c: number, d: number, x: number, y: number): void {
  let va = v[a] ?? 0;
  let vb = v[b] ?? 0;
  let vc = v[c] ?? 0;
  let vd = v[d] ?? 0;
  va = (va + vb + x) | 0;
  vd = rotateRight(vd ^ va, 16);
  vc = (vc + vd) | 0;
  vb = rotateRight(vb ^ vc, 12);
  va = (va + vb + y) | 0;
  vd = rotateRight(vd ^ va, 8);
  vc = (vc + vd) | 0;
  vb = rotateRight(vb ^ vc, 7);
  v[a] = va;
  v[b] = vb;
  v[c] = vc;
  v[d] = vd;
}

function rotateRight(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}
