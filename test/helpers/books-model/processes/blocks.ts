/** Blocks that bridges find: what a test knows of each by its number, and the bridge too. */
import { blockHashOf } from '../../../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../../../src/core/bytes/bytes.js';
import type { Solution } from '../../../../src/core/shares/share.js';
import { makeSolution } from '../../rigs/solutions.js';
import type { Find } from './words.js';

export const CHAIN_ID = 3;
/** First bytes of payloads' hashes: 99 is another's block, see chain.ts. */
const PAYLOADS = 99;

export type Place = Pick<Find, 'number' | 'account' | 'height' | 'difficulty'>;

export function solutionOf({ number, account, height, difficulty }: Place, foundAtMs: number): Solution {
  const work = { chainId: CHAIN_ID, height, difficulty, payload: number % PAYLOADS };
  return makeSolution({ account, foundAtMs }, work, BigInt(number));
}

export const hashOf = (place: Place): string => toBase64Url(blockHashOf(solutionOf(place, 0).header));
