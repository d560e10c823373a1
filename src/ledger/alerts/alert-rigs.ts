/** Rigs over all bridges: when each was seen last, and which are away for longer than is usual for them. */
import type pg from 'pg';
import type { OverdueRigs } from '../../bridge/alerts.js';
import { loginText, type Name } from '../../core/names/names.js';
import { rowsOf, run, statementsOf } from '../database/statements.js';

/** The newest of those that are overdue are read by name, more than may be told so; the others are counted. */
const MOST_READ = 250;

const SQL = statementsOf('alerts/rigs.sql');

/**
 * These are heard now. What was between is an absence if it is longer than a minute, as far as somebody looked: the time in
 * which no bridge ran, or could write this down, is nobody's absence.
 */
export async function sawRigs(pool: pg.Pool, rigs: readonly Name[]): Promise<void> {
  const sorted = rigs.toSorted((a, b) => (loginText(a) < loginText(b) ? -1 : 1));
  await run(pool, SQL.saw, [sorted.map(({ account }) => account), sorted.map(({ rig }) => rig)]);
}

export async function overdueRigs(
  pool: pg.Pool,
  floorMs: number,
  open: readonly string[],
): Promise<OverdueRigs> {
  const fresh = await rowsOf(pool, SQL.fresh, [floorMs, open, MOST_READ]);
  const those = await rowsOf(pool, SQL.those, [floorMs, open]);
  const known = new Set(those.map(({ login }) => login));
  return {
    named: [...fresh.map(({ total: _, ...rig }) => rig), ...those],
    left: open.filter((login) => !known.has(login)),
    others: (fresh[0]?.total ?? 0) - fresh.length,
  };
}
