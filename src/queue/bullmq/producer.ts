/** Adds entries to BullMQ, each add in bounded time. */
import type { JobsOptions } from 'bullmq';
import type { EntryId } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { type EncodedEntry, entryKey } from '../shipping/entry.js';
import {
  closeWithin,
  createEntryQueue,
  ENTRY_OPTIONS,
  type EntryQueue,
  type QueueConnection,
  within,
} from './connection.js';

const CLOSE_TIMEOUT_MS = 2000;
const ENTRY_NAME = 'entry';

/** Entries that are not recorded yet, by what BullMQ says of them. */
export interface QueueCounts {
  readonly waiting: number;
  readonly failed: number;
}

/** Where entries go. */
export type EntryAdder = Pick<Producer, 'add' | 'counts' | 'absent' | 'close'>;

export class Producer {
  readonly #connection: QueueConnection;
  readonly #log: Log;
  readonly #timeoutMs: number;
  /** Absent until the backend has answered once: BullMQ never recovers from a first connection that failed. */
  #queue: EntryQueue | undefined;
  #closed = false;
  #lastError = '';

  constructor(connection: QueueConnection, log: Log, timeoutMs: number) {
    this.#connection = connection;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when the entry is durable. After a rejection it may be so or not: add it again under the same id. */
  async add(entry: EncodedEntry): Promise<void> {
    await within(
      this.#timeoutMs,
      this.#ready().then((queue) => queue.add(ENTRY_NAME, entry, optionsOf(entry))),
    );
    this.#lastError = '';
  }

  async counts(): Promise<QueueCounts> {
    const counting = this.#ready().then((queue) =>
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    );
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await within(this.#timeoutMs, counting);
    return { waiting: waiting + active + delayed, failed };
  }

  /** Those of these entries that the backend does not hold any more, or never did. */
  async absent(ids: readonly EntryId[]): Promise<EntryId[]> {
    const absent: EntryId[] = [];
    for (const id of ids) {
      const asking = this.#ready().then((queue) => queue.getJob(entryKey(id)));
      if (!(await within(this.#timeoutMs, asking))) absent.push(id);
    }
    return absent;
  }

  async close(withinMs = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#closed = true;
    if (this.#queue) await closeWithin(this.#queue, Math.min(CLOSE_TIMEOUT_MS, withinMs));
  }

  async #ready(): Promise<EntryQueue> {
    if (this.#queue) return this.#queue;
    const queue = createEntryQueue(this.#connection);
    queue.on('error', (error) => this.#tell(error));
    try {
      await within(this.#timeoutMs, queue.waitUntilReady());
    } catch (error) {
      void closeWithin(queue, CLOSE_TIMEOUT_MS);
      throw error;
    }
    if (this.#queue) {
      void closeWithin(queue, CLOSE_TIMEOUT_MS); // another call was faster
      return this.#queue;
    }
    this.#queue = queue;
    return queue;
  }

  /** Once for each kind of trouble: a backend that is away says the same many times a second. */
  #tell(error: Error): void {
    // What a connection says while it is put away is no trouble.
    if (this.#closed || error.message === this.#lastError) return;
    this.#lastError = error.message;
    this.#log.warn({ error: error.message }, 'trouble with the share queue');
  }
}

function optionsOf({ id: [producer, number] }: EncodedEntry): JobsOptions {
  return { ...ENTRY_OPTIONS, jobId: entryKey({ producer, number }) };
}
