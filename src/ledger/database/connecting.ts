/** Connections to the database of the ledger, each handed out only once the books are of this version. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../core/names/log.js';

interface BooksPool {
  readonly pool: pg.Pool;
  /** Resolves once a connection was handed out. Stays open while the database is away, and for ever after an end. */
  readonly ready: Promise<void>;
}

const RETRY_MS = 1000;
const TELL_MS = 60_000;

interface ConnectOptions {
  readonly config: pg.PoolConfig;
  /** Brings the books to this version, or refuses them. Runs on the first connection that stands, and until it has gone well. */
  readonly prepare: (client: pg.ClientBase) => Promise<void>;
  /** A database that is away is waited for, and what is to be done meanwhile is the caller's concern. */
  readonly waits: boolean;
  readonly log: Log;
}

/** Throws what keeps the books from being used; with `waits`, only what no waiting mends. */
export async function connectToBooks(options: ConnectOptions): Promise<BooksPool> {
  const pool = makePool(options);
  try {
    (await pool.connect()).release();
    return { pool, ready: Promise.resolve() };
  } catch (error) {
    if (options.waits && isAway(error)) return { pool, ready: untilThere(pool, options.log, error as Error) };
    await pool.end();
    throw error;
  }
}

function makePool({ config, prepare, log }: ConnectOptions): pg.Pool {
  let prepared: Promise<void> | undefined;
  const onConnect = (client: pg.ClientBase): Promise<void> => {
    prepared ??= prepare(client).catch((error: Error) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const pool = new pg.Pool({ ...config, onConnect });
  pool.on('error', (error) => {
    // An ended pool has let go of connections whose last words may still arrive.
    if (!pool.ending) log.warn({ error: error.message }, 'a connection to the ledger broke');
  });
  // Out of the pool a broken connection has no other listener; the query in progress rejects anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const MEANWHILE = 'shares are kept in the share log and solutions on disk meanwhile';

async function untilThere(pool: pg.Pool, log: Log, first: Error): Promise<void> {
  log.warn({ error: wordsOf(first) }, `the database of the ledger is away: ${MEANWHILE}`);
  let [toldAtMs, wasAway] = [performance.now(), true];
  for (;;) {
    await pause(RETRY_MS, undefined, { ref: false });
    if (pool.ending) return new Promise(() => {});
    try {
      (await pool.connect()).release();
      log.info({}, 'the database of the ledger answers');
      return;
    } catch (error) {
      const away = isAway(error);
      if ((performance.now() - toldAtMs < TELL_MS && away === wasAway) || pool.ending) continue;
      [toldAtMs, wasAway] = [performance.now(), away];
      const fields = { error: wordsOf(error as Error) };
      if (away) log.warn(fields, `the database of the ledger is still away: ${MEANWHILE}`);
      else
        log.error(fields, `the database of the ledger answers, and its books cannot be used: ${MEANWHILE}`);
    }
  }
}

/** Several addresses that were tried in vain are an error without words. */
function wordsOf(error: Error & { code?: string }): string {
  return error.message || error.code || error.name;
}

const AWAY = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ENOENT',
];
/** PostgreSQL's: connection lost, starting or stopping, too many connections. */
const AWAY_FOR_NOW = /^(08...|57P0.|53300)$/;

/** Whether waiting may mend it: it does not answer, or not yet. */
function isAway(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return /timeout|terminated|closed/i.test(message);
  return AWAY.includes(code) || AWAY_FOR_NOW.test(code);
}
