/** BullMQ on PostgreSQL or on Redis: the same queue, and what it takes to never wait for ever for either. */
import {
  type BackendFactory,
  createPostgresBackend,
  type Job,
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

export type QueueConnection = (
  | { readonly backend: 'postgres'; readonly connectionString: string }
  | { readonly backend: 'redis'; readonly url: string }
) & {
  /** For who only looks: nothing is made or changed where there is no queue, or an older one. */
  readonly asItIs?: true;
  /** To PostgreSQL at the most, beside the one on which a worker listens. */
  readonly most?: number;
};

/** What is used of BullMQ's classes, whose types differ by backend. */
interface Part {
  waitUntilReady(): Promise<void>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

type Used = 'add' | 'addBulk' | 'getJob' | 'getJobs' | 'getJobCounts' | 'getMetrics' | 'rateLimit';

export type QueueOf<Data> = Part & Pick<Queue<Data>, Used | 'setGlobalConcurrency'>;

export interface WorkerOf<Data> extends Part {
  run(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: Job<Data> | undefined, error: Error) => void): unknown;
  on(event: 'completed', listener: () => void): unknown;
}

const SCHEMA = 'stratum_queue';
const REDIS_PREFIX = 'stratum-bridge';
const CONNECT_TIMEOUT_MS = 2000;
const DISCONNECT_TIMEOUT_MS = 500;
const QUERY_TIMEOUT_MS = 10_000;
/** Of PostgreSQL: the server gives up first, so that nothing goes on there that nobody waits for here. */
const STATEMENT_TIMEOUT_MS = 8_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
/** Of Redis: a connection on which nothing is heard for so long, though something was asked, is given up. */
const QUEUE_SILENCE_MS = 5000;
/** BullMQ's workers let Redis keep silent for up to 10 s. */
const WORKER_SILENCE_MS = 20_000;
const KEEP_ALIVE_MS = 5000;
/** PostgreSQL tells of what is new, and BullMQ knows when the next delayed one is due: what it asks besides is for a connection that broke unseen. */
const ASKED_BESIDES_S = 30;
/** BullMQ keeps this in 32 bits. */
export const FOR_EVER = 2_000_000_000;

/** Events are for watching only, and nobody does: a few are kept. */
const QUEUE_OPTIONS = { streams: { events: { maxLen: 100 } }, prefix: REDIS_PREFIX };

const WORKER_OPTIONS = {
  prefix: REDIS_PREFIX,
  maxStalledCount: FOR_EVER,
  runRetryDelay: 1_000,
  autorun: false,
} satisfies Omit<WorkerOptions, 'connection'>;

export function createQueue<Data>(name: string, connection: QueueConnection): QueueOf<Data> {
  const { asItIs = false } = connection;
  const queueOptions = { ...QUEUE_OPTIONS, skipMetasUpdate: asItIs };
  if (connection.backend === 'redis') {
    return new Queue<Data>(name, {
      ...queueOptions,
      connection: { ...redisOptions(connection.url, QUEUE_SILENCE_MS), commandTimeout: QUERY_TIMEOUT_MS },
    });
  }
  const options = { ...queueOptions, connection: postgresOptions(connection) };
  return new Queue(name, options, postgresBackend) as unknown as QueueOf<Data>;
}

export function createWorker<Data>(
  name: string,
  connection: QueueConnection,
  processor: Processor<Data, unknown, string>,
  given: Omit<WorkerOptions, 'connection'>,
): WorkerOf<Data> {
  const options = { ...WORKER_OPTIONS, ...given };
  if (connection.backend === 'redis') {
    return new Worker(name, processor, {
      ...options,
      connection: redisOptions(connection.url, WORKER_SILENCE_MS),
    });
  }
  const postgres = { ...options, drainDelay: ASKED_BESIDES_S, connection: postgresOptions(connection) };
  return new Worker(name, processor, postgres, postgresBackend);
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

  /** BullMQ takes off all of them when it ends this one, which may break until then: as where the database stops with the bridge. */
  override removeAllListeners(event?: string | symbol): this {
    return super.removeAllListeners(event).on('error', () => {});
  }
}

function postgresOptions({
  connectionString,
  asItIs,
  most = 4,
}: QueueConnection & { backend: 'postgres' }): PostgresConnectionOptions {
  return {
    ...splitDatabaseUrl(connectionString),
    schema: SCHEMA,
    migrate: !asItIs,
    max: most,
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
    // A primary that has become a replica, and left its connections open.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
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
