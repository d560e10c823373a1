/** What is odd about a node's answers: wishes that it does not heed, and works that something in between repeats. */
import type { Work } from '../../core/work/work.js';

/** So many are needed to doubt it: a chain that cannot be mined is nothing unusual. */
const LEAST_IGNORED = 5;
/** Each wish that is heeded outweighs so many that are not. */
const WEIGHT = 2;
/** What is long ago counts less and less. */
const REMEMBERED = 40;

/**
 * Whether a node heeds the wish for a chain. One that does hands out another chain only when the wished one cannot be
 * mined, so what is held of that is dead. One that does not (a balancer or an old proxy drops the query) says nothing by it.
 */
export class HintTrust {
  #heeded = 0;
  #ignored = 0;

  get isDoubtful(): boolean {
    return this.#ignored >= LEAST_IGNORED && this.#ignored > WEIGHT * this.#heeded;
  }

  saw(isHeeded: boolean): void {
    if (isHeeded) this.#heeded++;
    else this.#ignored++;
    if (this.#heeded + this.#ignored < REMEMBERED) return;
    this.#heeded /= 2;
    this.#ignored /= 2;
  }
}

/** Caches keep answers for a second at least; a node's clock ticks in microseconds. */
export const APART_MS = 1_500;
/** One repetition may be a node whose clock stands; chance gives no two. */
const REPETITIONS = 2;

/**
 * Sees that something in between repeats a node's answers: a node stamps every work with its clock as it hands it out,
 * so two fetches a while apart never have the same creation time.
 */
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
