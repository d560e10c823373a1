/** Sessions that get the same jobs, by their speed: a late job costs a fast rig most, so it is written to first. */
import type { JobTaker } from '../session/session-parts.js';

export class Audience {
  /** Those of like speed, within a factor of two; the fastest last. */
  readonly #ranks: (Set<JobTaker> | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(session: JobTaker, rank: number): void {
    const sessions = this.#ranks[rank] ?? new Set();
    this.#ranks[rank] = sessions.add(session);
    this.#size++;
  }

  remove(session: JobTaker, rank: number): void {
    if (this.#ranks[rank]?.delete(session)) this.#size--;
  }

  /** Fastest first, as it is now. Who leaves one meanwhile is passed over. */
  get ranks(): ReadonlySet<JobTaker>[] {
    return this.#ranks.filter((rank) => rank !== undefined).reverse();
  }
}

/** 0 while nothing is known. */
export function rankOf(hashesPerSecond: number): number {
  return hashesPerSecond < 1 ? 0 : 1 + Math.floor(Math.log2(hashesPerSecond));
}
