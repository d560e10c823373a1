/** The fronts as they are watched: who is there, what each told last, and how one that does not answer is left out. */
import type { FrontWatch, WatchNews } from '../../bridge/fleet/watch.js';
import type { Steering } from '../../bridge/orders/steering.js';
import type { Log } from '../../core/names/log.js';

export interface WatchedFront {
  readonly watch: FrontWatch;
  /** Absent of the hub's own rigs, the threads of its CPU: nothing is ordered of them. */
  readonly steering?: Steering;
}

/** What one front said. */
export interface Answer<T> {
  readonly front: number;
  readonly answer: T;
}

/** One that has not answered is left in peace for so long. */
const PAUSE_MS = 5_000;

interface Entry extends WatchedFront {
  readonly number: number;
  news: Pick<WatchNews, 'counts' | 'rigs'> | undefined;
  silentSinceMs: number | undefined;
  /** Others have its place: it is listed, and no drain of all is its business. */
  isLeaving: boolean;
}

export class WatchedFronts {
  readonly #nowMs: () => number;
  readonly #log: Log;
  readonly #entries = new Map<number, Entry>();

  constructor(nowMs: () => number, log: Log) {
    this.#nowMs = nowMs;
    this.#log = log;
  }

  /** One of the same number that was there before is no more. */
  join(number: number, front: WatchedFront): void {
    this.#entries.set(number, {
      ...front,
      number,
      news: undefined,
      silentSinceMs: undefined,
      isLeaving: false,
    });
  }

  /** With it goes what it has told. */
  leave(number: number): void {
    this.#entries.delete(number);
  }

  /** Others take its place. */
  leaving(number: number): void {
    const entry = this.#entries.get(number);
    if (entry) entry.isLeaving = true;
  }

  isLeaving(number: number): boolean {
    return this.#entries.get(number)?.isLeaving ?? false;
  }

  /** False of one that is not listed. */
  told(number: number, news: Pick<WatchNews, 'counts' | 'rigs'>): boolean {
    const entry = this.#entries.get(number);
    if (!entry) return false;
    entry.news = { counts: news.counts, rigs: news.rigs };
    return true;
  }

  /** Lowest number first. */
  get numbers(): readonly number[] {
    return [...this.#entries.keys()].sort((a, b) => a - b);
  }

  /** What each has told last. */
  get news(): readonly NonNullable<Entry['news']>[] {
    return [...this.#entries.values()].flatMap(({ news }) => news ?? []);
  }

  /** Numbers of those that did not answer when they were asked last. */
  get silent(): readonly number[] {
    return this.numbers.filter((number) => this.#entries.get(number)?.silentSinceMs !== undefined);
  }

  /** All of them; what is asked goes on without those that do not answer, and the log says so. */
  async ask<T>(question: (watch: FrontWatch, front: number) => Promise<T>): Promise<readonly Answer<T>[]> {
    const answers = await Promise.all(this.#willing().map((entry) => this.#ask(entry, question)));
    return answers.flatMap((answer) => answer ?? []);
  }

  /** Those of them that are there. */
  async askSome<T>(
    numbers: readonly number[],
    question: (watch: FrontWatch, front: number) => Promise<T>,
  ): Promise<readonly T[]> {
    const those = this.#willing().filter(({ number }) => numbers.includes(number));
    const answers = await Promise.all(those.map((entry) => this.#ask(entry, question)));
    return answers.flatMap((answer) => (answer ? [answer.answer] : []));
  }

  /** All that take orders, also those that have not answered lately: an order is not to be lost. */
  async order<T>(order: (steering: Steering) => Promise<T>): Promise<readonly Answer<T>[]> {
    const answers = await Promise.all(this.numbers.map((number) => this.orderAt(number, order)));
    return answers.flatMap((answer) => answer ?? []);
  }

  /** Those of them that do not leave. */
  async orderStaying<T>(order: (steering: Steering) => Promise<T>): Promise<readonly Answer<T>[]> {
    const staying = this.numbers.filter((number) => !this.isLeaving(number));
    const answers = await Promise.all(staying.map((number) => this.orderAt(number, order)));
    return answers.flatMap((answer) => answer ?? []);
  }

  /** `undefined` where there is no such front, or it does not answer. */
  async orderAt<T>(
    number: number,
    order: (steering: Steering) => Promise<T>,
  ): Promise<Answer<T> | undefined> {
    const entry = this.#entries.get(number);
    if (!entry?.steering) return undefined;
    const { steering } = entry;
    return this.#ask(entry, () => order(steering));
  }

  #willing(): Entry[] {
    const nowMs = this.#nowMs();
    return this.numbers.flatMap((number) => {
      const entry = this.#entries.get(number);
      const restsMs = nowMs - (entry?.silentSinceMs ?? Number.NEGATIVE_INFINITY);
      return entry && (restsMs < 0 || restsMs >= PAUSE_MS) ? [entry] : [];
    });
  }

  async #ask<T>(
    entry: Entry,
    question: (watch: FrontWatch, front: number) => Promise<T>,
  ): Promise<Answer<T> | undefined> {
    const { number: front } = entry;
    try {
      const answer = await question(entry.watch, front);
      if (entry.silentSinceMs !== undefined) this.#log.info({ front }, 'a front answers again');
      entry.silentSinceMs = undefined;
      return { front, answer };
    } catch (error) {
      if (entry.silentSinceMs === undefined)
        this.#log.warn(
          { front, error: (error as Error).message },
          'a front does not answer: lists go on without its rigs',
        );
      entry.silentSinceMs = this.#nowMs();
      return undefined;
    }
  }
}
