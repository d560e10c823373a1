/** Whether the database has connections for one more bridge. */
import type pg from 'pg';

/** Of a bridge's ledger. */
export const LEDGER_CONNECTIONS = 8;
/** Of who looks at the books, apart from those: they wait for one another, and never for them. */
export const WATCH_CONNECTIONS = 2;
/** Most that a bridge holds in all: these, four of the queue that add, four of the recorder, and two that listen. */
export const BRIDGE_CONNECTIONS = LEDGER_CONNECTIONS + WATCH_CONNECTIONS + 10;

/** A sentence when the database's max_connections leaves too few for what a bridge may need besides those in use now. */
export async function connectionShortage(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ most: number; used: number; own: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
            count(*)::int AS used, count(*) FILTER (WHERE pid = pg_backend_pid())::int AS own
     FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  );
  const { most = 0, used = 0, own = 0 } = rows[0] ?? {};
  const free = most - (used - own);
  if (free >= BRIDGE_CONNECTIONS) return undefined;
  return (
    `the database has ${free} connections free of ${most} (max_connections), and a bridge needs up to ` +
    `${BRIDGE_CONNECTIONS}: raise max_connections to at least ${BRIDGE_CONNECTIONS} for each bridge on it`
  );
}
