/** The books: PostgreSQL, told by the ports of the bridge. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type {
  EntryOutcome,
  EntryRange,
  EntryTotal,
  LogLedger,
  ShareEntry,
  ShareLedger,
} from '../bridge/ports.js';
import { splitDatabaseUrl } from '../core/names/database-url.js';
import type { Log } from '../core/names/log.js';
import { SQL as DATABASE } from './database/catalog.js';
import { connectToBooks } from './database/connecting.js';
import { LEDGER_CONNECTIONS } from './database/connections.js';
import { LedgerError } from './database/errors.js';
import { makeBooks, requireBooks, SCHEMA } from './database/make-books.js';
import { Notices } from './database/notices.js';
import { rowOf, statementsOf } from './database/statements.js';
import { SERVER_FIRST_MS } from './database/transaction.js';
import { conflictingEntries, giveUpEntries, ledgerId, missingEntries, renewLogs } from './recording/logs.js';
import { recordEntries } from './recording/record-entries.js';

const SQL = statementsOf('ledger.sql');

interface LedgerOptions {
  readonly connectionString: string;
  readonly log: Log;
  /** Only books that stand, and as they are: nothing is made. Throws LedgerError `no-books`, `other-functions`. */
  readonly asTheyAre?: boolean;
  /** Where the database is away, open nevertheless: what asks the ledger meanwhile fails. */
  readonly waits?: boolean;
}

/** Everything that was ever credited. */
interface LedgerTotals {
  readonly shares: number;
  /** Expected hashes, as a decimal string. */
  readonly work: string;
}

const CLOSE_TIMEOUT_MS = 3000;
/** Of PostgreSQL: the first that knows multiranges. */
const OLDEST_VERSION = 140_000;
const STATEMENT_MS = 60_000;
/** Shorter, so that the error says what was waited for. */
const LOCK_MS = 50_000;
/** Of the session, and not the database's default: what one statement reads after a lock is of after the lock. */
const SESSION = `-c search_path=${SCHEMA} -c default_transaction_isolation=read\\ committed`;
/**
 * The server notices within half a minute that this machine is cut off, and not after the two hours of its system: who led keeps the
 * chores of all bridges to itself until then.
 */
const NOTICED_WHEN_CUT_OFF =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';
const POOL = {
  max: LEDGER_CONNECTIONS,
  connectionTimeoutMillis: 5000,
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  query_timeout: STATEMENT_MS + SERVER_FIRST_MS,
  idle_in_transaction_session_timeout: 60_000,
  keepAlive: true,
  application_name: 'stratum-bridge',
};

/** Connects, and makes the books where there are none. Throws LedgerError, such as `other-tables`, or the driver's error. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { log, asTheyAre = false, waits = false } = options;
  const given = splitDatabaseUrl(options.connectionString);
  const config = { ...POOL, ...given, options: `${given.options} ${SESSION} ${NOTICED_WHEN_CUT_OFF}` };
  const made = { areNew: false };
  const prepare = async (client: pg.ClientBase): Promise<void> => {
    await checkServer(client);
    if (asTheyAre) await requireBooks(client);
    else if (await makeBooks(client)) made.areNew = true;
  };
  const { pool, ready } = await connectToBooks({ config, prepare, waits, log });
  return new Ledger(pool, log, ready, made);
}

async function checkServer(client: pg.ClientBase): Promise<void> {
  const { version = 0, name = '', lockMs } = (await rowOf(client, DATABASE.server)) ?? {};
  if (version < OLDEST_VERSION)
    throw new LedgerError('wrong-version', `the ledger needs PostgreSQL 14 or later, this one is ${name}`);
  // It would hand no notification on either, and locks of a connection to whoever comes next.
  if (lockMs !== LOCK_MS)
    throw new LedgerError(
      'pooler',
      'what a connection sets does not hold on it, as behind a pooler such as PgBouncer: give the URL of PostgreSQL itself',
    );
}

export class Ledger implements ShareLedger, LogLedger {
  /** For the other parts of the books: upkeep, blocks, money. */
  readonly pool: pg.Pool;
  /** On a connection of its own, once somebody listens. */
  readonly notices: Notices;
  /** Resolves once the database has answered. */
  readonly ready: Promise<void>;

  readonly #log: Log;
  readonly #made: { readonly areNew: boolean };

  constructor(
    pool: pg.Pool,
    log: Log,
    ready: Promise<void> = Promise.resolve(),
    made: { readonly areNew: boolean } = { areNew: false },
  ) {
    this.pool = pool;
    this.notices = new Notices(pool);
    this.ready = ready;
    this.#made = made;
    this.#log = log;
  }

  /** Made by this very start. */
  get areNew(): boolean {
    return this.#made.areNew;
  }

  async recordEntries(entries: readonly ShareEntry[]): Promise<EntryOutcome[]> {
    const recorded = await recordEntries(this.pool, entries);
    const words =
      'the database refuses a part of an entry: it is set aside, `ledger entry` shows it; the rest is booked';
    for (const { entry, setAside } of recorded) {
      const { log, number } = entry.id;
      if (setAside > 0) this.#log.error({ log, entry: number, parts: setAside }, words);
    }
    return recorded.map(({ outcome }) => outcome);
  }

  /** One alone. */
  async recordEntry(entry: ShareEntry): Promise<EntryOutcome> {
    const [outcome = 'repeated'] = await this.recordEntries([entry]);
    return outcome;
  }

  id(): Promise<string> {
    return ledgerId(this.pool);
  }

  missingEntries(log: string, last: number, limit: number): Promise<EntryRange[]> {
    return missingEntries(this.pool, log, last, limit);
  }

  conflictingEntries(log: string, entries: readonly EntryTotal[]): Promise<number[]> {
    return conflictingEntries(this.pool, log, entries);
  }

  giveUpEntries(log: string, entries: EntryRange, by: string): Promise<void> {
    return giveUpEntries(this.pool, log, entries, by);
  }

  renewLogs(logs: readonly string[], place: string): Promise<boolean> {
    return renewLogs(this.pool, logs, place);
  }

  async totals(): Promise<LedgerTotals> {
    return (await rowOf(this.pool, SQL.totals)) ?? { shares: 0, work: '0' };
  }

  /** A database that does not answer must not hold up an end. */
  async close(withinMs = CLOSE_TIMEOUT_MS): Promise<void> {
    const patience = new AbortController();
    const waited = pause(Math.min(CLOSE_TIMEOUT_MS, withinMs), undefined, { signal: patience.signal }).catch(
      () => {},
    );
    await Promise.race([Promise.all([this.notices.close(), this.pool.end()]), waited]);
    patience.abort();
  }
}
