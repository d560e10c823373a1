/** How long a job took to the last session of all fronts: each front tells when it reached its own last one. */
import type { JobDelay } from '../../bridge/events.js';

/** Fronts hear of a job within this time of each other, or of the same by another clock reading. */
const SAME_MS = 20;
/** Each front tells once a second; whose word comes later than this counts for itself. */
const WAIT_MS = 2_500;
/** Of all chains, for some seconds. */
const MAX_OPEN = 1_000;

interface Open {
  latest: JobDelay;
  readonly sinceMs: number;
}

export class JobDelays {
  readonly #open = new Map<string, Open[]>();
  #size = 0;

  add(delay: JobDelay, nowMs: number): void {
    const key = `${delay.clean} ${delay.chainIds.join()}`;
    const those = this.#open.get(key) ?? [];
    const same = those.find(({ latest }) => Math.abs(latest.causedAtMs - delay.causedAtMs) < SAME_MS);
    if (same) {
      if (delay.delayMs > same.latest.delayMs) same.latest = delay;
      return;
    }
    if (this.#size >= MAX_OPEN) return;
    this.#size++;
    this.#open.set(key, [...those, { latest: delay, sinceMs: nowMs }]);
  }

  /** Those of which all fronts have told by now, each once. */
  take(nowMs: number): JobDelay[] {
    const done: JobDelay[] = [];
    for (const [key, those] of this.#open) {
      const waiting = those.filter(({ sinceMs }) => nowMs - sinceMs < WAIT_MS);
      for (const each of those) if (!waiting.includes(each)) done.push(each.latest);
      if (waiting.length > 0) this.#open.set(key, waiting);
      else this.#open.delete(key);
    }
    this.#size -= done.length;
    return done;
  }
}
