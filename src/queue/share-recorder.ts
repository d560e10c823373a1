/** Takes entries out of BullMQ and into the books. Any number of recorders, in any number of processes, may do so. */
import { setTimeout as pause } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import type { ShareEntry, ShareLedger } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import {
  closeWithin,
  createEntryWorker,
  type EntryWorker,
  type QueueConnection,
  within,
} from './connection.js';
import { decodeEntry, EntryFormatError, EntryVersionError } from './entry.js';

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
/** Between attempts at a ledger that is away. */
const LEDGER_DELAYS_MS = { first: 100, last: 5000 };
/** Then the entry goes back to the queue for a while, lest one that never goes through holds a place for ever. */
const HOLD_ATTEMPTS = 15;
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
  const record = async (data: unknown): Promise<void> => {
    counts[await recordPatiently(ledger, decodeEntry(data), trouble, closing.signal)]++;
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
    close: async () => {
      closing.abort();
      const worker = await starting;
      if (worker) await closeWithin(worker, CLOSE_TIMEOUT_MS);
    },
  };
}

/**
 * Holds the entry while the ledger is away: failing it would make the queue write it anew for each attempt, and the next
 * entry would fare no better.
 */
async function recordPatiently(
  ledger: ShareLedger,
  entry: ShareEntry,
  trouble: Trouble,
  signal: AbortSignal,
): Promise<'recorded' | 'repeated'> {
  let delayMs = LEDGER_DELAYS_MS.first;
  for (let attempt = 1; ; attempt++) {
    try {
      return await ledger.recordEntry(entry);
    } catch (error) {
      const isAway = (error as { code?: unknown }).code === 'away';
      if (!isAway || signal.aborted || attempt >= HOLD_ATTEMPTS) throw error;
      trouble.warn(error as Error, {}, 'entries wait for the ledger');
      await pause(delayMs, undefined, { signal }).catch(() => {});
      delayMs = Math.min(2 * delayMs, LEDGER_DELAYS_MS.last);
    }
  }
}

/** What cannot be read is kept by BullMQ as failed, for `ledger queue`; what a later version reads is tried again. */
async function keepUnreadable(recording: Promise<void>): Promise<void> {
  try {
    await recording;
  } catch (error) {
    throw error instanceof EntryFormatError ? new UnrecoverableError(error.message) : error;
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
      const words = 'an entry cannot be read: it is kept, and `ledger queue` shows it';
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
