/** What is asked of a part that may be away or slow: an answer in time, or none; and one question at a time. */
import { faultOf, type Log } from '../../core/names/log.js';

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
        const say = isMistake(error) ? 'error' : 'debug';
        this.#log[say](faultOf(error), 'a question of the web was not answered');
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

/** Of ours: no waiting mends it. Classes 22 and 42 of SQLSTATE are data and statements that are wrong. */
function isMistake(error: Error): boolean {
  const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isOurs || /^(22|42)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code));
}
