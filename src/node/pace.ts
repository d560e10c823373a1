/** Bounds how often something is done: bursts pass at once, what goes on and on is spread out. */
export class Pace {
  readonly #intervalMs: number;
  readonly #burst: number;
  /** When the burst is wholly available again. */
  #fullAtMs = 0;

  /** @param intervalMs between two turns in the long run; @param burst turns that need not wait after a rest. */
  constructor(intervalMs: number, burst: number) {
    this.#intervalMs = intervalMs;
    this.#burst = burst;
  }

  /** Takes a turn. Returns how long to wait for it. */
  take(nowMs: number): number {
    this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#intervalMs;
    return Math.max(0, this.#fullAtMs - this.#burst * this.#intervalMs - nowMs);
  }
}
