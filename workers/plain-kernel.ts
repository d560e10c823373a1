/** The kernel that runs wherever Node.js does, on an audited hash: slow (a few hundred thousand hashes a second). */
import { blake2s } from '@noble/hashes/blake2.js';
import { MIDSTATE_BYTES } from '../src/core/bytes/blake2s.js';
import { viewOf } from '../src/core/bytes/bytes.js';
import { COUNTED_WORD_OFFSET, type Kernel } from './kernel.js';

const TOP_WORD_OFFSET = 28;

export function createPlainKernel(): Kernel {
  let start = blake2s.create();
  let tail = new Uint8Array();
  let limit = 0;
  const topWordOf = (word: number): number => {
    viewOf(tail).setUint32(COUNTED_WORD_OFFSET - MIDSTATE_BYTES, word, true);
    return viewOf(start.clone().update(tail).digest()).getUint32(TOP_WORD_OFFSET, true);
  };
  return {
    name: 'plain',
    prepare(header, topWord) {
      start = blake2s.create().update(header.slice(0, MIDSTATE_BYTES));
      tail = header.slice(MIDSTATE_BYTES);
      limit = topWord;
    },
    firstCandidate(first, step, count) {
      for (let i = 0; i < count; i++) {
        if (topWordOf((first + Math.imul(i, step)) >>> 0) <= limit) return i;
      }
      return count;
    },
  };
}
