/**
 * How fresh jobs were over time, as far as this process knows: how long each took from what led to it being heard to the last
 * session. Kept as counts by size, so that it needs the same 310 kB whatever happens. A size is known to a fifth.
 */
import type { BridgeEvents } from '../../bridge/events.js';
import type { Clock } from '../../bridge/ports.js';

/** Steps of one length, and how many of them are kept. */
export interface Span {
  readonly stepMs: number;
  readonly steps: number;
}

export interface DelayColumns {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

const SMALLEST_MS = 0.1;
/** Sizes in a doubling. */
const PER_OCTAVE = 4;
/** Up to 0.1 ms times 2^20: two minutes. */
const SIZES = 20 * PER_OCTAVE;

export class DelayHistory {
  readonly #clock: Clock;
  readonly #rings: readonly Ring[];
  readonly startedAtMs: number;

  /** @param spans that can be asked for. */
  constructor(events: BridgeEvents, clock: Clock, spans: readonly Span[] = Object.values(SPANS)) {
    this.#clock = clock;
    this.startedAtMs = clock.nowMs();
    this.#rings = spans.map((span) => new Ring(span, this.startedAtMs));
    events.on('jobSent', (_job, delayMs) => this.#add(delayMs));
    events.on('chainsRetired', (_chainIds, delayMs) => this.#add(delayMs));
  }

  /** `undefined` for a span that is not kept. */
  columns({ stepMs, steps }: Span): DelayColumns | undefined {
    const ring = this.#rings.find(({ span }) => span.stepMs === stepMs && span.steps === steps);
    return ring?.columns(this.#clock.nowMs());
  }

  #add(delayMs: number): void {
    const nowMs = this.#clock.nowMs();
    for (const ring of this.#rings) ring.add(delayMs, nowMs);
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Times that are shown: so many steps of such a length. Of a year the last step is that of today, in UTC. */
export const SPANS = {
  '1h': { stepMs: MINUTE_MS, steps: 60 },
  '24h': { stepMs: 10 * MINUTE_MS, steps: 144 },
  '7d': { stepMs: HOUR_MS, steps: 168 },
  '30d': { stepMs: 3 * HOUR_MS, steps: 240 },
  '1y': { stepMs: DAY_MS, steps: 365 },
} as const satisfies Readonly<Record<string, Span>>;
export type Range = keyof typeof SPANS;

/** Counts by size for the last steps. */
class Ring {
  readonly span: Span;
  readonly #counts: Uint32Array;
  #newest: number;

  constructor(span: Span, nowMs: number) {
    this.span = span;
    this.#counts = new Uint32Array(span.steps * SIZES);
    this.#newest = Math.floor(nowMs / span.stepMs);
  }

  add(delayMs: number, nowMs: number): void {
    const at = this.#placeOf(this.#turnTo(nowMs)) + sizeOf(delayMs);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  columns(nowMs: number): DelayColumns {
    const { stepMs, steps } = this.span;
    const first = this.#turnTo(nowMs) - steps + 1;
    const column = (part: number) =>
      Array.from({ length: steps }, (_, i) => quantileOf(this.#countsOf(first + i), part));
    return { fromMs: first * stepMs, untilMs: nowMs, p50: column(0.5), p99: column(0.99) };
  }

  #countsOf(step: number): Uint32Array {
    const place = this.#placeOf(step);
    return this.#counts.subarray(place, place + SIZES);
  }

  #placeOf(step: number): number {
    return (step % this.span.steps) * SIZES;
  }

  /** The step in progress. A clock that went back changes nothing until it has caught up. */
  #turnTo(nowMs: number): number {
    const { stepMs, steps } = this.span;
    const now = Math.floor(nowMs / stepMs);
    for (let step = Math.max(this.#newest + 1, now - steps + 1); step <= now; step++)
      this.#countsOf(step).fill(0);
    this.#newest = Math.max(this.#newest, now);
    return this.#newest;
  }
}

function sizeOf(delayMs: number): number {
  const size = Math.floor(PER_OCTAVE * Math.log2(delayMs / SMALLEST_MS));
  return Math.min(SIZES - 1, Math.max(0, Number.isNaN(size) ? 0 : size));
}

/** Milliseconds: the middle of the size that the quantile is of; `null` when there is none. */
function quantileOf(counts: Uint32Array, part: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(part * all);
  const size = counts.findIndex((count) => {
    left -= count;
    return all > 0 && left <= 0;
  });
  if (size === -1) return null;
  return Number((SMALLEST_MS * 2 ** ((size + 0.5) / PER_OCTAVE)).toPrecision(3));
}
