/**
 * One after the other: what is read of many rows keeps one process of the database busy, however many ask, and leaves the others to
 * who records.
 */
import { BooksAwayError } from '../../bridge/watch/books-watch.js';

/** About what is answered within a question's patience: who comes when so many wait would wait in vain. */
const MOST_WAITING = 32;

export class Lane {
  readonly #mostWaiting: number;
  /** The one whose turn it is included. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(mostWaiting = MOST_WAITING) {
    this.#mostWaiting = mostWaiting;
  }

  /** Rejects with {@link BooksAwayError} at once when too many wait already. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#mostWaiting)
      throw new BooksAwayError(`${this.#waiting} questions of this kind wait already: ask again in a moment`);
    this.#waiting++;
    const answer = this.#last.then(read).finally(() => {
      this.#waiting--;
    });
    // Each is told its own failure; the next one has its turn all the same.
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
