/**
 * Takes entries out of BullMQ and into the books: those that came while one transaction ran are booked by the next, together.
 * Any number of recorders, in any number of processes, may do so.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import type { ShareLedger } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import {
  closeWithin,
  createEntryWorker,
  type EntryWorker,
  type QueueConnection,
  within,
} from '../bullmq/connection.js';
import { decodeEntry, EntryFormatError, EntryVersionError } from '../shipping/entry.js';
import { Together } from './together.js';

export interface ShareRecorderOptions {
  readonly connection: QueueConnection;
  readonly ledger: ShareLedger;
  readonly log: Log;
  /** Entries that are taken out at the same time. */
  readonly concurrency?: number;
}

export interface ShareRecorder {
  /** Entries recorded and found recorded before, since the start. */
  readonly counts: { readonly recorded: number; readonly repeated: number };
  /** Finishes what is under way. What is not finished in time is delivered again, to whoever asks for it. */
  close(withinMs?: number): Promise<void>;
}

/** Entries that are booked together at the most. */
const CONCURRENCY = 16;
/** The same trouble is said again after so long. */
const SAY_AGAIN_MS = 60_000;
const READY_TIMEOUT_MS = 5000;
const RETRY_MS = 1000;
const CLOSE_TIMEOUT_MS = 3000;

/** Returns at once; while the backend is away it is asked again and again. */
export function startShareRecorder(options: ShareRecorderOptions): ShareRecorder {
  const { connection, ledger, log, concurrency = CONCURRENCY } = options;
  const closing = new AbortController();
  const counts = { recorded: 0, repeated: 0 };
  const trouble = new Trouble(log, closing.signal);
  const tell = (error: Error): void => trouble.warn(error, {}, 'entries wait for the ledger');
  const together = new Together(ledger, tell, closing.signal);
  const record = async (data: unknown): Promise<void> => {
    counts[await together.record(decodeEntry(data))]++;
  };
  const create = (): EntryWorker => {
    const worker = createEntryWorker(
      connection,
      async (job) => keepUnreadable(record(job.data)),
      concurrency,
    );
    tellTrouble(worker, log, trouble);
    return worker;
  };
  const starting = startWorker(create, closing.signal, log);
  return {
    counts,
    close: async (withinMs = CLOSE_TIMEOUT_MS) => {
      closing.abort();
      const worker = await starting;
      if (worker) await closeWithin(worker, Math.min(CLOSE_TIMEOUT_MS, withinMs));
    },
  };
}

/**
 * What cannot be read, or is refused for itself, is kept by BullMQ as failed, for `ledger queue`; what a later version reads is tried
 * again.
 */
async function keepUnreadable(recording: Promise<void>): Promise<void> {
  try {
    await recording;
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown };
    const isHopeless = error instanceof EntryFormatError || code === 'refused';
    throw isHopeless ? new UnrecoverableError(message) : error;
  }
}

/** Says each kind of trouble once a minute: what is away says the same many times a second. */
class Trouble {
  readonly #log: Log;
  readonly #closing: AbortSignal;
  readonly #saidAtMs = new Map<string, number>();

  constructor(log: Log, closing: AbortSignal) {
    this.#log = log;
    this.#closing = closing;
  }

  warn(error: Error, fields: object, message: string): void {
    this.#say('warn', error, fields, message);
  }

  error(error: Error, fields: object, message: string): void {
    this.#say('error', error, fields, message);
  }

  #say(level: 'warn' | 'error', error: Error, fields: object, message: string): void {
    const nowMs = performance.now();
    // What a connection says while it is put away is no trouble.
    if (this.#closing.aborted || nowMs - (this.#saidAtMs.get(error.message) ?? -SAY_AGAIN_MS) < SAY_AGAIN_MS)
      return;
    for (const [words, saidAtMs] of this.#saidAtMs)
      if (nowMs - saidAtMs >= SAY_AGAIN_MS) this.#saidAtMs.delete(words);
    this.#saidAtMs.set(error.message, nowMs);
    this.#log[level]({ ...fields, error: error.message }, message);
  }
}

function tellTrouble(worker: EntryWorker, log: Log, trouble: Trouble): void {
  worker.on('error', (error) => trouble.warn(error, {}, 'trouble with the share queue'));
  worker.on('failed', (job, error) => {
    const fields = { entry: job?.id };
    if (error instanceof UnrecoverableError) {
      const words = 'an entry cannot be read or booked: it is kept, and `ledger queue` shows it';
      log.error({ ...fields, error: error.message }, words);
    } else if (error instanceof EntryVersionError) {
      trouble.error(error, fields, 'entries of a later version wait in the queue; they are tried again');
    } else trouble.warn(error, fields, 'an entry was not recorded; it is tried again');
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
