/**
 * The way of lines to the ledger: a bounded queue that is written in batches. Nobody waits for it. While the ledger is away it
 * keeps the first lines of the outage, which tell of its cause, and counts the others.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import type { TimelineBook } from './timeline.js';
import type { TimelineEvent } from './timeline-event.js';

interface EventOutboxOptions {
  readonly book: Pick<TimelineBook, 'writeLines'>;
  /** So many lines will never be in the ledger. */
  readonly lost: (lines: number) => void;
  /** Lines were written: there is room again. */
  readonly written: () => void;
  readonly log: Log;
  readonly limits?: Partial<EventOutboxLimits>;
}

interface EventOutboxLimits {
  /** Lines that wait, those of a write under way included; what somebody ordered has as much room again. */
  readonly waiting: number;
  readonly batch: number;
  /** From the first line to the write, so that more come with it. */
  readonly gatherMs: number;
  /** From a write that failed to the next one. */
  readonly retryMs: number;
}

const LIMITS: EventOutboxLimits = { waiting: 2_000, batch: 200, gatherMs: 100, retryMs: 1_000 };

export class EventOutbox {
  readonly #options: EventOutboxOptions;
  readonly #limits: EventOutboxLimits;
  readonly #waiting: TimelineEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(options: EventOutboxOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Returns at once and never throws. */
  keep(line: TimelineEvent): void {
    const room = line.by === null ? this.#limits.waiting : 2 * this.#limits.waiting;
    if (this.#isClosed || this.#waiting.length >= room) {
      this.#options.lost(1);
      return;
    }
    this.#waiting.push(line);
    this.#plan(this.#limits.gatherMs);
  }

  /** Writes what waits, for no longer than that. */
  async close(patienceMs: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const patience = new AbortController();
    const late = pause(patienceMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([late, this.#writeAll()]);
    patience.abort();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0)
      this.#options.log.warn(
        { lines: this.#waiting.length },
        'the last lines of the timeline are not in the ledger',
      );
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    while (this.#waiting.length > 0 && (await this.#write()));
  }

  #plan(ms: number): void {
    if (this.#isClosed || this.#timer !== undefined || this.#writing) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, ms);
  }

  /** One batch at a time; true when it is written. */
  #write(): Promise<boolean> {
    this.#writing ??= this.#writeBatch().then((isWritten) => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#plan(isWritten ? 0 : this.#limits.retryMs);
      return isWritten;
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<boolean> {
    const { book, lost, written, log } = this.#options;
    const batch = this.#waiting.slice(0, this.#limits.batch);
    try {
      const refused = await book.writeLines(batch);
      this.#waiting.splice(0, batch.length);
      lost(refused);
      written();
      return true;
    } catch (error) {
      log.debug(
        { error: (error as Error).message, lines: batch.length },
        'the timeline cannot be written now',
      );
      return false;
    }
  }
}
