/**
 * What the fast kernels need of a header: its last block's words, and the state as far as the counted word does not
 * reach. Of the ten rounds of eight mixings each, the first three mixings take words 0 to 5 only, so they are the same
 * for every nonce of a call.
 */
import { IV, MIDSTATE_BYTES, midstateOf, wordsOf } from '../src/core/bytes/blake2s.js';
import { HEADER_BYTES } from '../src/core/work/header.js';

/** The block's words from this one on are padding, thus zero. */
export const USED_WORDS = 8;
export const COUNTED_WORD = 6;
/** Mixings of the first round that are done here. */
export const MIXINGS_DONE = 3;
/** The columns and diagonals of the state that the eight mixings of a round take. */
export const MIXINGS: readonly (readonly [a: number, b: number, c: number, d: number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

interface LastBlock {
  /** 16 words after the first three mixings. */
  readonly state: Uint32Array;
  /** 8 words; the counted one is zero. */
  readonly words: Uint32Array;
  /** Word 7 of the midstate: the top word of the hash is this ^ state 7 ^ state 15. */
  readonly topOfMidstate: number;
}

export function lastBlockOf(header: Uint8Array): LastBlock {
  const midstate = midstateOf(header);
  const words = Uint32Array.from(wordsOf(header, MIDSTATE_BYTES).slice(0, USED_WORDS));
  words[COUNTED_WORD] = 0;
  const state = Uint32Array.of(...midstate, ...IV);
  state[12] = (state[12] ?? 0) ^ HEADER_BYTES;
  state[14] = ~(state[14] ?? 0);
  for (const [i, [a, b, c, d]] of MIXINGS.slice(0, MIXINGS_DONE).entries()) {
    mix(state, a, b, c, d, words[2 * i] ?? 0, words[2 * i + 1] ?? 0);
  }
  return { state, words, topOfMidstate: midstate[7] ?? 0 };
}

/** RFC 7693 section 3.1: the mixing function on words a, b, c, d of the state. */
function mix(v: Uint32Array, a: number, b: number, c: number, d: number, x: number, y: number): void {
  const add = (to: number, from: number, word: number): void => {
    v[to] = (v[to] ?? 0) + (v[from] ?? 0) + word;
  };
  const turn = (word: number, by: number, bits: number): void => {
    const value = (v[word] ?? 0) ^ (v[by] ?? 0);
    v[word] = (value >>> bits) | (value << (32 - bits));
  };
  add(a, b, x);
  turn(d, a, 16);
  add(c, d, 0);
  turn(b, c, 12);
  add(a, b, y);
  turn(d, a, 8);
  add(c, d, 0);
  turn(b, c, 7);
}
