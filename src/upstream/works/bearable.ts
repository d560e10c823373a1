/** How many chains a node can bear to be asked for, by what it has refused. */

/** A node that refused a stream is not asked for more of them for so long. */
const STREAMLESS_MS = 300_000;

export class Bearable {
  readonly #now: () => number;
  #chains = Number.POSITIVE_INFINITY;
  /** When the node refused a stream last. */
  #streamlessAtMs = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds, rising. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get chains(): number {
    return this.#chains;
  }

  get lacksStreams(): boolean {
    return this.#now() - this.#streamlessAtMs < STREAMLESS_MS;
  }

  refusedStream(): void {
    this.#streamlessAtMs = this.#now();
  }

  atMost(chains: number): void {
    this.#chains = Math.max(1, chains);
  }

  /** More again, where as many as now are `served` and more are `wished`. */
  grow(served: number, wished: number): void {
    if (this.#chains < wished && !this.lacksStreams && served >= this.#chains) this.#chains *= 2;
  }
}
