/**
 * Keeps every thread at work. Who mines (the CPU of the bridge, the reference rig) says what comes next for a thread
 * and hears of hits; this asks for the next part as soon as a thread is free, in batches sized by its speed.
 */
import { HashRateMeter } from './hash-rate.js';
import { ThreadDiedError, type ThreadPool } from './pool.js';
import type { Puzzle } from './search.js';

const BATCH_MS = 50;
/** Before a thread's speed is known: a few milliseconds for the fastest kernel, under a second for the plainest. */
const FIRST_BATCH = 2 ** 17;
const SMALLEST_BATCH = 2 ** 10;
const LARGEST_BATCH = 2 ** 30;
/** A thread that dies at once, every time, must not turn into a busy loop. */
const AFTER_DEATH_MS = 100;

/** A part of the search for one thread. */
export interface Assignment {
  readonly puzzle: Puzzle;
  /** First nonce2. */
  readonly first: number;
  readonly count: number;
  /** Called as soon as the hit is found; must not throw. */
  found(nonce2: number): void;
}

export interface Miner {
  /** At most `count` nonces for a thread, never given before; `undefined` when there is nothing to do until told. */
  next(thread: number, count: number): Assignment | undefined;
  /** The thread died within an assignment and is being replaced. */
  threadDied(thread: number, error: ThreadDiedError): void;
}

export class Mining {
  readonly #pool: ThreadPool;
  readonly #miner: Miner;
  readonly #now: () => number;
  readonly #meters: HashRateMeter[];
  readonly #loops: Promise<void>[];
  readonly #counts: number[];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** @param now milliseconds, rising; for hash rates. */
  constructor(pool: ThreadPool, miner: Miner, now: () => number) {
    this.#pool = pool;
    this.#miner = miner;
    this.#now = now;
    this.#meters = Array.from({ length: pool.threads }, () => new HashRateMeter(now()));
    this.#counts = Array.from({ length: pool.threads }, () => FIRST_BATCH);
    this.#loops = Array.from({ length: pool.threads }, (_, thread) => this.#mine(thread));
  }

  /** What threads were given no longer counts: running batches are abandoned, and each thread asks again. */
  restart(): void {
    this.#pool.abandon();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Of each thread, over the last ten seconds. */
  hashesPerSecond(): number[] {
    return this.#meters.map((meter) => meter.hashesPerSecond(this.#now()));
  }

  /** Resolves when every thread has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.restart();
    await this.#pool.close();
    await Promise.all(this.#loops);
  }

  async #mine(thread: number): Promise<void> {
    // The constructor's caller must be able to finish before it is asked.
    await Promise.resolve();
    while (!this.#closed) {
      const assignment = this.#miner.next(thread, this.#counts[thread] ?? FIRST_BATCH);
      if (assignment) await this.#carryOut(thread, assignment);
      else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async #carryOut(thread: number, assignment: Assignment): Promise<void> {
    try {
      for (let done = 0; done < assignment.count; ) {
        const result = await this.#pool.run(
          assignment.puzzle,
          assignment.first + done,
          assignment.count - done,
          assignment.found,
        );
        done += result.scanned;
        this.#learn(thread, result.scanned, result.elapsedMs);
        if (result.abandoned) return;
      }
    } catch (error) {
      if (!(error instanceof ThreadDiedError)) throw error;
      if (this.#closed) return;
      this.#miner.threadDied(thread, error);
      await new Promise((resolve) => setTimeout(resolve, AFTER_DEATH_MS));
    }
  }

  #learn(thread: number, scanned: number, elapsedMs: number): void {
    this.#meters[thread]?.add(scanned, this.#now());
    const last = this.#counts[thread] ?? FIRST_BATCH;
    const fits = elapsedMs > 0 ? (scanned * BATCH_MS) / elapsedMs : last;
    const bounded = Math.min(last * 4, Math.max(last / 4, fits));
    this.#counts[thread] = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, bounded)));
  }
}
