/**
 * What a rig learns in words, by `client.show_message`: what is wrong with its shares, what is in force for it. At most one
 * hint a minute is shown, so that a rig that does the same thing wrong all day is no nuisance: the newest waits, and is shown if
 * it is still true.
 */
import type { Rejection } from '../../core/shares/rejections.js';

const EVERY_MS = 60_000;
/** So many refusals for the same reason, without a good share between them, are worth a word. */
const REFUSALS = [10, 100, 1000];

export class Hints {
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #waiting: string | undefined;
  #refusal: string | undefined;
  #reason: Rejection | undefined;
  #inARow = 0;

  add(text: string): void {
    this.#waiting = text;
  }

  /** A submit was refused; `detail` says why as a sentence. */
  refused(reason: Rejection, detail: string): void {
    if (reason !== this.#reason) this.accepted();
    this.#reason = reason;
    if (!REFUSALS.includes(++this.#inARow)) return;
    this.#refusal = `${this.#inARow} submits in a row were refused; the last: ${detail}`;
  }

  /** What was said of refusals is over. */
  accepted(): void {
    this.#inARow = 0;
    this.#refusal = undefined;
  }

  /** The hint that may be shown now; it waits on until it {@link shown was}. */
  due(nowMs: number): string | undefined {
    return nowMs - this.#shownAtMs < EVERY_MS ? undefined : (this.#waiting ?? this.#refusal);
  }

  shown(nowMs: number): void {
    this.#shownAtMs = nowMs;
    if (this.#waiting === undefined) this.#refusal = undefined;
    this.#waiting = undefined;
  }
}
