/** Takes entries out of BullMQ and into the books. Any number of recorders, in any number of processes, may do so. */
import { setTimeout as pause } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import type { ShareLedger } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import {
  closeWithin,
  createEntryWorker,
  type EntryWorker,
  type QueueConnection,
  within,
} from './connection.js';
import { decodeEntry, EntryFormatError } from './entry.js';

export interface ShareRecorderOptions {
  readonly connection: QueueConnection;
  readonly ledger: ShareLedger;
  readonly log: Log;
  /** Entries that are recorded at the same time. */
  readonly concurrency?: number;
}

export interface ShareRecorder {
  /** Entries recorded and found recorded before, since the start. */
  readonly counts: { readonly recorded: number; readonly repeated: number };
  /** Finishes what is under way. What is not finished in time is delivered again, to whoever asks for it. */
  close(): Promise<void>;
}

const CONCURRENCY = 4;
const READY_TIMEOUT_MS = 5000;
const RETRY_MS = 1000;
const CLOSE_TIMEOUT_MS = 3000;

/** Returns at once; while the backend is away it is asked again and again. */
export function startShareRecorder(options: ShareRecorderOptions): ShareRecorder {
  const { connection, ledger, log, concurrency = CONCURRENCY } = options;
  const closing = new AbortController();
  const counts = { recorded: 0, repeated: 0 };
  const record = async (data: unknown): Promise<void> => {
    counts[await ledger.recordEntry(decodeEntry(data))]++;
  };
  const create = (): EntryWorker => {
    const worker = createEntryWorker(
      connection,
      async (job) => keepUnreadable(record(job.data)),
      concurrency,
    );
    tellTrouble(worker, log, closing.signal);
    return worker;
  };
  const starting = startWorker(create, closing.signal, log);
  return {
    counts,
    close: async () => {
      closing.abort();
      const worker = await starting;
      if (worker) await closeWithin(worker, CLOSE_TIMEOUT_MS);
    },
  };
}

/** What cannot be read today cannot be read tomorrow: BullMQ keeps it as failed instead of trying again. */
async function keepUnreadable(recording: Promise<void>): Promise<void> {
  try {
    await recording;
  } catch (error) {
    throw error instanceof EntryFormatError ? new UnrecoverableError(error.message) : error;
  }
}

/** Says each kind of trouble once: a backend that is away says the same many times a second. */
function tellTrouble(worker: EntryWorker, log: Log, closing: AbortSignal): void {
  let lastWords = '';
  const tell = (error: Error, fields: object, message: string): void => {
    // What a connection says while it is put away is no trouble.
    if (closing.aborted || error.message === lastWords) return;
    lastWords = error.message;
    log.warn({ ...fields, error: error.message }, message);
  };
  worker.on('error', (error) => tell(error, {}, 'trouble with the share queue'));
  worker.on('failed', (job, error) => {
    if (error instanceof UnrecoverableError) {
      log.error({ entry: job?.id, error: error.message }, 'an entry cannot be read: it is kept as failed');
    } else tell(error, { entry: job?.id }, 'an entry was not recorded; it is tried again');
  });
  worker.on('completed', () => {
    lastWords = '';
  });
}

/** BullMQ never recovers from a first connection that failed, so each attempt has a worker of its own. */
async function startWorker(
  create: () => EntryWorker,
  closing: AbortSignal,
  log: Log,
): Promise<EntryWorker | undefined> {
  while (!closing.aborted) {
    const worker = create();
    try {
      await within(READY_TIMEOUT_MS, worker.waitUntilReady());
      worker.run().catch((error: Error) => log.error({ error: error.message }, 'the recorder stopped'));
      return worker;
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'the recorder does not reach the share queue yet');
      void closeWithin(worker, CLOSE_TIMEOUT_MS);
      await pause(RETRY_MS, undefined, { signal: closing }).catch(() => {});
    }
  }
  return undefined;
}
