/**
 * Mining threads and their batches. A batch is small enough (about 50 ms) that results and hash rates flow, and large
 * enough that the round trip (about 80 microseconds) costs nothing. What must stop sooner is told through shared
 * memory.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { type Log, SILENT } from '../src/core/names/log.js';
import type { KernelName } from './kernel.js';
import type { Batch, BatchResult, HitMessage, ThreadSetup } from './messages.js';
import type { Puzzle } from './search.js';

/** Where the compiled thread lies beside the compiled pool. */
const DEFAULT_THREAD_URL = new URL('./thread.js', import.meta.url);
/** Below everything interactive, so that a machine that mines stays usable. */
const NICENESS = 10;

/** One core stays free for everything else. */
export function defaultThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}

export interface ThreadPoolOptions {
  readonly threads: number;
  readonly kernel: KernelName;
  /** The compiled workers/thread.js, for those who run the sources. */
  readonly threadUrl?: URL | undefined;
  readonly log?: Log;
}

/** A batch's thread ended before the batch did. What it had found was reported. */
export class ThreadDiedError extends Error {
  override readonly name = 'ThreadDiedError';
  readonly code = 'thread-died';
}

interface Running {
  readonly found: Set<number>;
  readonly onHit: (nonce2: number) => void;
}

/** Owner of the threads. Threads that die are replaced. */
export class ThreadPool {
  readonly threads: number;
  readonly kernel: KernelName;
  readonly #epoch = new Int32Array(new SharedArrayBuffer(4));
  readonly #piscina: Piscina<Batch, BatchResult>;
  readonly #running = new Map<number, Running>();
  #nextBatch = 0;

  constructor(options: ThreadPoolOptions) {
    this.threads = options.threads;
    this.kernel = options.kernel;
    const setup: ThreadSetup = { kernel: options.kernel, epoch: this.#epoch.buffer as SharedArrayBuffer };
    this.#piscina = new Piscina<Batch, BatchResult>({
      filename: (options.threadUrl ?? DEFAULT_THREAD_URL).href,
      minThreads: options.threads,
      maxThreads: options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      niceIncrement: NICENESS,
      workerData: setup,
    });
    this.#piscina.on('message', (message: HitMessage) => this.#deliver(message.batch, message.nonce2));
    const { log = SILENT } = options;
    this.#piscina.on('error', (error: Error) =>
      log.warn({ event: 'thread-died', error: error.message }, 'a mining thread without work is replaced'),
    );
  }

  /**
   * Scans `count` values of nonce2 from `first` on. Each hit is told once, as soon as it is found and before this
   * resolves. Throws {@link ThreadDiedError}.
   */
  async run(
    puzzle: Puzzle,
    first: number,
    count: number,
    onHit: (nonce2: number) => void,
  ): Promise<BatchResult> {
    const id = this.#nextBatch++;
    this.#running.set(id, { found: new Set(), onHit });
    try {
      const result = await this.#piscina.run({
        id,
        epoch: Atomics.load(this.#epoch, 0),
        puzzle,
        first,
        count,
      });
      for (const nonce2 of result.hits) this.#deliver(id, nonce2);
      return result;
    } catch (cause) {
      throw new ThreadDiedError(`a mining thread died: ${(cause as Error).message}`, { cause });
    } finally {
      this.#running.delete(id);
    }
  }

  /** Every batch that runs now, and every one queued, ends as soon as its thread looks. */
  abandon(): void {
    Atomics.add(this.#epoch, 0, 1);
  }

  /** Ends every thread at once as if it had crashed; each is replaced. For tests of that. */
  async killThreads(): Promise<void> {
    await Promise.all(this.#piscina.threads.map((thread) => thread.terminate()));
  }

  /** Ends the threads; batches under way are abandoned. */
  async close(): Promise<void> {
    this.abandon();
    await this.#piscina.destroy();
  }

  #deliver(batch: number, nonce2: number): void {
    const running = this.#running.get(batch);
    if (!running || running.found.has(nonce2)) return;
    running.found.add(nonce2);
    running.onHit(nonce2);
  }
}
