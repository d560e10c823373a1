/** Adds entries to BullMQ, each add in bounded time. */
import type { JobsOptions } from 'bullmq';
import type { Log } from '../../core/names/log.js';
import { type EncodedEntry, entryKey, SHARES } from '../shipping/entry.js';
import { FOR_EVER, type QueueConnection } from './connection.js';
import { ReadyQueue } from './ready.js';

const ENTRY_NAME = 'entry';

/** An entry is tried until it is recorded; what cannot ever be is kept as failed. */
const ENTRY_OPTIONS = {
  attempts: FOR_EVER,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: false,
  // The last trace says it all; kept for each attempt they would outgrow the entry.
  stackTraceLimit: 1,
} satisfies JobsOptions;

/** Entries that are not recorded yet, by what BullMQ says of them. */
interface QueueCounts {
  readonly waiting: number;
  readonly failed: number;
}

/** Where entries go. */
export type EntryAdder = Pick<EntryQueue, 'add' | 'counts' | 'close'>;

export class EntryQueue {
  readonly #queue: ReadyQueue<EncodedEntry>;

  constructor(connection: QueueConnection, log: Log, timeoutMs: number) {
    this.#queue = new ReadyQueue(SHARES, connection, log, timeoutMs);
  }

  /** Resolves when the entry is durable. After a rejection it may be so or not: add it again under the same id. */
  async add(entry: EncodedEntry): Promise<void> {
    const [log, number] = entry.id;
    const options = { ...ENTRY_OPTIONS, jobId: entryKey({ log, number }) };
    await this.#queue.ask((queue) => queue.add(ENTRY_NAME, entry, options));
  }

  async counts(): Promise<QueueCounts> {
    const counts = await this.#queue.ask((queue) =>
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    );
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return { waiting: waiting + active + delayed, failed };
  }

  async close(withinMs?: number): Promise<void> {
    await this.#queue.close(withinMs);
  }
}
