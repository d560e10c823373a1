const SLOTS = 60;

/** Sum of the last `windowMs` in a ring of slots: constant memory whatever happens. */
export class RateWindow {
  readonly #windowMs: number;
  readonly #startedAtMs: number;
  readonly #sums = new Float64Array(SLOTS);
  #newestSlot: number;

  constructor(windowMs: number, nowMs: number) {
    this.#windowMs = windowMs;
    this.#startedAtMs = nowMs;
    this.#newestSlot = this.#slotAt(nowMs);
  }

  add(nowMs: number, amount: number): void {
    this.#turnTo(nowMs);
    const index = this.#newestSlot % SLOTS;
    this.#sums[index] = (this.#sums[index] ?? 0) + amount;
  }

  /** Amount a second, over the window or the time since the start if that is shorter. */
  perSecond(nowMs: number): number {
    this.#turnTo(nowMs);
    const elapsedMs = Math.min(this.#windowMs, Math.max(1000, nowMs - this.#startedAtMs));
    return (this.#sums.reduce((sum, amount) => sum + amount, 0) * 1000) / elapsedMs;
  }

  /** A clock that went back changes nothing until it has caught up. */
  #turnTo(nowMs: number): void {
    const slot = this.#slotAt(nowMs);
    if (slot - this.#newestSlot >= SLOTS) this.#sums.fill(0);
    else for (let passed = this.#newestSlot + 1; passed <= slot; passed++) this.#sums[passed % SLOTS] = 0;
    this.#newestSlot = Math.max(this.#newestSlot, slot);
  }

  #slotAt(nowMs: number): number {
    return Math.floor((nowMs * SLOTS) / this.#windowMs);
  }
}
