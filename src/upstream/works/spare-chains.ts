/**
 * Chains that are worked on and no longer wanted. Nobody begins on them any more; each is given up once nobody has been on
 * it for so long that late shares of its jobs have come. Until then these count: its cut still stands.
 */
export interface SpareChainsParts {
  /** How many work on the chain. */
  sessionsOn(chainId: number): number;
  readonly lateMs: number;
  /** Milliseconds, rising. */
  readonly now: () => number;
}

export class SpareChains {
  readonly #parts: SpareChainsParts;
  /** Chain -> since when nobody has been on it, as far as was looked. */
  readonly #idleSinceMs = new Map<number, number>();

  constructor(parts: SpareChainsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#idleSinceMs.size;
  }

  has(chainId: number): boolean {
    return this.#idleSinceMs.has(chainId);
  }

  /** Sets so many of these aside, those first that fewest work on; none comes before one that is less crowded. */
  setAside(chainIds: readonly number[], count: number): void {
    const wanted = chainIds.filter((chainId) => !this.has(chainId));
    for (const chainId of this.#fewestSessions(wanted).slice(0, count)) this.add(chainId);
  }

  /** Sets this one aside. */
  add(chainId: number): void {
    if (!this.has(chainId)) this.#idleSinceMs.set(chainId, this.#parts.now());
  }

  /** So many are wanted again, those first that most work on. */
  takeBack(count: number): void {
    const crowded = this.#fewestSessions([...this.#idleSinceMs.keys()]).reverse();
    for (const chainId of crowded.slice(0, count)) this.#idleSinceMs.delete(chainId);
  }

  /** It is wanted again, or given up. True when it was spare. */
  delete(chainId: number): boolean {
    return this.#idleSinceMs.delete(chainId);
  }

  clear(): void {
    this.#idleSinceMs.clear();
  }

  /** Those to give up now. */
  due(): number[] {
    const { sessionsOn, lateMs, now } = this.#parts;
    for (const chainId of this.#idleSinceMs.keys())
      if (sessionsOn(chainId) > 0) this.#idleSinceMs.set(chainId, now());
    return [...this.#idleSinceMs]
      .filter(([, sinceMs]) => now() - sinceMs >= lateMs)
      .map(([chainId]) => chainId);
  }

  #fewestSessions(chainIds: readonly number[]): number[] {
    const { sessionsOn } = this.#parts;
    return chainIds.toSorted((a, b) => sessionsOn(a) - sessionsOn(b));
  }
}
