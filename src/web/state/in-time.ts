/** What is asked of a part that may be away or slow: an answer in time, or none; and one question at a time. */
import { type Log, tellUnanswered } from '../../core/names/log.js';

/** Well below the second that any answer may take. */
const PATIENCE_MS = 800;

export class InTime {
  readonly #log: Log;
  readonly #patienceMs: number;
  /** Ends with the last question that was asked: however many ask, the part is burdened with one. */
  #lane: Promise<unknown> = Promise.resolve();

  constructor(log: Log, patienceMs = PATIENCE_MS) {
    this.#log = log;
    this.#patienceMs = patienceMs;
  }

  /** `undefined` when it fails or takes too long, waiting for others included. Never rejects. */
  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    let isLate = false;
    // Nobody waits for the answer to a question whose turn comes too late.
    const answer = this.#lane
      .then(() => (isLate ? undefined : question()))
      .catch((error: Error) => {
        tellUnanswered(this.#log, error, 'a question of the web was not answered');
        return undefined;
      });
    this.#lane = answer;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(undefined);
      }, this.#patienceMs);
    });
    const first = await Promise.race([answer, late]);
    clearTimeout(timer);
    return first;
  }
}
