/** Chance that repeats: the same seed gives the same numbers. */
import { createHash } from 'node:crypto';

const BYTES = 6;

/** Numbers in [0, 1), evenly spread. Each purpose has its own, so that one does not depend on how often others ask. */
export function seededRandom(seed: string, purpose: string): () => number {
  let count = 0;
  return () => {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, purpose, count++]))
      .digest();
    return digest.readUIntBE(0, BYTES) / 2 ** (8 * BYTES);
  };
}
