/** Counts what happened within the last while, in two halves, so that it costs three numbers. */
export class SlidingCount {
  readonly max: number;
  readonly #halfMs: number;
  #half = 0;
  #before = 0;
  #current = 0;

  constructor(max: number, windowMs: number) {
    this.max = max;
    this.#halfMs = windowMs / 2;
  }

  /** Counts one more, or so many; false when that makes more than the maximum. */
  add(nowMs: number, more = 1): boolean {
    this.#turnTo(nowMs);
    this.#current += more;
    return this.#before + this.#current <= this.max;
  }

  count(nowMs: number): number {
    this.#turnTo(nowMs);
    return this.#before + this.#current;
  }

  #turnTo(nowMs: number): void {
    const half = Math.floor(nowMs / this.#halfMs);
    if (half === this.#half) return;
    this.#before = half === this.#half + 1 ? this.#current : 0;
    this.#current = 0;
    this.#half = half;
  }
}

/** The highest that was seen within the last while, in two halves. */
export class SlidingPeak {
  readonly #halfMs: number;
  #half = 0;
  #before = 0;
  #current = 0;

  constructor(windowMs: number) {
    this.#halfMs = windowMs / 2;
  }

  see(value: number, nowMs: number): void {
    this.#turnTo(nowMs);
    this.#current = Math.max(this.#current, value);
  }

  max(nowMs: number): number {
    this.#turnTo(nowMs);
    return Math.max(this.#before, this.#current);
  }

  /** One of those that were seen is to count no more. */
  lower(): void {
    this.#before = Math.max(0, this.#before - 1);
    this.#current = Math.max(0, this.#current - 1);
  }

  #turnTo(nowMs: number): void {
    const half = Math.floor(nowMs / this.#halfMs);
    if (half === this.#half) return;
    this.#before = half === this.#half + 1 ? this.#current : 0;
    this.#current = 0;
    this.#half = half;
  }
}
