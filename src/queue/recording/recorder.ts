/**
 * Takes entries out of BullMQ and into the books: those that came while one transaction ran are booked by the next, together.
 * Any number of recorders, in any number of processes, may do so.
 */
import { UnrecoverableError } from 'bullmq';
import type { ShareLedger } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { closeWithin, createWorker, type QueueConnection, type WorkerOf } from '../bullmq/connection.js';
import { startWorker } from '../bullmq/ready.js';
import {
  decodeEntry,
  type EncodedEntry,
  EntryFormatError,
  EntryVersionError,
  SHARES,
} from '../shipping/entry.js';
import { Together } from './together.js';

interface ShareRecorderOptions {
  readonly connection: QueueConnection;
  readonly ledger: ShareLedger;
  readonly log: Log;
  /** Entries that are taken out at the same time. */
  readonly concurrency?: number;
  /** What a killed recorder held is taken up by another after so long, or twice. */
  readonly lockMs?: number;
}

export interface ShareRecorder {
  /** Entries recorded and found recorded before, since the start. */
  readonly counts: { readonly recorded: number; readonly repeated: number };
  /** Finishes what is under way. What is not finished in time is delivered again, to whoever asks for it. */
  close(withinMs?: number): Promise<void>;
}

/** Entries that are booked together at the most. */
const CONCURRENCY = 16;
/** BullMQ's own. */
const LOCK_MS = 30_000;
/** The same trouble is said again after so long. */
const SAY_AGAIN_MS = 60_000;
const CLOSE_TIMEOUT_MS = 3000;
const MAX_BACKOFF_MS = 30_000;

const CONFLICT =
  'another entry is booked under its number: were two bridges started on copies of one data directory?';

/** 100 ms, 200 ms, 400 ms, … 30 s. */
function backoffMs(attemptsMade: number): number {
  return Math.min(MAX_BACKOFF_MS, 100 * 2 ** Math.min(attemptsMade - 1, 20));
}

/** Returns at once; while the backend is away it is asked again and again. */
export function startShareRecorder(options: ShareRecorderOptions): ShareRecorder {
  const { connection, ledger, log, concurrency = CONCURRENCY, lockMs = LOCK_MS } = options;
  const closing = new AbortController();
  const counts = { recorded: 0, repeated: 0 };
  const trouble = new Trouble(log, closing.signal);
  const tell = (error: Error): void => trouble.warn(error, {}, 'entries wait for the ledger');
  const together = new Together(ledger, tell, closing.signal);
  const record = async (data: unknown): Promise<void> => {
    const outcome = await together.record(decodeEntry(data));
    if (outcome === 'conflict') throw new UnrecoverableError(CONFLICT);
    counts[outcome]++;
  };
  const create = (): WorkerOf<EncodedEntry> => {
    const worker = createWorker<EncodedEntry>(
      SHARES,
      connection,
      async (job) => keepUnreadable(record(job.data)),
      {
        ...{ settings: { backoffStrategy: backoffMs }, concurrency },
        lockDuration: lockMs,
        stalledInterval: lockMs,
      },
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
 * What cannot be read, or is refused for itself, is kept by BullMQ as failed, for `ledger entry`; what a later version reads is tried
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

function tellTrouble(worker: WorkerOf<EncodedEntry>, log: Log, trouble: Trouble): void {
  worker.on('error', (error) => trouble.warn(error, {}, 'trouble with the share queue'));
  worker.on('failed', (job, error) => {
    const fields = { entry: job?.id };
    if (error instanceof UnrecoverableError) {
      const words = 'an entry cannot be read or booked: it is kept, and `ledger entry list` shows it';
      log.error({ ...fields, error: error.message }, words);
    } else if (error instanceof EntryVersionError) {
      trouble.error(error, fields, 'entries of a later version wait in the queue; they are tried again');
    } else trouble.warn(error, fields, 'an entry was not recorded; it is tried again');
  });
}
