/**
 * The way of questions to the books: a few connections of their own that may only read, so that nobody who looks holds up
 * who records, and an end to each wait.
 */
import pg from 'pg';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import { splitDatabaseUrl } from '../../core/names/database-url.js';
import { WATCH_CONNECTIONS } from '../database/connections.js';
import { SCHEMA } from '../database/make-books.js';
import { type Ask, rowsOf } from '../database/statements.js';

interface Questions {
  /** Rejects with {@link BooksAwayError} when the books do not answer, or when the whole of it is not there in time. */
  ask<T>(question: (ask: Ask) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface QuestionOptions {
  readonly connectionString: string;
  /** Resolves once the books are of this version: nobody reads others. */
  readonly ready: Promise<void>;
  readonly patienceMs?: number;
}

/** Less than the second in which everything is answered. */
const PATIENCE_MS = 900;
/** Who comes when so many wait would wait in vain. */
const MOST_WAITING = 100;
/** An idle one is closed: most bridges are looked at seldom. */
const IDLE_MS = 60_000;

export function openQuestions({
  connectionString,
  ready,
  patienceMs = PATIENCE_MS,
}: QuestionOptions): Questions {
  const pool = poolFor(connectionString, patienceMs);
  let areReady = false;
  // It never rejects: it stays open while the database is away.
  void ready.then(() => {
    areReady = true;
  });
  let waiting = 0;
  const ask = async <T>(question: (ask: Ask) => Promise<T>): Promise<T> => {
    // The promise of a ledger that is there has resolved already.
    await Promise.resolve();
    if (!areReady) throw new BooksAwayError(AWAY);
    if (waiting >= MOST_WAITING)
      throw new BooksAwayError(`${MOST_WAITING} questions wait already: ask again later`);
    waiting++;
    const { run, end } = oneQuestion(pool);
    try {
      return await inTime(question(run), patienceMs);
    } catch (error) {
      throw awayOf(error);
    } finally {
      end();
      waiting--;
    }
  };
  return { ask, close: () => pool.end() };
}

const AWAY = 'the ledger does not answer now: ask again in a moment';

function poolFor(given: string, patienceMs: number): pg.Pool {
  const { connectionString, options } = splitDatabaseUrl(given);
  const pool = new pg.Pool({
    connectionString,
    options: `${options} -c search_path=${SCHEMA} -c default_transaction_read_only=on`,
    max: WATCH_CONNECTIONS,
    connectionTimeoutMillis: patienceMs,
    // The server gives up by itself, so that nothing goes on there for nobody.
    statement_timeout: patienceMs,
    query_timeout: patienceMs + 100,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'stratum-bridge watch',
  });
  pool.on('error', () => {}); // the next question says that the connection broke
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Nothing more is asked for somebody who has gone. */
function oneQuestion(pool: pg.Pool): { run: Ask; end: () => void } {
  let isOver = false;
  const run: Ask = async (statement, ...given) => {
    if (isOver) throw new BooksAwayError(AWAY);
    return rowsOf(pool, statement, ...given);
  };
  return {
    run,
    end: () => {
      isOver = true;
    },
  };
}

async function inTime<T>(answer: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BooksAwayError(AWAY)), patienceMs);
  });
  // What comes too late is nobody's concern.
  answer.catch(() => {});
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

/** SQLSTATE classes of a statement that is wrong, or of data that is: a mistake of ours, which no waiting mends. */
const MISTAKE = /^(22|42)[0-9A-Z]{3}$/;

function awayOf(error: unknown): unknown {
  if (error instanceof BooksAwayError || error instanceof TypeError || error instanceof RangeError)
    return error;
  if (MISTAKE.test(String((error as { code?: unknown }).code))) return error;
  return new BooksAwayError(AWAY, { cause: error });
}
