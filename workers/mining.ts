/**
 * Keeps every thread at work. Who mines (the CPU of the bridge, the reference rig) says what comes next for a thread
 * and hears of hits; this asks for the next part as soon as a thread is free, in batches sized by its speed.
 */
import { HashRateMeter } from './hash-rate.js';
import { ThreadDiedError, type ThreadPool } from './pool.js';
import type { Puzzle } from './search.js';

const BATCH_MS = 50;
/** Before a thread's speed is known: a fraction of a second for the plainest kernel. */
const FIRST_BATCH = 2 ** 14;
const SMALLEST_BATCH = 2 ** 10;
const LARGEST_BATCH = 2 ** 30;
/** Hits of a thread that may wait for their verdicts before it rests: an easy target must not fill the memory. */
const MAX_PENDING = 256;
/** A thread that dies at once, every time, must not turn into a busy loop: the pause doubles with each death in a row. */
const AFTER_DEATH_MS = 100;
const LONGEST_AFTER_DEATH_MS = 10_000;

/** A part of the search for one thread. */
export interface Assignment {
  readonly puzzle: Puzzle;
  /** First nonce2. */
  readonly first: number;
  readonly count: number;
  /** Called as soon as the hit is found; resolves when it has been dealt with, and never rejects. */
  found(nonce2: number): Promise<void>;
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
  readonly #pending: Set<Promise<void>>[];
  /** In a row, of each thread. */
  readonly #deaths: number[];
  readonly #waiting = new Set<() => void>();
  /** Which assignments count; those of an earlier generation are left. */
  #generation = 0;
  #closed = false;

  /** @param now milliseconds, rising; for hash rates. */
  constructor(pool: ThreadPool, miner: Miner, now: () => number) {
    this.#pool = pool;
    this.#miner = miner;
    this.#now = now;
    this.#meters = Array.from({ length: pool.threads }, () => new HashRateMeter(now()));
    this.#counts = Array.from({ length: pool.threads }, () => FIRST_BATCH);
    this.#pending = Array.from({ length: pool.threads }, () => new Set());
    this.#deaths = Array.from({ length: pool.threads }, () => 0);
    this.#loops = Array.from({ length: pool.threads }, (_, thread) => this.#mine(thread));
  }

  /** What threads were given no longer counts: running batches are abandoned, and each thread asks again. */
  restart(): void {
    this.#generation++;
    this.#pool.abandon();
    this.wake();
  }

  /** Threads without an assignment ask again. */
  wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Of each thread, over the last ten seconds. */
  hashesPerSecond(): number[] {
    return this.#meters.map((meter) => meter.hashesPerSecond(this.#now()));
  }

  /** Resolves when every thread has ended and every hit has been dealt with. */
  async close(): Promise<void> {
    this.#closed = true;
    this.restart();
    await this.#pool.close();
    await Promise.all(this.#loops);
    await Promise.all(this.#pending.flatMap((hits) => [...hits]));
  }

  async #mine(thread: number): Promise<void> {
    // The constructor's caller must be able to finish before it is asked.
    await Promise.resolve();
    while (!this.#closed) {
      const assignment = this.#miner.next(thread, this.#counts[thread] ?? FIRST_BATCH);
      if (assignment) await this.#carryOut(thread, assignment);
      else await this.#rest();
    }
  }

  /** Until woken, or for so long. */
  async #rest(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let wake: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.add(wake);
      if (ms !== undefined) timer = setTimeout(wake, ms);
    });
    clearTimeout(timer);
    this.#waiting.delete(wake);
  }

  async #carryOut(thread: number, assignment: Assignment): Promise<void> {
    const generation = this.#generation;
    try {
      for (let done = 0; done < assignment.count && generation === this.#generation; ) {
        done += await this.#runBatch(thread, assignment, done);
      }
    } catch (error) {
      if (!(error instanceof ThreadDiedError)) throw error;
      if (this.#closed) return;
      this.#miner.threadDied(thread, error);
      const deaths = this.#deaths[thread] ?? 0;
      this.#deaths[thread] = deaths + 1;
      await this.#rest(Math.min(LONGEST_AFTER_DEATH_MS, AFTER_DEATH_MS * 2 ** Math.min(deaths, 16)));
    }
  }

  /** Carries on with an assignment of which `done` nonces are tried; returns how many more are. */
  async #runBatch(
    thread: number,
    { puzzle, first, count, found }: Assignment,
    done: number,
  ): Promise<number> {
    const pending = this.#pending[thread] ?? new Set();
    const result = await this.#pool.run(puzzle, first + done, count - done, (nonce2) => {
      const dealtWith = found(nonce2).finally(() => pending.delete(dealtWith));
      pending.add(dealtWith);
    });
    this.#deaths[thread] = 0;
    this.#learn(thread, result.scanned, result.elapsedMs);
    if (pending.size >= MAX_PENDING) await Promise.all(pending);
    return result.scanned;
  }

  #learn(thread: number, scanned: number, elapsedMs: number): void {
    this.#meters[thread]?.add(scanned, this.#now());
    const last = this.#counts[thread] ?? FIRST_BATCH;
    const fits = elapsedMs > 0 ? (scanned * BATCH_MS) / elapsedMs : last;
    const bounded = Math.min(last * 4, Math.max(last / 4, fits));
    this.#counts[thread] = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, bounded)));
  }
}
