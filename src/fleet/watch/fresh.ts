/** Answers that are good for a second, however often somebody asks. */

const FRESH_MS = 1000;
/** Of different questions. */
const MAX_ANSWERS = 16;

interface Known<T> {
  readonly answer: Promise<T>;
  readonly askedAtMs: number;
  isBusy: boolean;
}

export class Fresh<T> {
  readonly #nowMs: () => number;
  readonly #known = new Map<string, Known<T>>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Who asks while one is worked out has that one: they never pile up. */
  get(question: string, find: () => Promise<T>): Promise<T> {
    const nowMs = this.#nowMs();
    const known = this.#known.get(question);
    const ageMs = nowMs - (known?.askedAtMs ?? Number.NEGATIVE_INFINITY);
    if (known && (known.isBusy || (ageMs >= 0 && ageMs < FRESH_MS))) return known.answer;
    const answer = find().finally(() => {
      entered.isBusy = false;
    });
    const entered: Known<T> = { answer, askedAtMs: nowMs, isBusy: true };
    this.#known.delete(question);
    this.#known.set(question, entered);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_ANSWERS) break;
      this.#known.delete(oldest);
    }
    return answer;
  }
}
