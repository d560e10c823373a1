/** Hashes a second over a sliding window. */

interface Sample {
  readonly atMs: number;
  readonly hashes: number;
}

const DEFAULT_WINDOW_MS = 10_000;
/** With batches of 50 ms this holds the window; shorter ones shorten it. */
const MAX_SAMPLES = 400;

export class HashRateMeter {
  readonly #windowMs: number;
  readonly #samples: Sample[] = [];
  #sinceMs: number;

  constructor(nowMs: number, windowMs: number = DEFAULT_WINDOW_MS) {
    this.#windowMs = windowMs;
    this.#sinceMs = nowMs;
  }

  add(hashes: number, nowMs: number): void {
    this.#samples.push({ atMs: nowMs, hashes });
    this.#forget(nowMs);
  }

  hashesPerSecond(nowMs: number): number {
    this.#forget(nowMs);
    const hashes = this.#samples.reduce((sum, sample) => sum + sample.hashes, 0);
    const elapsedMs = nowMs - this.#sinceMs;
    return elapsedMs > 0 ? (hashes * 1000) / elapsedMs : 0;
  }

  #forget(nowMs: number): void {
    while (this.#samples.length > MAX_SAMPLES) this.#dropOldest();
    while (this.#samples[0] && this.#samples[0].atMs < nowMs - this.#windowMs) this.#dropOldest();
    this.#sinceMs = Math.max(this.#sinceMs, nowMs - this.#windowMs);
  }

  #dropOldest(): void {
    const oldest = this.#samples.shift();
    if (oldest) this.#sinceMs = Math.max(this.#sinceMs, oldest.atMs);
  }
}
