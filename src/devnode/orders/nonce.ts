/** Looks for nonces on the node's own thread, in parts, so that it goes on answering. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kernel } from '../../../workers/kernel.js';
import { chooseKernel, createKernel } from '../../../workers/kernels.js';
import { NonceSearch } from '../../../workers/search.js';
import { viewOf } from '../../core/bytes/bytes.js';
import { HEADER_BYTES } from '../../core/work/header.js';
import { meetsTarget, targetFromBytes } from '../../core/work/target.js';
import { targetBytesOf } from '../consensus/block.js';
import { proofOfWorkHash } from '../consensus/header-rules.js';

const FIRST_PART = 1024;
/** A part takes up to twice this time. */
const PART_MS = 4;

/** How many of the nonces from `first` on were tried, and the first that solves. */
type Part = (
  first: number,
  count: number,
) => { readonly scanned: number; readonly nonce: bigint | undefined };

export class NonceFinder {
  #kernel: Kernel | undefined;

  /** The header with the lowest nonce, as the kernels count them, that solves it; `undefined` once it `isVoid`. */
  async solve(header: Uint8Array, isVoid: () => boolean): Promise<Uint8Array | undefined> {
    const search = this.#partsOf(header);
    let count = FIRST_PART;
    for (let first = 0; !isVoid(); await nextTurn()) {
      const begun = performance.now();
      const { scanned, nonce } = search(first, count);
      if (nonce !== undefined) return withNonce(header, nonce);
      first += scanned;
      if (performance.now() - begun < PART_MS) count *= 2;
    }
    return undefined;
  }

  /** The kernels know headers with three adjacents; other graphs are small and for tests. */
  #partsOf(header: Uint8Array): Part {
    if (header.length !== HEADER_BYTES) return (first, count) => plainPart(header, first, count);
    this.#kernel ??= createKernel(chooseKernel().name);
    const puzzle = { header, target: targetBytesOf(header), nonce1: 0, nonce1Bytes: 2 };
    const search = new NonceSearch(this.#kernel, puzzle);
    return (first, count) => {
      const { scanned, hits } = search.scan(first, count, 1);
      return { scanned, nonce: hits[0] === undefined ? undefined : BigInt(hits[0]) << 16n };
    };
  }
}

function plainPart(header: Uint8Array, first: number, count: number): ReturnType<Part> {
  const target = targetFromBytes(targetBytesOf(header));
  for (let nonce = first; nonce < first + count; nonce++) {
    const tried = withNonce(header, BigInt(nonce));
    if (meetsTarget(proofOfWorkHash(tried), target)) {
      return { scanned: nonce + 1 - first, nonce: BigInt(nonce) };
    }
  }
  return { scanned: count, nonce: undefined };
}

function withNonce(header: Uint8Array, nonce: bigint): Uint8Array {
  const solved = Uint8Array.from(header);
  viewOf(solved).setBigUint64(solved.length - 8, nonce, true);
  return solved;
}
