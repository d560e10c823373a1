/**
 * Says aloud when the queue's backend lost what it had taken, as a Redis does that is flushed or forgets at its end: an
 * entry that was acknowledged some time ago is then neither in the ledger nor in the queue.
 */
import type { EntryGaps } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { ShareQueue } from './share-queue.js';

export interface LossWatchOptions {
  readonly queue: ShareQueue;
  readonly entries: EntryGaps;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface LossWatch {
  /** Entries known to be lost. */
  readonly lost: number;
  /** Looks now at what was acknowledged before the last look. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 60_000;
/** Entries that are looked for in the queue at a time. */
const LOOKED_FOR = 200;

export function watchForLoss(options: LossWatchOptions): LossWatch {
  const { log, intervalMs = INTERVAL_MS } = options;
  const search = new LossSearch(options);
  let looking: Promise<void> | undefined;
  const look = (): Promise<void> => {
    looking ??= search
      .look()
      .catch((error: Error) => log.debug({ error: error.message }, 'nothing can be said of lost entries now'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const timer = setInterval(() => void look(), intervalMs);
  return {
    get lost() {
      return search.lost;
    },
    look,
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

class LossSearch {
  lost = 0;
  readonly #options: LossWatchOptions;
  /** Of all up to this one it is known what became of them. */
  #known = 0;
  /** Settled when it was looked last. */
  #due = 0;
  /** Lost ones above {@link #known}. */
  readonly #told = new Set<number>();

  constructor(options: LossWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { queue } = this.#options;
    // What is on its way over the disk is in neither of the two yet.
    if (queue.isSpooling) return;
    const last = this.#due;
    this.#due = queue.numbers.settledUpTo;
    let first = this.#known + 1;
    while (first <= last) {
      const missing = await this.#missing(first, last);
      const [waiting] = await this.#settle(missing.filter((number) => !queue.numbers.wasRefused(number)));
      // The recorders are behind; what comes after it waits as well.
      if (waiting !== undefined) return this.#knowUpTo(waiting - 1);
      first = missing.length < LOOKED_FOR ? last + 1 : (missing.at(-1) ?? last) + 1;
    }
    this.#knowUpTo(first - 1);
  }

  /** Those of the missing ones that wait in the queue; the others are lost. */
  async #settle(missing: readonly number[]): Promise<number[]> {
    const { queue, log } = this.#options;
    const [from, to] = [missing[0], missing.at(-1)];
    if (from === undefined || to === undefined) return [];
    const absent = new Set(await queue.absent(missing));
    // Some may have been recorded, and so taken off the queue, between the two questions.
    const lost = (await this.#missing(from, to)).filter(
      (number) => absent.has(number) && !this.#told.has(number),
    );
    for (const number of lost) this.#told.add(number);
    this.lost += lost.length;
    const words =
      'the share queue lost entries that were acknowledged; src/ledger/README.md says which settings prevent it';
    if (lost.length > 0) log.error({ entries: lost.length }, words);
    return missing.filter((number) => !absent.has(number));
  }

  #missing(first: number, last: number): Promise<readonly number[]> {
    const { entries, queue } = this.#options;
    return entries.missingEntries(queue.producerId, first, last, LOOKED_FOR);
  }

  #knowUpTo(number: number): void {
    this.#known = Math.max(this.#known, number);
    for (const told of this.#told) if (told <= this.#known) this.#told.delete(told);
    this.#options.queue.numbers.forgetUpTo(this.#known);
  }
}
