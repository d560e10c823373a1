/** What was last heard from a part that may be away: there is an answer in time, whatever happens there. */

interface Known<T> {
  /** The last that was heard; `undefined` when nothing ever was. */
  readonly value: T | undefined;
  /** It answered just now, and in time. */
  readonly isUp: boolean;
}

/** Well below the second that summary and metrics may take. */
const PATIENCE_MS = 500;

export class LastKnown<T> {
  readonly #ask: () => Promise<T>;
  readonly #patienceMs: number;
  #value: T | undefined;
  /** All who look while a question is under way share it, so a part that hangs is asked once. */
  #asking: Promise<boolean> | undefined;

  constructor(ask: () => Promise<T>, patienceMs = PATIENCE_MS) {
    this.#ask = ask;
    this.#patienceMs = patienceMs;
  }

  /** Never rejects. An answer that comes late is kept for the next look. */
  async look(): Promise<Known<T>> {
    this.#asking ??= this.#hear().finally(() => {
      this.#asking = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs, false);
    });
    const isUp = await Promise.race([this.#asking, waited]);
    clearTimeout(timer);
    return { value: this.#value, isUp };
  }

  /** Whether it answered; why it did not is told by whoever needs the answer for more than showing it. */
  async #hear(): Promise<boolean> {
    try {
      this.#value = await this.#ask();
      return true;
    } catch {
      return false;
    }
  }
}
