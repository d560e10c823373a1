/** Entries that came while one transaction ran are booked by the next, together. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EntryOutcome, ShareEntry, ShareLedger } from '../../bridge/ports.js';

interface Waiting {
  readonly entry: ShareEntry;
  resolve(outcome: EntryOutcome): void;
  reject(error: Error): void;
}

/** Between attempts at a ledger that is away. */
const DELAYS_MS = { first: 100, last: 5000 };
/** Of one transaction: what is written down for it in some milliseconds. An entry is as large as the piece of the log that it was cut from. */
const SUMS = 5_000;
/** Then the entries go back to the queue for a while, lest some that never go through hold their places for ever. */
const ATTEMPTS = 15;

export class Together {
  readonly #ledger: ShareLedger;
  readonly #tell: (error: Error) => void;
  readonly #signal: AbortSignal;
  #waiting: Waiting[] = [];
  #isBooking = false;

  /** @param tell told of each attempt at a ledger that is away. */
  constructor(ledger: ShareLedger, tell: (error: Error) => void, signal: AbortSignal) {
    this.#ledger = ledger;
    this.#tell = tell;
    this.#signal = signal;
  }

  /** Rejects when it is not known to be booked. */
  record(entry: ShareEntry): Promise<EntryOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      if (!this.#isBooking) void this.#bookAll();
    });
  }

  /** Never rejects: each that waits is told. */
  async #bookAll(): Promise<void> {
    this.#isBooking = true;
    while (this.#waiting.length > 0) await this.#book(this.#next());
    this.#isBooking = false;
  }

  /** As many as one transaction takes, and at least one. */
  #next(): Waiting[] {
    let [count, sums] = [0, 0];
    for (const { entry } of this.#waiting) {
      sums += entry.sums.length;
      if (count > 0 && sums > SUMS) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #book(some: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#patiently(some.map(({ entry }) => entry));
      for (const [i, { resolve }] of some.entries()) resolve(outcomes[i] ?? 'repeated');
    } catch (error) {
      if (some.length === 1 || isAway(error)) {
        for (const { reject } of some) reject(error as Error);
        return;
      }
      // What is wrong with one of them is no matter of the others, and less of them takes less time.
      const half = some.length >> 1;
      await this.#book(some.slice(0, half));
      await this.#book(some.slice(half));
    }
  }

  /**
   * Holds entries while the ledger is away: failing them would make the queue write them anew for each attempt, and the next
   * ones would fare no better.
   */
  async #patiently(entries: readonly ShareEntry[]): Promise<readonly EntryOutcome[]> {
    let delayMs = DELAYS_MS.first;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ledger.recordEntries(entries);
      } catch (error) {
        if (!isAway(error) || this.#signal.aborted || attempt >= ATTEMPTS) throw error;
        this.#tell(error as Error);
        await pause(delayMs, undefined, { signal: this.#signal }).catch(() => {});
        delayMs = Math.min(2 * delayMs, DELAYS_MS.last);
      }
    }
  }
}

function isAway(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'away';
}
