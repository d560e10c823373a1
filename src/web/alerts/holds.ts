/** What was seen must stay so for a while before it counts. */
import { type Finding, keyOfSubject } from '../../bridge/alerts/alerts.js';
import type { Sight } from './sight.js';

/** What is well again counts after as long as it took to be bad, and after a minute at the most. */
const LONGEST_RECOVERY_MS = 60_000;
/** What nobody has seen for so long begins anew. */
const FORGOTTEN_MS = 3_600_000;

interface Held {
  readonly isBad: boolean;
  readonly sinceMs: number;
  seenMs: number;
}

/** Times are those of a clock that only rises. */
export class Holds {
  readonly #held = new Map<string, Held>();

  /** Those that have been true long enough. What is not among the sights is not known now, and waits. */
  settle(sights: readonly Sight[], nowMs: number): Finding[] {
    const settled = sights.filter((sight) => this.#isSettled(sight, nowMs));
    for (const [key, { seenMs }] of this.#held) if (nowMs - seenMs > FORGOTTEN_MS) this.#held.delete(key);
    return settled.map(({ holdMs: _, ...finding }) => finding);
  }

  #isSettled(sight: Sight, nowMs: number): boolean {
    const key = keyOfSubject(sight);
    const before = this.#held.get(key);
    const held =
      before?.isBad === sight.isBad ? before : { isBad: sight.isBad, sinceMs: nowMs, seenMs: nowMs };
    held.seenMs = nowMs;
    this.#held.set(key, held);
    const holdMs = sight.isBad ? sight.holdMs : Math.min(LONGEST_RECOVERY_MS, sight.holdMs);
    return nowMs - held.sinceMs >= holdMs;
  }
}
