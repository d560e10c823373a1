/**
 * How long a node is waited for. One that takes longer than it usually does is asked once more, over another connection: one of
 * the two may be lost. What comes after the time is over is kept, because to ask a slow node again and again and to listen to
 * none of its answers would leave rigs without work for good.
 */
import type { Work } from '../../core/work/work.js';

/** @param heard may be told of the answer before the promise is kept. */
type Ask = (signal: AbortSignal, heard: (work: Work) => void) => Promise<Work>;

interface LateAnswersParts {
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
const MOST_KEPT = 8;

export class LateAnswers {
  readonly #parts: LateAnswersParts;
  readonly #kept = new Set<Question>();
  readonly #usual = new UsualTime();
  #limitMs: number;

  constructor(parts: LateAnswersParts) {
    this.#parts = parts;
    this.#limitMs = parts.leastMs;
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /**
   * The answer, or `undefined` once the limit has passed: then it goes to `onLate` when it comes. Rejects as the question does.
   *
   * @param heard told of an answer in time as soon as the question is told of it.
   */
  async inTime(ask: Ask, heard: (work: Work) => void = () => undefined): Promise<Work | undefined> {
    const askedAtMs = this.#parts.now();
    let isAwaited = true;
    const hear = (work: Work): void => {
      if (isAwaited) heard(work);
      isAwaited = false;
    };
    const first = question(ask, hear);
    const hedgeMs = this.#usual.exceptionalMs;
    const soon = await within(first.answer, Math.min(hedgeMs, this.#limitMs));
    if (soon) return this.#answered(soon, askedAtMs);
    const both = hedgeMs < this.#limitMs && this.#usual.spend() ? [first, question(ask, hear)] : [first];
    const work = await this.#wait(oneOf(both), askedAtMs);
    isAwaited = false;
    if (work) return this.#answered(work, askedAtMs);
    for (const each of both) this.#keep(each, askedAtMs);
    return undefined;
  }

  /** The limit may grow meanwhile, by another answer. */
  async #wait(answer: Promise<Work>, askedAtMs: number): Promise<Work | undefined> {
    const leftMs = (): number => Math.max(0, askedAtMs + this.#limitMs - this.#parts.now());
    for (;;) {
      const work = await within(answer, leftMs());
      if (work || leftMs() === 0) return work;
    }
  }

  #keep(kept: Question, askedAtMs: number): void {
    this.#kept.add(kept);
    const [oldest] = this.#kept;
    if (this.#kept.size > MOST_KEPT && oldest) {
      this.#kept.delete(oldest);
      oldest.ending.abort();
    }
    kept.answer.then(
      (work) => {
        this.#kept.delete(kept);
        this.#parts.onLate(this.#answered(work, askedAtMs), askedAtMs);
      },
      // That it did not answer in time was told already.
      () => this.#kept.delete(kept),
    );
  }

  #answered(work: Work, askedAtMs: number): Work {
    const { leastMs, now } = this.#parts;
    const tookMs = now() - askedAtMs;
    this.#usual.saw(tookMs);
    const wantedMs = Math.max(leastMs, Math.min(LONGEST_MS, ROOM * tookMs));
    if (wantedMs >= this.#limitMs) this.#limitMs = wantedMs;
    else this.#limitMs -= (this.#limitMs - wantedMs) / SHRINKING;
    return work;
  }
}

/** Below this a delay is more likely ours than the node's. */
const LEAST_EXCEPTION_MS = 50;
/** As TCP judges when a packet is lost (RFC 6298): weights of the newest time and deviation, and deviations that are exceptional. */
const [WEIGHT, DEVIATION_WEIGHT, DEVIATIONS] = [1 / 8, 1 / 4, 4];
/** One time is taken for no more than so many times what would be exceptional: a node that had no work says little about the next. */
const MOST_TIMES = 4;
/** Second questions to each answer, and how many may be saved up. */
const [HEDGES_EACH, MOST_HEDGES] = [0.1, 3];

/** How long a node usually takes, and whether it may be asked a second time: no more than one question in ten is. */
class UsualTime {
  #meanMs: number | undefined;
  #deviationMs = 0;
  #hedges = 1;

  /** Longer than this is out of the ordinary; infinite while nothing is known. */
  get exceptionalMs(): number {
    if (this.#meanMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(LEAST_EXCEPTION_MS, this.#meanMs + DEVIATIONS * this.#deviationMs);
  }

  saw(tookMs: number): void {
    const ms = Math.min(tookMs, MOST_TIMES * this.exceptionalMs);
    this.#hedges = Math.min(MOST_HEDGES, this.#hedges + HEDGES_EACH);
    if (this.#meanMs === undefined) {
      this.#meanMs = ms;
      this.#deviationMs = ms / 2;
      return;
    }
    this.#deviationMs += DEVIATION_WEIGHT * (Math.abs(ms - this.#meanMs) - this.#deviationMs);
    this.#meanMs += WEIGHT * (ms - this.#meanMs);
  }

  spend(): boolean {
    if (this.#hedges < 1) return false;
    this.#hedges--;
    return true;
  }
}

interface Question {
  readonly answer: Promise<Work>;
  readonly ending: AbortController;
}

function question(ask: Ask, heard: (work: Work) => void): Question {
  const ending = new AbortController();
  return { answer: ask(ending.signal, heard), ending };
}

/** The first answer. Where none comes, the error of the first question. */
async function oneOf(questions: readonly Question[]): Promise<Work> {
  try {
    return await Promise.any(questions.map(({ answer }) => answer));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

/** `undefined` when the time is over and nothing that came meanwhile is left to read: a process that was held up is no slow node. */
function within(answer: Promise<Work>, ms: number): Promise<Work | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return answer;
  return new Promise((resolve, reject) => {
    const over = (): void => void setImmediate(resolve, undefined);
    const timer = setTimeout(over, Math.ceil(ms));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
