/** Warnings that come again and again: each is said once, and again with its count each time that has grown tenfold. */
import type { Log } from '../core/names/log.js';

const MAX_REMEMBERED = 64;

export class Repeats {
  readonly #log: Log;
  readonly #times = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param key what makes two the same, where their words may differ. */
  warn(fields: object, message: string, key = `${message} ${JSON.stringify(fields)}`): void {
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.delete(key);
    this.#times.set(key, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_REMEMBERED && oldest !== undefined) this.#times.delete(oldest);
    if (Number.isInteger(Math.log10(times)))
      this.#log.warn({ ...fields, ...(times > 1 && { times }) }, message);
  }

  /** What comes from now on is news. */
  clear(): void {
    this.#times.clear();
  }
}
