/** What was found must stay so for a while before it counts. */
import { type Finding, keyOfSubject } from '../bridge/alerts.js';
import { holdOf } from './judge.js';

/** What is well again counts after as long as it took to be bad, and after a minute at the most. */
const LONGEST_RECOVERY_MS = 60_000;
/** What nobody has seen for so long begins anew. */
const FORGOTTEN_MS = 3_600_000;

interface State {
  readonly isBad: boolean;
  readonly sinceMs: number;
  seenMs: number;
}

/** Times are those of a clock that only rises. */
export class Debounce {
  readonly #states = new Map<string, State>();

  /** Those that have been true long enough. What is not among the findings is not known now, and waits. */
  settle(findings: readonly Finding[], nowMs: number): Finding[] {
    const settled = findings.filter((finding) => this.#isSettled(finding, nowMs));
    for (const [key, { seenMs }] of this.#states) if (nowMs - seenMs > FORGOTTEN_MS) this.#states.delete(key);
    return settled;
  }

  #isSettled(finding: Finding, nowMs: number): boolean {
    const { condition, isBad } = finding;
    const key = keyOfSubject(finding);
    const before = this.#states.get(key);
    const state = before?.isBad === isBad ? before : { isBad, sinceMs: nowMs, seenMs: nowMs };
    state.seenMs = nowMs;
    this.#states.set(key, state);
    const holdMs = isBad ? holdOf(condition) : Math.min(LONGEST_RECOVERY_MS, holdOf(condition));
    return nowMs - state.sinceMs >= holdMs;
  }
}
