/**
 * Says when a block was split while shares of before it came into the books only after its split. Until the split waits for
 * them, people have to know.
 */
import type pg from 'pg';
import type { Log } from '../../core/log.js';

export interface SplitWatchOptions {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface SplitWatch {
  /** Resolves when what is new was said. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 30_000;
/** Blocks that one look names. */
const NAMED = 5;

export function startSplitWatch(options: SplitWatchOptions): SplitWatch {
  const watch = new Watch(options);
  const timer = setInterval(() => void watch.look(), options.intervalMs ?? INTERVAL_MS);
  void watch.look();
  return {
    look: () => watch.look(),
    close: async () => {
      clearInterval(timer);
      await watch.look();
    },
  };
}

class Watch {
  readonly #options: SplitWatchOptions;
  #looking: Promise<void> | undefined;
  /** As PostgreSQL writes it: finer than a Date. */
  #said: string | undefined;

  constructor(options: SplitWatchOptions) {
    this.#options = options;
  }

  look(): Promise<void> {
    this.#looking ??= this.#sayDoubts()
      .catch((error: Error) =>
        this.#options.log.debug({ error: error.message }, 'doubts about splits cannot be looked for now'),
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #sayDoubts(): Promise<void> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ noted_at: string; words: string }>(
      `SELECT noted_at::text, ${DOUBT_IN_WORDS} AS words FROM split_doubt
       WHERE noted_at > coalesce($1::timestamptz, now() - interval '1 minute') ORDER BY noted_at LIMIT 10000`,
      [this.#said ?? null],
    );
    this.#said = rows.at(-1)?.noted_at ?? this.#said;
    for (const { words } of rows.slice(0, NAMED)) log.warn({}, words);
    if (rows.length > NAMED)
      log.warn({}, `${rows.length - NAMED} more blocks so; \`ledger verify\` names them`);
  }
}

/** SQL: a row of split_doubt as a sentence. */
export const DOUBT_IN_WORDS = `format('the block of solution %s was split while shares waited: %s shares of work %s from before it came into the books after its split', solution_id, shares, work)`;
