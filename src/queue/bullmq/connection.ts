/** BullMQ on PostgreSQL or on Redis: the same queue, and what it takes to never wait for ever for either. */
import {
  type BackendFactory,
  createPostgresBackend,
  type JobsOptions,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  type Processor,
  Queue,
  type RedisOptions,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import pg from 'pg';
import { splitDatabaseUrl } from '../../core/names/database-url.js';
import type { EncodedEntry } from '../shipping/entry.js';

export type QueueConnection = (
  | { readonly backend: 'postgres'; readonly connectionString: string }
  | { readonly backend: 'redis'; readonly url: string }
) & {
  /** For who only looks: nothing is made or changed where there is no queue, or an older one. */
  readonly asItIs?: true;
};

/** What is used of BullMQ's classes, whose types differ by backend. */
interface Part {
  waitUntilReady(): Promise<void>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface EntryQueue extends Part {
  add(name: string, entry: EncodedEntry, options: JobsOptions): Promise<unknown>;
  getJob(id: string): Promise<unknown>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed' | 'failed')[]): Promise<Record<string, number>>;
}

export interface EntryWorker extends Part {
  run(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (entry: { id?: string } | undefined, error: Error) => void): unknown;
  on(event: 'completed', listener: () => void): unknown;
}

export type EntryProcessor = Processor<EncodedEntry, unknown, string>;

export const QUEUE_NAME = 'shares';
const SCHEMA = 'stratum_queue';
const REDIS_PREFIX = 'stratum-bridge';
const CONNECT_TIMEOUT_MS = 2000;
const DISCONNECT_TIMEOUT_MS = 500;
const QUERY_TIMEOUT_MS = 10_000;
/** Of PostgreSQL: the server gives up first, so that nothing goes on there that nobody waits for here. */
const STATEMENT_TIMEOUT_MS = 8_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
/** Of Redis: a connection on which nothing is heard for so long, though something was asked, is given up. */
const PRODUCER_SILENCE_MS = 5000;
/** BullMQ's workers let Redis keep silent for up to 10 s. */
const WORKER_SILENCE_MS = 20_000;
const KEEP_ALIVE_MS = 5000;
const MAX_BACKOFF_MS = 30_000;
/** BullMQ keeps this in 32 bits. */
const FOR_EVER = 2_000_000_000;

/** An entry is tried until it is recorded; what cannot ever be is kept as failed. */
export const ENTRY_OPTIONS = {
  attempts: FOR_EVER,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: false,
  // The last trace says it all; kept for each attempt they would outgrow the entry.
  stackTraceLimit: 1,
} satisfies JobsOptions;

/** 100 ms, 200 ms, 400 ms, … 30 s. */
function backoffMs(attemptsMade: number): number {
  return Math.min(MAX_BACKOFF_MS, 100 * 2 ** Math.min(attemptsMade - 1, 20));
}

/** Events are for watching only, and nobody does: a few are kept. */
const QUEUE_OPTIONS = { streams: { events: { maxLen: 100 } }, prefix: REDIS_PREFIX };

const WORKER_OPTIONS = {
  prefix: REDIS_PREFIX,
  // Short, because an entry that was delivered twice costs nothing: what a killed recorder held is taken up soon.
  lockDuration: 5_000,
  stalledInterval: 2_500,
  maxStalledCount: FOR_EVER,
  runRetryDelay: 1_000,
  settings: { backoffStrategy: backoffMs },
} satisfies Omit<WorkerOptions, 'connection'>;

export function createEntryQueue(connection: QueueConnection): EntryQueue {
  const { asItIs = false } = connection;
  const queueOptions = { ...QUEUE_OPTIONS, skipMetasUpdate: asItIs };
  if (connection.backend === 'redis') {
    return new Queue(QUEUE_NAME, {
      ...queueOptions,
      connection: { ...redisOptions(connection.url, PRODUCER_SILENCE_MS), commandTimeout: QUERY_TIMEOUT_MS },
    });
  }
  const options = { ...queueOptions, connection: postgresOptions(connection.connectionString, !asItIs) };
  return new Queue(QUEUE_NAME, options, postgresBackend);
}

export function createEntryWorker(
  connection: QueueConnection,
  processor: EntryProcessor,
  concurrency: number,
): EntryWorker {
  const options = { ...WORKER_OPTIONS, concurrency, autorun: false };
  if (connection.backend === 'redis') {
    return new Worker(QUEUE_NAME, processor, {
      ...options,
      connection: redisOptions(connection.url, WORKER_SILENCE_MS),
    });
  }
  const postgres = { ...options, connection: postgresOptions(connection.connectionString) };
  return new Worker(QUEUE_NAME, processor, postgres, postgresBackend);
}

/**
 * Connections that break where BullMQ has no listener for the error would end the process: while it has one out of the pool (at its
 * migrations), and when the one that waits for notices is broken in the moment it stands. The query in progress rejects anyway.
 */
const postgresBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (...args) => {
  const backend = createPostgresBackend(...args);
  backend.connection.pool.on('connect', (client) => client.on('error', () => {}));
  Object.assign(backend.connection, { pgModule: { ...pg, Client: HeardClient } });
  return backend;
};

class HeardClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    this.on('error', () => {}); // BullMQ hears of it by a listener of its own
  }
}

function postgresOptions(connectionString: string, migrate = true): PostgresConnectionOptions {
  return {
    ...splitDatabaseUrl(connectionString),
    schema: SCHEMA,
    migrate,
    max: 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  };
}

/** A time limit for a command says nothing to its connection, and one that is half open would be kept for hours. */
function redisOptions(url: string, silenceMs: number): RedisOptions {
  return {
    url,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(100 * times, 2000),
    socketTimeout: silenceMs,
    keepAlive: KEEP_ALIVE_MS,
  };
}

/** Neither may hold up an end: a backend that is away is left without a word. */
export async function closeWithin(part: Part, timeoutMs: number): Promise<void> {
  await within(timeoutMs, part.close())
    .catch(() => within(DISCONNECT_TIMEOUT_MS, part.disconnect()))
    .catch(() => {});
}

/** Rejects when `promise` does not settle in time; what it does later is nobody's concern. */
export async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  promise.catch(() => {}); // when it is late, its failure has no listener
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
