/**
 * Mining threads and their batches. A batch is small enough (about 50 ms) that results and hash rates flow, and large
 * enough that the round trip (about 80 microseconds) costs nothing. What must stop sooner is told through shared
 * memory.
 *
 * Each thread is a Piscina of one. One of many gives up a thread that fails to load a few times, without a word, and
 * leaves its work in the queue; here whoever runs a batch hears of it and starts another thread by the next one.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { KernelName } from './kernel.js';
import type { Batch, BatchResult, HitMessage, ThreadSetup } from './messages.js';
import type { Puzzle } from './search.js';
import { compiledModule } from './wasm-kernel.js';

/** Where the compiled thread lies beside the compiled pool. */
const DEFAULT_THREAD_URL = new URL('./thread.js', import.meta.url);
/** Below everything interactive, so that a machine that mines stays usable. */
const NICENESS = 10;

/** One core stays free for everything else. */
export function defaultThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}

interface Running {
  readonly found: Set<number>;
  readonly onHit: (nonce2: number) => void;
}

/** Owner of the threads; each starts with its first batch. */
export class ThreadPool {
  readonly threads: number;
  readonly kernel: KernelName;
  readonly #filename: string;
  readonly #setup: ThreadSetup;
  readonly #epoch: Int32Array;
  readonly #started: (Piscina<Batch, BatchResult> | undefined)[];
  readonly #running = new Map<number, Running>();
  #nextBatch = 0;

  /** @param threadUrl the compiled workers/thread.js, for those who run the sources. */
  constructor(threads: number, kernel: KernelName, threadUrl: URL = DEFAULT_THREAD_URL) {
    this.threads = threads;
    this.kernel = kernel;
    this.#filename = threadUrl.href;
    const epoch = new SharedArrayBuffer(4);
    this.#epoch = new Int32Array(epoch);
    this.#setup = { kernel, module: compiledModule(kernel), epoch };
    this.#started = Array.from({ length: threads }, () => undefined);
  }

  /** Threads that are there. */
  get started(): number {
    return this.#started.filter((thread) => thread !== undefined).length;
  }

  /**
   * Scans `count` values of nonce2 from `first` on. Each hit is told once, as soon as it is found and before this
   * resolves. Rejects when the thread has ended before; what it had found was told, and the next batch starts another.
   *
   * @param thread 0 to `threads` - 1, one batch at a time.
   */
  async run(
    thread: number,
    puzzle: Puzzle,
    first: number,
    count: number,
    onHit: (nonce2: number) => void,
  ): Promise<BatchResult> {
    const id = this.#nextBatch++;
    this.#running.set(id, { found: new Set(), onHit });
    const piscina = this.#started[thread] ?? this.#start(thread);
    this.#started[thread] = piscina;
    try {
      const epoch = Atomics.load(this.#epoch, 0);
      const result = await piscina.run({ id, epoch, puzzle, first, count });
      for (const nonce2 of result.hits) this.#deliver(id, nonce2);
      return result;
    } catch (cause) {
      await this.#end(thread, piscina);
      throw cause;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Every batch that runs now ends as soon as its thread looks. */
  abandon(): void {
    Atomics.add(this.#epoch, 0, 1);
  }

  /** Ends every thread at once as if it had crashed. For tests of that. */
  async killThreads(): Promise<void> {
    const threads = this.#started.flatMap((piscina) => piscina?.threads ?? []);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  /** Ends the threads; batches under way are abandoned. A batch that comes later starts its thread again. */
  async close(): Promise<void> {
    this.abandon();
    await Promise.all(this.#started.map((piscina, thread) => piscina && this.#end(thread, piscina)));
  }

  #start(thread: number): Piscina<Batch, BatchResult> {
    const piscina = new Piscina<Batch, BatchResult>({
      filename: this.#filename,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      niceIncrement: NICENESS,
      workerData: this.#setup,
    });
    piscina.on('message', (message: HitMessage) => this.#deliver(message.batch, message.nonce2));
    // It ended between two batches, or failed to load: what waits for it is rejected.
    piscina.on('error', () => void this.#end(thread, piscina));
    return piscina;
  }

  async #end(thread: number, piscina: Piscina<Batch, BatchResult>): Promise<void> {
    if (this.#started[thread] === piscina) this.#started[thread] = undefined;
    await piscina.destroy();
  }

  #deliver(batch: number, nonce2: number): void {
    const running = this.#running.get(batch);
    if (!running || running.found.has(nonce2)) return;
    running.found.add(nonce2);
    running.onHit(nonce2);
  }
}
