/** What became of the submits. */
import type { SubmitAnswer } from './connection.js';

/** Codes differ between pools; no pool needs more than a few. */
const MAX_CODES = 32;

export interface SubmitSnapshot {
  readonly accepted: number;
  readonly rejected: number;
  /** The connection ended before the pool answered. */
  readonly unanswered: number;
  readonly reasons: readonly RejectionCount[];
}

export interface RejectionCount {
  /** The pool's; 0 when it gave none. */
  readonly code: number;
  /** The pool's last words with this code. */
  readonly text: string;
  readonly count: number;
}

export class SubmitCounts {
  readonly #reasons = new Map<number, RejectionCount>();
  #accepted = 0;
  #rejected = 0;
  #unanswered = 0;

  add(answer: SubmitAnswer): void {
    if (answer.outcome === 'accepted') this.#accepted++;
    else if (answer.outcome === 'unanswered') this.#unanswered++;
    else this.#addRejection(answer.code, answer.text);
  }

  snapshot(): SubmitSnapshot {
    const reasons = [...this.#reasons.values()];
    return { accepted: this.#accepted, rejected: this.#rejected, unanswered: this.#unanswered, reasons };
  }

  #addRejection(code: number, text: string): void {
    this.#rejected++;
    if (!this.#reasons.has(code) && this.#reasons.size >= MAX_CODES) return;
    this.#reasons.set(code, { code, text, count: (this.#reasons.get(code)?.count ?? 0) + 1 });
  }
}
