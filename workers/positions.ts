/** How far a search has come with each header and nonce1, so that no nonce is tried twice, whatever comes again. */
import { nonce2Count, type Puzzle } from './search.js';

/** Jobs of several chains, and later creation times of each, come in turn; of a bridge's CPU, for each thread. */
const MAX_REMEMBERED = 4096;

export class SearchPositions {
  readonly #next = new Map<string, number>();

  /** The next part of a puzzle's nonces, at most `count`; `undefined` when none are left. */
  take({ header, nonce1, nonce1Bytes }: Puzzle, count: number): { first: number; count: number } | undefined {
    const key = `${nonce1Bytes}/${nonce1}/${Buffer.from(header).toString('latin1')}`;
    const first = this.#next.get(key) ?? 0;
    const length = Math.min(count, nonce2Count(nonce1Bytes) - first);
    this.#next.delete(key);
    this.#next.set(key, first + length);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MAX_REMEMBERED && oldest !== undefined) this.#next.delete(oldest);
    return length > 0 ? { first, count: length } : undefined;
  }
}
