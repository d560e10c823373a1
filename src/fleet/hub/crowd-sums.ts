/** How many sessions are on each live chain, over all fronts: as `Crowds` of one process. */
export class CrowdSums {
  /** Front -> its live chains with their sessions. */
  readonly #fronts = new Map<number, ReadonlyMap<number, number>>();

  on(chainId: number): number {
    let sum = 0;
    for (const counts of this.#fronts.values()) sum += counts.get(chainId) ?? 0;
    return sum;
  }

  told(front: number, counts: Iterable<readonly [chainId: number, sessions: number]>): void {
    this.#fronts.set(front, new Map(counts));
  }

  left(front: number): void {
    this.#fronts.delete(front);
  }
}
