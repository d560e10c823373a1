/**
 * How many sessions are on each live chain. Written by who spreads sessions over chains, read by who chooses the chains to
 * work on; neither knows the other.
 */
export class SessionCounts {
  readonly #counts = new Map<number, number>();

  /** Live chain -> its sessions. */
  get counts(): ReadonlyMap<number, number> {
    return this.#counts;
  }

  on(chainId: number): number {
    return this.#counts.get(chainId) ?? 0;
  }

  /** The chain is live, and nobody is on it yet. */
  begin(chainId: number): void {
    this.#counts.set(chainId, 0);
  }

  /** The chain is live no more. */
  end(chainId: number): void {
    this.#counts.delete(chainId);
  }

  joined(chainId: number): void {
    this.#counts.set(chainId, this.on(chainId) + 1);
  }

  left(chainId: number): void {
    this.#counts.set(chainId, Math.max(0, this.on(chainId) - 1));
  }
}
