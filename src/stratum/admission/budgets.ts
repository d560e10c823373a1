/** What budgets are counted with: a rate with a burst on top, and what happened within the last while. */

/** What is owed at most: the rate of so many seconds. */
const MAX_DEBT_SECONDS = 10;

/** A token bucket: so many at a steady rate, with a burst on top. */
export class Throttle {
  #perSecond: number;
  #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** From now on; what is owed stays owed. */
  change(perSecond: number, burst: number): void {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Whether there is one to take. */
  has(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#tokens >= 1;
  }

  /** Takes one; false when there is none left. */
  take(nowMs: number): boolean {
    if (!this.has(nowMs)) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes so much of what has been used already; returns the seconds until what is missing has come. */
  charge(amount: number, nowMs: number): number {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - amount, -MAX_DEBT_SECONDS * this.#perSecond);
    return this.#tokens < 0 ? -this.#tokens / this.#perSecond : 0;
  }

  giveBack(amount: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + amount);
  }

  /** Seconds until nothing is owed. */
  owedSeconds(nowMs: number): number {
    return this.charge(0, nowMs);
  }

  #refill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passedMs * this.#perSecond) / 1000);
    this.#atMs = nowMs;
  }
}

/** What a count or a peak holds, as plain data: of the half that is over, and of that which runs. */
export type Halves = readonly [before: number, current: number];

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

  /** For {@link goOn}. */
  kept(nowMs: number): Halves {
    this.#turnTo(nowMs);
    return [this.#before, this.#current];
  }

  /** With what was kept at that time. */
  goOn([before, current]: Halves, atMs: number): void {
    this.#turnTo(atMs);
    this.#before = before;
    this.#current = current;
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

  /** For {@link goOn}. */
  kept(nowMs: number): Halves {
    this.#turnTo(nowMs);
    return [this.#before, this.#current];
  }

  /** With what was kept at that time. */
  goOn([before, current]: Halves, atMs: number): void {
    this.#turnTo(atMs);
    this.#before = before;
    this.#current = current;
  }

  /** So many of those that were seen are to count no more. */
  lower(by: number): void {
    this.#before = Math.max(0, this.#before - by);
    this.#current = Math.max(0, this.#current - by);
  }

  #turnTo(nowMs: number): void {
    const half = Math.floor(nowMs / this.#halfMs);
    if (half === this.#half) return;
    this.#before = half === this.#half + 1 ? this.#current : 0;
    this.#current = 0;
    this.#half = half;
  }
}
