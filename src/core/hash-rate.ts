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

/** Rings of slots, one a window: about 1.6 kB whatever happens. */
export class HashRateMeter {
  readonly #windows: readonly Window[];

  constructor(nowMs: number) {
    this.#windows = HASH_RATE_WINDOWS_MS.map((windowMs) => new Window(windowMs, nowMs));
  }

  /** An accepted share; `difficulty` in expected hashes. */
  add(difficulty: number, nowMs: number): void {
    for (const window of this.#windows) window.add(difficulty, nowMs);
  }

  rates(nowMs: number): HashRate[] {
    return this.#windows.map((window) => window.rate(nowMs));
  }
}

class Window {
  readonly #windowMs: number;
  readonly #slotMs: number;
  readonly #startedAtMs: number;
  readonly #work = new Float64Array(SLOTS);
  readonly #squares = new Float64Array(SLOTS);
  #slot: number;

  constructor(windowMs: number, nowMs: number) {
    this.#windowMs = windowMs;
    this.#slotMs = windowMs / SLOTS;
    this.#startedAtMs = nowMs;
    this.#slot = Math.floor(nowMs / this.#slotMs);
  }

  add(difficulty: number, nowMs: number): void {
    this.#turnTo(nowMs);
    const index = this.#slot % SLOTS;
    this.#work[index] = (this.#work[index] ?? 0) + difficulty;
    this.#squares[index] = (this.#squares[index] ?? 0) + difficulty * difficulty;
  }

  rate(nowMs: number): HashRate {
    this.#turnTo(nowMs);
    // The slot in progress is part of the window, so what is covered is a little less than the whole.
    const covered = (SLOTS - 1) * this.#slotMs + (nowMs - this.#slot * this.#slotMs);
    const seconds = Math.max(1000, Math.min(covered, nowMs - this.#startedAtMs)) / 1000;
    return {
      windowMs: this.#windowMs,
      hashesPerSecond: sum(this.#work) / seconds,
      standardError: Math.sqrt(sum(this.#squares)) / seconds,
    };
  }

  /** A clock that went back changes nothing until it has caught up. */
  #turnTo(nowMs: number): void {
    const slot = Math.floor(nowMs / this.#slotMs);
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let i = 1; i <= passed; i++) {
      this.#work[(this.#slot + i) % SLOTS] = 0;
      this.#squares[(this.#slot + i) % SLOTS] = 0;
    }
    this.#slot = Math.max(slot, this.#slot);
  }
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
