/**
 * Keeps every thread at work. Who mines (the CPU of the bridge, the reference rig) says what comes next for a thread
 * and hears of hits; this asks for the next part as soon as a thread is free, in batches sized by its speed.
 */
import type { ThreadPool } from './pool.js';
import type { Puzzle } from './search.js';

const BATCH_MS = 50;
/** Before a thread's speed is known: a fraction of a second for the slowest kernel. */
const FIRST_BATCH = 2 ** 14;
const SMALLEST_BATCH = 2 ** 10;
const LARGEST_BATCH = 2 ** 30;
/** Hits of a thread that may wait for their verdicts before it rests: an easy target must not fill the memory. */
const MAX_PENDING = 256;
/** A thread that fails at once, every time, must not turn into a busy loop: the pause doubles with each failure in a row. */
const AFTER_FAILURE_MS = 100;
const LONGEST_AFTER_FAILURE_MS = 10_000;
/** What a thread's hash rate is a mean of. */
const MEAN_MS = 10_000;

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
  /** The thread ended within an assignment, or could not be started; it is started again after a pause. */
  threadFailed(thread: number, error: Error): void;
}

interface Thread {
  /** Hashes, and the milliseconds that they took, the older the less. */
  hashes: number;
  ms: number;
  /** Nonces that take about as long as a batch should. */
  batch: number;
  isBusy: boolean;
  readonly pending: Set<Promise<void>>;
  /** In a row. */
  failures: number;
  fault: string;
}

export class Mining {
  readonly #pool: ThreadPool;
  readonly #miner: Miner;
  readonly #threads: readonly Thread[];
  readonly #loops: Promise<void>[];
  readonly #waiting = new Set<() => void>();
  /** Which assignments count; those of an earlier generation are left. */
  #generation = 0;
  #closed = false;

  constructor(pool: ThreadPool, miner: Miner) {
    this.#pool = pool;
    this.#miner = miner;
    this.#threads = Array.from({ length: pool.threads }, () => ({
      hashes: 0,
      ms: 0,
      batch: FIRST_BATCH,
      isBusy: false,
      pending: new Set(),
      failures: 0,
      fault: '',
    }));
    this.#loops = this.#threads.map((thread, number) => this.#mine(thread, number));
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

  /** Ends the threads, which must be at rest; the next assignment starts them again. */
  async endThreads(): Promise<void> {
    await this.#pool.close();
  }

  /** Of each thread, over the last ten seconds in which it hashed; 0 while it rests. */
  hashesPerSecond(): number[] {
    return this.#threads.map(({ isBusy, hashes, ms }) => (isBusy && ms > 0 ? (hashes * 1000) / ms : 0));
  }

  /** Why threads do not hash although they have work; empty while all do. */
  get trouble(): string {
    const failed = this.#threads.filter(({ failures }) => failures > 0);
    if (failed.length > 0)
      return `${failed.length} of ${this.#threads.length} threads fail: ${failed[0]?.fault}`;
    const full = this.#threads.filter(({ pending }) => pending.size >= MAX_PENDING).length;
    if (full > 0) return `${full} threads wait for answers to ${MAX_PENDING} shares each`;
    return this.#threads.every(({ ms }) => ms === 0) ? 'the threads start' : '';
  }

  /** Resolves when every thread has ended and every hit has been dealt with. */
  async close(): Promise<void> {
    this.#closed = true;
    this.restart();
    await this.#pool.close();
    await Promise.all(this.#loops);
    await Promise.all(this.#threads.flatMap(({ pending }) => [...pending]));
  }

  async #mine(thread: Thread, number: number): Promise<void> {
    // The constructor's caller must be able to finish before it is asked.
    await Promise.resolve();
    while (!this.#closed) {
      const assignment = this.#miner.next(number, thread.batch);
      if (assignment) await this.#carryOut(thread, number, assignment);
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

  async #carryOut(thread: Thread, number: number, assignment: Assignment): Promise<void> {
    const generation = this.#generation;
    try {
      for (let done = 0; done < assignment.count && generation === this.#generation; )
        done += await this.#runBatch(thread, number, assignment, done);
    } catch (error) {
      if (this.#closed) return;
      thread.fault = (error as Error).message;
      this.#miner.threadFailed(number, error as Error);
      const pauseMs = AFTER_FAILURE_MS * 2 ** Math.min(thread.failures++, 16);
      await this.#rest(Math.min(LONGEST_AFTER_FAILURE_MS, pauseMs));
    }
  }

  /** Carries on with an assignment of which `done` nonces are tried; returns how many more are. */
  async #runBatch(
    thread: Thread,
    number: number,
    { puzzle, first, count, found }: Assignment,
    done: number,
  ): Promise<number> {
    const { pending } = thread;
    thread.isBusy = true;
    try {
      const result = await this.#pool.run(number, puzzle, first + done, count - done, (nonce2) => {
        const dealtWith = found(nonce2).finally(() => pending.delete(dealtWith));
        pending.add(dealtWith);
      });
      thread.failures = 0;
      learn(thread, result.scanned, result.elapsedMs);
      return result.scanned;
    } finally {
      thread.isBusy = false;
      while (pending.size >= MAX_PENDING) await Promise.race(pending);
    }
  }
}

function learn(thread: Thread, scanned: number, elapsedMs: number): void {
  const kept = Math.exp(-elapsedMs / MEAN_MS);
  thread.hashes = thread.hashes * kept + scanned;
  thread.ms = thread.ms * kept + elapsedMs;
  const fits = elapsedMs > 0 ? (scanned * BATCH_MS) / elapsedMs : thread.batch;
  const bounded = Math.min(thread.batch * 4, Math.max(thread.batch / 4, fits));
  thread.batch = Math.round(Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, bounded)));
}
