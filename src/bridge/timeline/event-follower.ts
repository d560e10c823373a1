/** Hears of the lines that others put into the timeline: other bridges, and the ledger itself. */
import type { Log } from '../../core/names/log.js';
import type { TimelineBook } from './timeline.js';
import type { TimelineEvent } from './timeline-event.js';

interface EventFollowerOptions {
  readonly book: Pick<TimelineBook, 'linesAfter' | 'newestId'>;
  /** Whose own lines are known here. */
  readonly run: string;
  readonly heard: (line: TimelineEvent) => void;
  readonly log: Log;
  readonly intervalMs?: number;
}

/** One question that an index answers. */
const INTERVAL_MS = 1_000;
const LINES_A_LOOK = 500;

export class EventFollower {
  readonly #options: EventFollowerOptions;
  readonly #timer: NodeJS.Timeout;
  /** The last one that was seen; absent until the ledger has answered. */
  #lastId: number | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  /** Lines of before now are no news. */
  constructor(options: EventFollowerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.intervalMs ?? INTERVAL_MS);
    this.#look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#readOn()
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

  async #readOn(): Promise<void> {
    const { book, run, heard } = this.#options;
    this.#lastId ??= await book.newestId();
    for (;;) {
      const lines = await book.linesAfter(this.#lastId, LINES_A_LOOK);
      if (this.#isClosed) return;
      for (const line of lines) if (line.run !== run) heard(line);
      this.#lastId = lines.at(-1)?.id ?? this.#lastId;
      if (lines.length < LINES_A_LOOK) return;
    }
  }
}
