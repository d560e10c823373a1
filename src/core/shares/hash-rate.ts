/**
 * Hash rate as shares show it: the work of accepted shares, as issued, over the last minutes, and over a day.
 *
 * Shares come by chance, so the rate has a standard error: with shares of difficulties d_i in the time T the rate is
 * sum(d_i) / T and its error sqrt(sum(d_i^2)) / T, that is one over the root of their number when all are equal.
 */

const HASH_RATE_WINDOWS_MS = [60_000, 300_000, 900_000, 3_600_000, 86_400_000] as const;
export type WindowMs = (typeof HASH_RATE_WINDOWS_MS)[number];
/** Without the day: each window costs 0.1 kB, and there are many sessions. */
export const SESSION_WINDOWS_MS = [60_000, 300_000, 900_000, 3_600_000] as const;
const SLOTS = 12;
/** The window by which rigs are compared: long enough to hold some shares, short enough to follow. */
const STEADY_WINDOW = 1;
/** Sums are kept in units of this many hashes, so that the squares of thousands of difficulties up to 2^80 fit into a single. */
const UNIT = 2 ** 24;

/** A meter as plain data, for the next start of the bridge. */
export interface KeptMeter {
  readonly windowsMs: readonly number[];
  /** How long ago it was begun. */
  readonly forMs: number;
  /** How long ago the slot in progress of each window began. */
  readonly slotsMs: readonly number[];
  /** For each window a ring of work and a ring of squares, the slot in progress last. */
  readonly sums: Float32Array;
}

export interface HashRate {
  readonly windowMs: number;
  readonly hashesPerSecond: number;
  readonly standardError: number;
}

/**
 * Rings of slots, one a window: about 0.8 kB for all windows whatever happens. Singles, because there is one for each of many
 * sessions. What comes within a slot of the shortest window, which lies within one of each other, is summed up first: most
 * shares touch two numbers.
 */
export class HashRateMeter {
  /** For each window a ring of work and a ring of squared difficulties. */
  readonly #sums: Float32Array;
  readonly #windows: readonly number[];
  readonly #slots: number[];
  readonly #startedAtMs: number;
  /** In units, of the shares since {@link #openAtMs} that are in no ring yet. */
  #open = 0;
  #openSquares = 0;
  #openAtMs = 0;
  #openUntilMs = 0;

  constructor(nowMs: number, windows: readonly number[] = HASH_RATE_WINDOWS_MS) {
    this.#startedAtMs = nowMs;
    this.#windows = windows;
    this.#sums = new Float32Array(windows.length * 2 * SLOTS);
    this.#slots = windows.map((windowMs) => slotAt(windowMs, nowMs));
  }

  /**
   * One that goes on where that was kept. Throws RangeError for what no meter keeps.
   *
   * @param agoMs since it was kept.
   */
  static of({ windowsMs, forMs, slotsMs, sums }: KeptMeter, agoMs: number, nowMs: number): HashRateMeter {
    const meter = new HashRateMeter(nowMs - agoMs - forMs, windowsMs);
    if (sums.length !== meter.#sums.length || slotsMs.length !== windowsMs.length)
      throw new RangeError('no meter keeps so many sums');
    windowsMs.forEach((windowMs, window) => {
      const middleMs = windowMs / SLOTS / 2;
      const slot = slotAt(windowMs, nowMs - agoMs - (slotsMs[window] ?? 0) + middleMs);
      meter.#slots[window] = slot;
      for (const ring of [2 * window * SLOTS, (2 * window + 1) * SLOTS])
        for (let i = 0; i < SLOTS; i++) meter.#sums[ring + ((slot + 1 + i) % SLOTS)] = sums[ring + i] ?? 0;
    });
    return meter;
  }

  kept(nowMs: number): KeptMeter {
    this.#close();
    const slotsMs = this.#windows.map((windowMs, window) => {
      this.#turnTo(window, nowMs);
      return Math.max(0, nowMs - ((this.#slots[window] ?? 0) * windowMs) / SLOTS);
    });
    const sums = new Float32Array(this.#sums.length);
    for (let begin = 0; begin < sums.length; begin += SLOTS) {
      const slot = this.#slots[Math.floor(begin / SLOTS / 2)] ?? 0;
      const oldest = begin + ((slot + 1) % SLOTS);
      sums.set(this.#sums.subarray(oldest, begin + SLOTS), begin);
      sums.set(this.#sums.subarray(begin, oldest), 2 * begin + SLOTS - oldest);
    }
    return { windowsMs: this.#windows, forMs: nowMs - this.#startedAtMs, slotsMs, sums };
  }

  /** An accepted share; `difficulty` in expected hashes. */
  add(difficulty: number, nowMs: number): void {
    if (nowMs >= this.#openUntilMs || nowMs < this.#openAtMs) {
      this.#close();
      const slotMs = (this.#windows[0] ?? 0) / SLOTS;
      this.#openAtMs = nowMs;
      this.#openUntilMs = (Math.floor(nowMs / slotMs) + 1) * slotMs;
    }
    this.#open += difficulty / UNIT;
    this.#openSquares += (difficulty * difficulty) / (UNIT * UNIT);
  }

  rates(nowMs: number): HashRate[] {
    this.#close();
    return this.#windows.map((windowMs, window) => {
      // First: it clears what is over.
      const seconds = this.#secondsCovered(window, nowMs);
      return {
        windowMs,
        hashesPerSecond: (this.#sumFrom(2 * window * SLOTS) * UNIT) / seconds,
        standardError: (Math.sqrt(this.#sumFrom((2 * window + 1) * SLOTS)) * UNIT) / seconds,
      };
    });
  }

  /** Over the last five minutes. */
  steadyRate(nowMs: number): number {
    return this.#rateOf(STEADY_WINDOW, nowMs);
  }

  /** Over one window alone; 0 for one that is not counted. */
  rateOver(windowMs: WindowMs, nowMs: number): number {
    const window = this.#windows.indexOf(windowMs);
    return window === -1 ? 0 : this.#rateOf(window, nowMs);
  }

  /** What is summed up goes to the rings. */
  #close(): void {
    if (this.#open === 0) return;
    for (let window = 0; window < this.#windows.length; window++) {
      const work = 2 * window * SLOTS + (this.#turnTo(window, this.#openAtMs) % SLOTS);
      const squares = work + SLOTS;
      this.#sums[work] = (this.#sums[work] ?? 0) + this.#open;
      this.#sums[squares] = (this.#sums[squares] ?? 0) + this.#openSquares;
    }
    this.#open = 0;
    this.#openSquares = 0;
  }

  #rateOf(window: number, nowMs: number): number {
    this.#close();
    const seconds = this.#secondsCovered(window, nowMs);
    return (this.#sumFrom(2 * window * SLOTS) * UNIT) / seconds;
  }

  /** The slot in progress is part of the window, so what is covered is a little less than the whole. */
  #secondsCovered(window: number, nowMs: number): number {
    const slotMs = (this.#windows[window] ?? 0) / SLOTS;
    const coveredMs = nowMs - (this.#turnTo(window, nowMs) - SLOTS + 1) * slotMs;
    return Math.max(1000, Math.min(coveredMs, nowMs - this.#startedAtMs)) / 1000;
  }

  #sumFrom(start: number): number {
    let sum = 0;
    for (let i = start; i < start + SLOTS; i++) sum += this.#sums[i] ?? 0;
    return sum;
  }

  /** The slot in progress. A clock that went back changes nothing until it has caught up. */
  #turnTo(window: number, nowMs: number): number {
    const slot = slotAt(this.#windows[window] ?? 0, nowMs);
    const before = this.#slots[window] ?? slot;
    for (let i = 1; i <= Math.min(SLOTS, slot - before); i++) {
      const work = 2 * window * SLOTS + ((before + i) % SLOTS);
      this.#sums[work] = 0;
      this.#sums[work + SLOTS] = 0;
    }
    const current = Math.max(slot, before);
    this.#slots[window] = current;
    return current;
  }
}

function slotAt(windowMs: number, nowMs: number): number {
  return Math.floor((nowMs * SLOTS) / windowMs);
}
