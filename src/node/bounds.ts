/** Bounds of what may be asked (`node-interface.md`, section 8). A breach is a RangeError before anything is sent. */
import { hashModel } from './models.js';

const GREATEST_CHAIN = 19;
/** Upper, and lower, bounds of one branch; a real node refuses more. */
const MOST_BOUNDS = 32;
/** Of the keys of a batch beyond these, a real node silently leaves out. */
const MOST_OF_A_BATCH = 1000;
/** Request keys or transactions of one request to a mempool. */
const MOST_OF_A_MEMPOOL_LIST = 10_000;

export function checkChain(chainId: number): number {
  if (Number.isInteger(chainId) && chainId >= 0 && chainId <= GREATEST_CHAIN) return chainId;
  throw new RangeError(`a chain id is a whole number from 0 to ${GREATEST_CHAIN}, not ${chainId}`);
}

export function checkHash(hash: string, name: string): string {
  if (hashModel.safeParse(hash).success) return hash;
  throw new RangeError(`${name} must be 43 characters of Base64Url, not ${JSON.stringify(hash)}`);
}

export function checkHashes(hashes: readonly string[], name: string): readonly string[] {
  for (const [index, hash] of hashes.entries()) checkHash(hash, `${name}[${index}]`);
  return hashes;
}

export function checkWhole(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw new RangeError(`${name} must be a whole number from 0 on, not ${value}`);
}

export function checkBounds(hashes: readonly string[], name: string): readonly string[] {
  if (hashes.length <= MOST_BOUNDS) return checkHashes(hashes, name);
  throw new RangeError(`a branch has at most ${MOST_BOUNDS} ${name} bounds, not ${hashes.length}`);
}

export function checkBatch<T>(wanted: readonly T[]): readonly T[] {
  if (wanted.length <= MOST_OF_A_BATCH) return wanted;
  throw new RangeError(`a batch has at most ${MOST_OF_A_BATCH} payloads, not ${wanted.length}`);
}

export function checkMempoolList<T>(list: readonly T[], name: string): readonly T[] {
  if (list.length <= MOST_OF_A_MEMPOOL_LIST) return list;
  throw new RangeError(`at most ${MOST_OF_A_MEMPOOL_LIST} ${name} go into one request, not ${list.length}`);
}
