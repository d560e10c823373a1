/** Whether the database has connections for one more bridge. */
import type pg from 'pg';
import { SQL } from './catalog.js';
import { rowOf } from './statements.js';

/** Of a bridge's ledger: two of them are kept, by who does the chores and by who pays. */
export const LEDGER_CONNECTIONS = 10;
/** Of who looks at the books, apart from those: they wait for one another, and never for them. */
export const WATCH_CONNECTIONS = 2;
/** Most that a bridge holds in all: these, four of the queue that add, four of the recorder, and three that listen. */
const BRIDGE_CONNECTIONS = LEDGER_CONNECTIONS + WATCH_CONNECTIONS + 11;

/** A sentence when the database's max_connections leaves too few for what a bridge may need besides those in use now. */
export async function connectionShortage(pool: pg.Pool): Promise<string | undefined> {
  const { most = 0, used = 0, own = 0 } = (await rowOf(pool, SQL.connections)) ?? {};
  const free = most - (used - own);
  if (free >= BRIDGE_CONNECTIONS) return undefined;
  return (
    `the database has ${free} connections free of ${most} (max_connections), and a bridge needs up to ` +
    `${BRIDGE_CONNECTIONS}: raise max_connections to at least ${BRIDGE_CONNECTIONS} for each bridge on it`
  );
}
