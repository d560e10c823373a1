/** What is owed at most: the rate of so many seconds. */
export const MAX_DEBT_SECONDS = 10;

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
