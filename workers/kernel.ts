/**
 * What every kernel does: look through nonces of one header for hashes that may meet a target.
 *
 * The nonce is the header's bytes 278..285. The first 256 bytes are hashed once (midstate); of the 30 that are left,
 * read as little-endian words, word 5 ends with the nonce's lowest two bytes, word 6 (header bytes 280..283) is the
 * nonce's middle and word 7 begins with its highest two. A kernel counts in word 6 alone; who calls it moves the rest.
 *
 *     tail word   5: .. .. n0 n1   6: n2 n3 n4 n5   7: n6 n7 .. ..
 *
 * A kernel compares only the top word of the hash with that of the target, so what it finds is a candidate; the exact
 * comparison of all 256 bits is the caller's (search.ts).
 */

/** Compiled from C at install where that can be done; by the processor's vector instructions. */
export const NATIVE_KERNEL_NAMES = ['avx512', 'avx2'] as const;
export type NativeKernelName = (typeof NATIVE_KERNEL_NAMES)[number];

/** Native ones, WebAssembly with SIMD, and without, which runs wherever Node.js has WebAssembly. Their order says nothing of speed. */
export const KERNEL_NAMES = [...NATIVE_KERNEL_NAMES, 'simd', 'scalar'] as const;
export type KernelName = (typeof KERNEL_NAMES)[number];

export const COUNTED_WORD_OFFSET = 280;
export const WORDS = 2 ** 32;

export interface Kernel {
  readonly name: KernelName;
  /**
   * Takes up a header (286 bytes; bytes 280..283 are ignored).
   *
   * @param topWord the highest 32 bits of the target.
   */
  prepare(header: Uint8Array, topWord: number): void;
  /**
   * The lowest index below `count` whose hash has a top word of at most `topWord`, or `count` when there is none.
   * Index i stands for the counted word (first + i * step) mod 2^32.
   *
   * @param first unsigned 32 bits.
   * @param step unsigned 32 bits.
   * @param count up to 2^31 - 1.
   */
  firstCandidate(first: number, step: number, count: number): number;
}
