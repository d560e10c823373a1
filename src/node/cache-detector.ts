/**
 * Sees that something in between repeats a node's answers: a node stamps every work with its clock as it hands it out,
 * so two fetches a while apart never have the same creation time.
 */
import type { Work } from '../core/work.js';

/** Caches keep answers for a second at least; a node's clock ticks in microseconds. */
export const APART_MS = 1_500;
/** One repetition may be a node whose clock stands; chance gives no two. */
const REPETITIONS = 2;

export class CacheDetector {
  readonly #seen = new Map<number, { readonly creationTime: bigint; readonly atMs: number }>();
  #repetitions = 0;

  /** True when works have been repeated. */
  get sees(): boolean {
    return this.#repetitions >= REPETITIONS;
  }

  saw({ chainId, fields }: Work, nowMs: number): void {
    const { creationTime } = fields;
    const before = this.#seen.get(chainId);
    if (before?.creationTime !== creationTime) {
      if (before) this.#repetitions = 0;
      this.#seen.set(chainId, { creationTime, atMs: nowMs });
    } else if (nowMs - before.atMs >= APART_MS) this.#repetitions++;
  }
}
