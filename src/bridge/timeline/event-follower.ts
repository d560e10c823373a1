/** Hears of the lines that others put into the timeline: other bridges, and the ledger itself. */
import type { Log } from '../../core/names/log.js';
import type { TimelineBook } from './timeline.js';
import type { TimelineEvent } from './timeline-event.js';

interface EventFollowerOptions {
  readonly book: Pick<TimelineBook, 'linesAfter' | 'newestId'>;
  /** Its listener is told when lines may have been written, by whomever; some notices get lost. */
  readonly onNotice: (listener: () => void) => void;
  /** Whose own lines are known here. */
  readonly run: string;
  readonly heard: (line: TimelineEvent) => void;
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Notices tell when there is something to read; some get lost. */
const INTERVAL_MS = 30_000;
const LINES_A_LOOK = 500;

export class EventFollower {
  readonly #options: EventFollowerOptions;
  readonly #timer: NodeJS.Timeout;
  /** The last one that was seen; absent until the ledger has answered. */
  #lastId: number | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #grown: (() => void) | undefined;
  #isClosed = false;

  /** Lines of before now are no news. */
  constructor(options: EventFollowerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.intervalMs ?? INTERVAL_MS);
    options.onNotice(() => this.#look());
    this.#look();
  }

  /** Told when the ledger has lines that it did not have, own ones among them. One listener. */
  onGrown(listener: () => void): void {
    this.#grown = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#again = true;
    this.#looking ??= this.#readAll()
      .catch((error: Error) =>
        this.#options.log.debug(
          { error: error.message },
          'the timeline of the ledger cannot be followed now',
        ),
      )
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** A notice that comes while lines are read may be of later ones. */
  async #readAll(): Promise<void> {
    while (this.#again && !this.#isClosed) {
      this.#again = false;
      await this.#readOn();
    }
  }

  async #readOn(): Promise<void> {
    const { book, run, heard } = this.#options;
    this.#lastId ??= await book.newestId();
    for (;;) {
      const lines = await book.linesAfter(this.#lastId, LINES_A_LOOK);
      if (this.#isClosed) return;
      for (const line of lines) if (line.run !== run) heard(line);
      this.#lastId = lines.at(-1)?.id ?? this.#lastId;
      if (lines.length > 0) this.#grown?.();
      if (lines.length < LINES_A_LOOK) return;
    }
  }
}
