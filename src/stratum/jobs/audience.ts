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

  /** Fastest first. Who leaves meanwhile is passed over. */
  each(visit: (session: JobTaker) => void): void {
    for (let rank = this.#ranks.length - 1; rank >= 0; rank--) this.#ranks[rank]?.forEach(visit);
  }
}

/** 0 while nothing is known. */
export function rankOf(hashesPerSecond: number): number {
  return hashesPerSecond < 1 ? 0 : 1 + Math.floor(Math.log2(hashesPerSecond));
}
