/** Alerts as they are kept: for who looks. */
import type pg from 'pg';
import type { Payable, Unclaimed, Unweighed } from '../../bridge/alerts.js';
import { formatAmount } from '../../core/money/amount.js';
import type { Alert, AlertList, AlertsQuestion } from '../../operations/alerts.js';
import { type RowOf, rowOf, rowsOf, statementsOf } from '../database/statements.js';
import { rulesNow } from '../rules/rules.js';

/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export const SQL = statementsOf<
  'alerts/alerts.sql',
  { events: { facts: Readonly<Record<string, unknown>> } }
>('alerts/alerts.sql');

export function alertFrom(row: RowOf<typeof SQL.open>): Alert {
  const { id, condition, about, says, opened_at, resolved_at, resolved_says: resolvedSays } = row;
  // As the table checks.
  const severity = row.severity as Alert['severity'];
  const times = { from: opened_at.toISOString(), until: resolved_at?.toISOString() ?? null };
  return { id: Number(id), condition, about, severity, says, ...times, resolvedSays };
}

export async function readAlerts(pool: pg.Pool, asked: AlertsQuestion): Promise<AlertList> {
  const { state, limit, before = null, since = null, condition = null } = asked;
  const counted = await rowOf(pool, SQL.countOpen, [], READ_MS);
  // However many are open, they are few: each condition has a bound.
  const open =
    state === 'resolved' || before !== null ? [] : await rowsOf(pool, SQL.open, [limit, condition], READ_MS);
  const room = limit - open.length;
  const values = [room, condition, before, since] as const;
  const resolved = state === 'open' || room <= 0 ? [] : await rowsOf(pool, SQL.resolved, values, READ_MS);
  const isMore = state !== 'open' && resolved.length === room;
  // Where open ones leave no room, all that is resolved follows.
  const next = isMore ? Number(resolved.at(-1)?.id ?? Number.MAX_SAFE_INTEGER) : null;
  return { alerts: [...open, ...resolved].map(alertFrom), open: counted?.open ?? 0, next };
}

/** What a payout would pay now. */
export async function payable(pool: pg.Pool): Promise<Payable> {
  const minimum = formatAmount((await rulesNow(pool)).minimum);
  const found = await rowOf(pool, SQL.payable, [minimum], READ_MS);
  const { accounts = 0, total = '0', sinceMs = null } = found ?? {};
  return { minimum, accounts, total, sinceLastMs: sinceMs ?? undefined };
}

export async function unweighed(pool: pg.Pool): Promise<Unweighed> {
  const { blocks = 0, oldestMs = 0, place = null } = (await rowOf(pool, SQL.unweighed, [], READ_MS)) ?? {};
  return { blocks, oldestMs, place: place ?? undefined };
}

export async function unclaimed(pool: pg.Pool): Promise<Unclaimed> {
  return (await rowOf(pool, SQL.unclaimed, [], READ_MS)) ?? { blocks: 0, oldestMs: 0 };
}
