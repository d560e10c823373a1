/**
 * One of all bridges on these books does the chores: who holds an advisory lock, on a connection that is kept for it. When that
 * connection breaks, or its bridge ends, another one takes over. A chore has to be right also when two do it for a moment.
 */
import type pg from 'pg';
import type { Log } from '../../core/names/log.js';
import { SQL } from './instances.js';
import { rowOf } from './statements.js';

export interface Chore {
  /** For the log: what fails. */
  readonly name: string;
  /** At most so often; absent: at each turn. */
  readonly everyMs?: number;
  /** Resolves when there is nothing left to do. @param signal ends it early, between two of its steps. */
  run(signal: AbortSignal): Promise<void>;
}

interface LeaderOptions {
  readonly chores: readonly Chore[];
  readonly log: Log;
  /** Nothing is done before it; at once by default. */
  readonly after?: Promise<void>;
  readonly intervalMs?: number;
}

export interface Leader {
  /** A turn as soon as it can be, where this bridge leads. */
  soon(): void;
  close(): Promise<void>;
}

/** Any constant: the leader holds this advisory lock. */
export const LEADER_LOCK = 0x5b_1ead;

/** Where nobody took a turn of settlement for three times as long, the books were away. */
const INTERVAL_MS = 5_000;

export function startLeader(pool: pg.Pool, options: LeaderOptions): Leader {
  const leader = new Chores(pool, options);
  void (options.after ?? Promise.resolve()).then(() => leader.start());
  return leader;
}

class Chores implements Leader {
  readonly #pool: pg.Pool;
  readonly #options: LeaderOptions;
  /** From the start on. */
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  /** Chore -> when it was last done. */
  readonly #doneAtMs = new Map<Chore, number>();
  /** Holds the lock. */
  #connection: pg.PoolClient | undefined;
  #turn: Promise<void> | undefined;
  #again = false;

  constructor(pool: pg.Pool, options: LeaderOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  start(): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setInterval(() => this.soon(), this.#options.intervalMs ?? INTERVAL_MS);
    this.soon();
  }

  soon(): void {
    if (this.#closing.signal.aborted || !this.#timer) return;
    this.#again = true;
    this.#turn ??= this.#turns().finally(() => {
      this.#turn = undefined;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#turn;
    this.#leave();
  }

  async #turns(): Promise<void> {
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false;
      if (await this.#leads()) await this.#doAll();
    }
  }

  /** Takes the lock where nobody has it. A connection that broke has lost it, and is found here to be broken. */
  async #leads(): Promise<boolean> {
    try {
      if (this.#connection) {
        await this.#connection.query('SELECT');
        return true;
      }
      this.#connection = await this.#pool.connect();
      if ((await rowOf(this.#connection, SQL.lead, [LEADER_LOCK]))?.leads === true) return true;
      this.#connection.release();
      this.#connection = undefined;
    } catch (error) {
      this.#options.log.debug(
        { error: (error as Error).message },
        'who does the chores of the ledger cannot be told now',
      );
      this.#leave();
    }
    return false;
  }

  async #doAll(): Promise<void> {
    const { signal } = this.#closing;
    for (const chore of this.#options.chores) {
      if (signal.aborted) return;
      if (performance.now() - (this.#doneAtMs.get(chore) ?? Number.NEGATIVE_INFINITY) < (chore.everyMs ?? 0))
        continue;
      try {
        await chore.run(signal);
        this.#doneAtMs.set(chore, performance.now());
      } catch (error) {
        const words = `${chore.name} failed; it is tried again`;
        this.#options.log.warn({ error: (error as Error).message }, words);
      }
    }
  }

  /** The lock goes with the connection. */
  #leave(): void {
    this.#connection?.release(true);
    this.#connection = undefined;
  }
}
