/** Answers that many ask for: a question under way is shared, and its answer kept for a moment. */

interface Kept {
  readonly answer: Promise<unknown>;
  readonly untilMs: number;
}

/** Of different questions; the oldest goes. */
const MOST = 256;

export class RecentAnswers {
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();

  /** @param nowMs of a clock that rises. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** @param name the same for the same question. What fails is not kept. */
  ask<T>(name: string, keptMs: number, question: () => Promise<T>): Promise<T> {
    const nowMs = this.#nowMs();
    const known = this.#kept.get(name);
    if (known && nowMs < known.untilMs) return known.answer as Promise<T>;
    const answer = question();
    const kept = { answer, untilMs: nowMs + keptMs };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    answer.catch(() => {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST) break;
      this.#kept.delete(oldest);
    }
    return answer;
  }
}
