/**
 * Hash rate as shares show it: the work of accepted shares, as issued, over the last minutes.
 *
 * Shares come by chance, so the rate has a standard error: with shares of difficulties d_i in the time T the rate is
 * sum(d_i) / T and its error sqrt(sum(d_i^2)) / T, that is one over the root of their number when all are equal.
 */

export const HASH_RATE_WINDOWS_MS = [60_000, 300_000, 900_000, 3_600_000] as const;
const SLOTS = 12;

export interface HashRate {
  readonly windowMs: number;
  readonly hashesPerSecond: number;
  readonly standardError: number;
}

/** Rings of slots, one a window: about 1 kB whatever happens. */
export class HashRateMeter {
  /** For each window a ring of work and a ring of squared difficulties. */
  readonly #sums = new Float64Array(HASH_RATE_WINDOWS_MS.length * 2 * SLOTS);
  readonly #slots: number[];
  readonly #startedAtMs: number;

  constructor(nowMs: number) {
    this.#startedAtMs = nowMs;
    this.#slots = HASH_RATE_WINDOWS_MS.map((windowMs) => slotAt(windowMs, nowMs));
  }

  /** An accepted share; `difficulty` in expected hashes. */
  add(difficulty: number, nowMs: number): void {
    HASH_RATE_WINDOWS_MS.forEach((windowMs, window) => {
      const place = this.#turnTo(window, windowMs, nowMs) % SLOTS;
      this.#ring(window, 0)[place] = (this.#ring(window, 0)[place] ?? 0) + difficulty;
      this.#ring(window, 1)[place] = (this.#ring(window, 1)[place] ?? 0) + difficulty * difficulty;
    });
  }

  rates(nowMs: number): HashRate[] {
    return HASH_RATE_WINDOWS_MS.map((windowMs, window) => {
      const slot = this.#turnTo(window, windowMs, nowMs);
      // The slot in progress is part of the window, so what is covered is a little less than the whole.
      const coveredMs = nowMs - (slot - SLOTS + 1) * (windowMs / SLOTS);
      const seconds = Math.max(1000, Math.min(coveredMs, nowMs - this.#startedAtMs)) / 1000;
      return {
        windowMs,
        hashesPerSecond: sum(this.#ring(window, 0)) / seconds,
        standardError: Math.sqrt(sum(this.#ring(window, 1))) / seconds,
      };
    });
  }

  #ring(window: number, kind: 0 | 1): Float64Array {
    const from = (2 * window + kind) * SLOTS;
    return this.#sums.subarray(from, from + SLOTS);
  }

  /** The slot in progress. A clock that went back changes nothing until it has caught up. */
  #turnTo(window: number, windowMs: number, nowMs: number): number {
    const slot = slotAt(windowMs, nowMs);
    const before = this.#slots[window] ?? slot;
    for (let i = 1; i <= Math.min(SLOTS, slot - before); i++) {
      this.#ring(window, 0)[(before + i) % SLOTS] = 0;
      this.#ring(window, 1)[(before + i) % SLOTS] = 0;
    }
    const current = Math.max(slot, before);
    this.#slots[window] = current;
    return current;
  }
}

function slotAt(windowMs: number, nowMs: number): number {
  return Math.floor((nowMs * SLOTS) / windowMs);
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
