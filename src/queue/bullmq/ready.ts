/** BullMQ never recovers from a first connection that failed: until one stands, each attempt has a queue or worker of its own. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import {
  closeWithin,
  createQueue,
  type QueueConnection,
  type QueueOf,
  type WorkerOf,
  within,
} from './connection.js';

const READY_TIMEOUT_MS = 5000;
const RETRY_MS = 1000;
const CLOSE_TIMEOUT_MS = 3000;

/** A queue that is asked in bounded time. */
export class ReadyQueue<Data> {
  readonly #name: string;
  readonly #connection: QueueConnection;
  readonly #log: Log;
  readonly #timeoutMs: number;
  #queue: QueueOf<Data> | undefined;
  #closed = false;
  #lastError = '';

  constructor(name: string, connection: QueueConnection, log: Log, timeoutMs: number) {
    this.#name = name;
    this.#connection = connection;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** What was asked may have happened or not where this rejects. */
  async ask<T>(question: (queue: QueueOf<Data>) => Promise<T>): Promise<T> {
    const answer = await within(this.#timeoutMs, this.#ready().then(question));
    this.#lastError = '';
    return answer;
  }

  async close(withinMs = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#closed = true;
    if (this.#queue) await closeWithin(this.#queue, Math.min(CLOSE_TIMEOUT_MS, withinMs));
  }

  async #ready(): Promise<QueueOf<Data>> {
    if (this.#queue) return this.#queue;
    const queue = createQueue<Data>(this.#name, this.#connection);
    queue.on('error', (error) => this.#tell(error));
    try {
      await within(this.#timeoutMs, queue.waitUntilReady());
    } catch (error) {
      void closeWithin(queue, CLOSE_TIMEOUT_MS);
      throw error;
    }
    if (this.#queue || this.#closed) void closeWithin(queue, CLOSE_TIMEOUT_MS); // another call was faster
    this.#queue ??= queue;
    return this.#queue;
  }

  /** Once for each kind of trouble: a backend that is away says the same many times a second. */
  #tell(error: Error): void {
    // What a connection says while it is put away is no trouble.
    if (this.#closed || error.message === this.#lastError) return;
    this.#lastError = error.message;
    this.#log.warn({ queue: this.#name, error: error.message }, 'trouble with a queue');
  }
}

/** Asks again and again while the backend is away. `undefined` when it was closed before. */
export async function startWorker<Data>(
  create: () => WorkerOf<Data>,
  closing: AbortSignal,
  log: Log,
): Promise<WorkerOf<Data> | undefined> {
  while (!closing.aborted) {
    const worker = create();
    try {
      await within(READY_TIMEOUT_MS, worker.waitUntilReady());
      worker
        .run()
        .catch((error: Error) => log.error({ error: error.message }, 'a worker of a queue stopped'));
      return worker;
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'a queue cannot be reached yet');
      void closeWithin(worker, CLOSE_TIMEOUT_MS);
      await pause(RETRY_MS, undefined, { signal: closing }).catch(() => {});
    }
  }
  return undefined;
}
