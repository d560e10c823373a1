/** Exact search for nonces over a kernel: which part of the nonce counts where, and the comparison of all 256 bits. */
import { finishHash, MIDSTATE_BYTES, type Midstate, midstateOf } from '../src/core/bytes/blake2s.js';
import { viewOf } from '../src/core/bytes/bytes.js';
import { HEADER_BYTES, NONCE_OFFSET } from '../src/core/work/header.js';
import { meetsTarget, TARGET_BYTES, type Target } from '../src/core/work/target.js';
import { COUNTED_WORD_OFFSET, type Kernel, WORDS } from './kernel.js';

/** Sizes of nonce1 that leave the counted word to nonce2, at least in part. */
export const MIN_NONCE1_BYTES = 2;
export const MAX_NONCE1_BYTES = 5;

const COUNTED_WORD_SHIFT = 2 ** 16;
const LAST_BYTES_OFFSET = 284;
const TOP_WORD_OFFSET = 28;
const LONGEST_CALL = 2 ** 31 - 1;

/** Nonces to try: those of `header` that end with `nonce1` (the low-order bytes). */
export interface Puzzle {
  /** 286 bytes; the nonce in it is ignored. */
  readonly header: Uint8Array;
  /** 32 bytes, lowest first. */
  readonly target: Uint8Array;
  readonly nonce1: number;
  /** 2 to 5; nonce2 has the others of 8. */
  readonly nonce1Bytes: number;
}

interface Scan {
  /** Nonces that were tried, from the first on. */
  readonly scanned: number;
  /** Values of nonce2 whose hash meets the target, rising. */
  readonly hits: readonly number[];
}

/** How many values nonce2 has beside a nonce1 of so many bytes: 2^24 to 2^48, exact in a double. */
export function nonce2Count(nonce1Bytes: number): number {
  return 2 ** (8 * (8 - nonce1Bytes));
}

export class NonceSearch {
  readonly #kernel: Kernel;
  readonly #header: Uint8Array;
  readonly #midstate: Midstate;
  readonly #target: Target;
  readonly #topWord: number;
  readonly #nonce1: number;
  /** By how much the counted word grows with nonce2. */
  readonly #step: number;
  /** Values of nonce2 until the counted word comes around and the last bytes move. */
  readonly #period: number;
  readonly #nonce2Count: number;
  #lastBytes = -1;

  /** Throws RangeError for a puzzle of other sizes. */
  constructor(kernel: Kernel, puzzle: Puzzle) {
    const { header, target, nonce1, nonce1Bytes } = puzzle;
    checkSizes(puzzle);
    this.#kernel = kernel;
    this.#header = Uint8Array.from(header);
    this.#midstate = midstateOf(header);
    this.#target = Uint8Array.from(target) as Target;
    this.#topWord = viewOf(target).getUint32(TOP_WORD_OFFSET, true);
    this.#nonce1 = nonce1;
    this.#step = 2 ** (8 * (nonce1Bytes - MIN_NONCE1_BYTES));
    this.#period = WORDS / this.#step;
    this.#nonce2Count = nonce2Count(nonce1Bytes);
    viewOf(this.#header).setUint16(NONCE_OFFSET, nonce1 % COUNTED_WORD_SHIFT, true);
  }

  /**
   * Tries `count` values of nonce2 from `first` on; ends early after `limit` hits, so that an easy target cannot fill
   * the memory. Throws RangeError beyond the last nonce2.
   */
  scan(first: number, count: number, limit: number): Scan {
    if (first < 0 || first + count > this.#nonce2Count) {
      throw new RangeError(`nonce2 ${first} to ${first + count - 1} is beyond ${this.#nonce2Count - 1}`);
    }
    const hits: number[] = [];
    let scanned = 0;
    while (scanned < count && hits.length < limit) {
      const nonce2 = first + scanned;
      const length = Math.min(count - scanned, this.#period - (nonce2 % this.#period), LONGEST_CALL);
      this.#setLastBytes(Math.floor(nonce2 / this.#period));
      const index = this.#kernel.firstCandidate(this.#countedWord(nonce2), this.#step, length);
      scanned += Math.min(index + 1, length);
      if (index < length && this.#meetsTarget(nonce2 + index)) hits.push(nonce2 + index);
    }
    return { scanned, hits };
  }

  #setLastBytes(value: number): void {
    if (value === this.#lastBytes) return;
    this.#lastBytes = value;
    viewOf(this.#header).setUint16(LAST_BYTES_OFFSET, value, true);
    this.#kernel.prepare(this.#header, this.#topWord);
  }

  #countedWord(nonce2: number): number {
    return ((nonce2 % this.#period) * this.#step + Math.floor(this.#nonce1 / COUNTED_WORD_SHIFT)) % WORDS;
  }

  #meetsTarget(nonce2: number): boolean {
    viewOf(this.#header).setUint32(COUNTED_WORD_OFFSET, this.#countedWord(nonce2), true);
    return meetsTarget(finishHash(this.#midstate, this.#header.subarray(MIDSTATE_BYTES)), this.#target);
  }
}

function checkSizes({ header, target, nonce1, nonce1Bytes }: Puzzle): void {
  if (header.length !== HEADER_BYTES) {
    throw new RangeError(`a header has ${HEADER_BYTES} bytes, not ${header.length}`);
  }
  if (target.length !== TARGET_BYTES) {
    throw new RangeError(`a target has ${TARGET_BYTES} bytes, not ${target.length}`);
  }
  const sizeFits =
    Number.isInteger(nonce1Bytes) && nonce1Bytes >= MIN_NONCE1_BYTES && nonce1Bytes <= MAX_NONCE1_BYTES;
  if (!sizeFits) {
    throw new RangeError(`nonce1 has ${MIN_NONCE1_BYTES} to ${MAX_NONCE1_BYTES} bytes, not ${nonce1Bytes}`);
  }
  if (!Number.isInteger(nonce1) || nonce1 < 0 || nonce1 >= 2 ** (8 * nonce1Bytes)) {
    throw new RangeError(`nonce1 is an unsigned integer of ${nonce1Bytes} bytes, not ${nonce1}`);
  }
}
