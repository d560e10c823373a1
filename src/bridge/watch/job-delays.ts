/**
 * How fresh jobs are: how long each took from what led to it being heard to the last session. Counted by size and minute, until
 * the books have them. A size is known to a fifth.
 */
import type { BridgeEvents } from '../events.js';
import type { Clock } from '../ports.js';

const SMALLEST_MS = 0.1;
/** Sizes in a doubling. */
const PER_OCTAVE = 4;
/** Up to 0.1 ms times 2^20: two minutes. */
export const DELAY_SIZES = 20 * PER_OCTAVE;

const MINUTE_MS = 60_000;
/** That are kept for the books while they are away; then the oldest are forgotten. */
const MOST_MINUTES = 24 * 60;

/** What came in one minute. */
export interface DelayMinute {
  /** The middle of the minute, milliseconds since the epoch. */
  readonly atMs: number;
  /** By size, {@link DELAY_SIZES} of them. */
  readonly counts: readonly number[];
}

export class JobDelays {
  readonly #clock: Clock;
  readonly #minutes = new Map<number, number[]>();

  constructor(events: BridgeEvents, clock: Clock) {
    this.#clock = clock;
    const count = (delayMs: number): void => this.#count(delayMs);
    events.on('jobSent', (_job, delayMs) => count(delayMs));
    events.on('chainsRetired', (_chainIds, delayMs) => count(delayMs));
  }

  /** All that came since the last time: who takes them keeps them, or gives them back. */
  take(): DelayMinute[] {
    const taken = [...this.#minutes].map(([minute, counts]) => ({
      atMs: (minute + 0.5) * MINUTE_MS,
      counts,
    }));
    this.#minutes.clear();
    return taken;
  }

  giveBack(minutes: readonly DelayMinute[]): void {
    // The oldest come first again.
    const newer = [...this.#minutes];
    this.#minutes.clear();
    for (const { atMs, counts } of minutes) this.#add(Math.floor(atMs / MINUTE_MS), counts);
    for (const [minute, counts] of newer) this.#add(minute, counts);
  }

  #count(delayMs: number): void {
    const counts = this.#of(Math.floor(this.#clock.nowMs() / MINUTE_MS));
    const size = sizeOf(delayMs);
    counts[size] = (counts[size] ?? 0) + 1;
  }

  #add(minute: number, more: readonly number[]): void {
    const counts = this.#of(minute);
    for (const [size, count] of more.entries()) counts[size] = (counts[size] ?? 0) + count;
  }

  #of(minute: number): number[] {
    const known = this.#minutes.get(minute);
    if (known) return known;
    const [oldest] = this.#minutes.keys();
    if (oldest !== undefined && this.#minutes.size >= MOST_MINUTES) this.#minutes.delete(oldest);
    const counts = Array<number>(DELAY_SIZES).fill(0);
    this.#minutes.set(minute, counts);
    return counts;
  }
}

function sizeOf(delayMs: number): number {
  const size = Math.floor(PER_OCTAVE * Math.log2(delayMs / SMALLEST_MS));
  return Math.min(DELAY_SIZES - 1, Math.max(0, Number.isNaN(size) ? 0 : size));
}

/** Milliseconds: the middle of the size that the quantile is of; `null` when there is none. */
export function delayQuantile(counts: readonly number[], part: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(part * all);
  const size = counts.findIndex((count) => {
    left -= count;
    return all > 0 && left <= 0;
  });
  if (size === -1) return null;
  return Number((SMALLEST_MS * 2 ** ((size + 0.5) / PER_OCTAVE)).toPrecision(3));
}
