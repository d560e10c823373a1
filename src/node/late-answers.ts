/**
 * How long a node is waited for, and what becomes of answers that come later: they are kept, because to ask a slow node again and
 * again and to listen to none of its answers would leave rigs without work for good.
 */
import type { Work } from '../core/work.js';

export interface LateAnswersParts {
  /** A node that answers as nodes do is waited for so long. */
  readonly leastMs: number;
  /** Milliseconds, rising. */
  readonly now: () => number;
  /** An answer that nobody waits for any more; never throws. */
  readonly onLate: (work: Work, askedAtMs: number) => void;
}

/** No node is waited for longer: rigs have another one, or are to hear that it is slow. */
const LONGEST_MS = 5_000;
/** Twice the time that an answer took is waited for the next. */
const ROOM = 2;
/** What is too much shrinks by this part with each answer. */
const SHRINKING = 4;
/** Questions whose answers may still come; the oldest is given up first. */
const MOST_KEPT = 4;

export class LateAnswers {
  readonly #parts: LateAnswersParts;
  readonly #kept = new Set<AbortController>();
  #limitMs: number;

  constructor(parts: LateAnswersParts) {
    this.#parts = parts;
    this.#limitMs = parts.leastMs;
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /** The answer, or `undefined` once the limit has passed: then it goes to `onLate` when it comes. Rejects as the question does. */
  async inTime(ask: (signal: AbortSignal) => Promise<Work>): Promise<Work | undefined> {
    const askedAtMs = this.#parts.now();
    const ending = new AbortController();
    const asking = ask(ending.signal);
    const work = await this.#wait(asking, askedAtMs);
    if (work) this.#answered(askedAtMs);
    else this.#keep(asking, ending, askedAtMs);
    return work;
  }

  /** The limit may grow meanwhile, by another answer. */
  async #wait(asking: Promise<Work>, askedAtMs: number): Promise<Work | undefined> {
    for (;;) {
      const leftMs = askedAtMs + this.#limitMs - this.#parts.now();
      if (leftMs <= 0) return undefined;
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, Math.ceil(leftMs), undefined);
      });
      const work = await Promise.race([asking, limit]).finally(() => clearTimeout(timer));
      if (work) return work;
    }
  }

  #keep(asking: Promise<Work>, ending: AbortController, askedAtMs: number): void {
    this.#kept.add(ending);
    const [oldest] = this.#kept;
    if (this.#kept.size > MOST_KEPT && oldest) {
      this.#kept.delete(oldest);
      oldest.abort();
    }
    asking.then(
      (work) => {
        this.#kept.delete(ending);
        this.#answered(askedAtMs);
        this.#parts.onLate(work, askedAtMs);
      },
      // That it did not answer in time was told already.
      () => this.#kept.delete(ending),
    );
  }

  #answered(askedAtMs: number): void {
    const { leastMs, now } = this.#parts;
    const wantedMs = Math.max(leastMs, Math.min(LONGEST_MS, ROOM * (now() - askedAtMs)));
    if (wantedMs >= this.#limitMs) this.#limitMs = wantedMs;
    else this.#limitMs -= (this.#limitMs - wantedMs) / SHRINKING;
  }
}
