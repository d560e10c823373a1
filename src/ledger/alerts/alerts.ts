/** Alerts as they are kept: for who looks. */
import type pg from 'pg';
import type {
  Alert,
  AlertList,
  AlertsAsked,
  Condition,
  Payable,
  Severity,
  TargetReport,
  Unweighed,
} from '../../bridge/alerts/alerts.js';
import { type RowOf, rowOf, rowsOf, statementsOf } from '../database/statements.js';

/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export const SQL = statementsOf<
  'alerts/alerts.sql',
  { events: { facts: Readonly<Record<string, unknown>> } }
>('alerts/alerts.sql');

export function alertFrom(row: RowOf<typeof SQL.open>): Alert {
  return {
    id: Number(row.id),
    // Another bridge may be of a later version, and know more of them.
    condition: row.condition as Condition,
    about: row.about,
    severity: row.severity as Severity,
    account: row.account ?? undefined,
    says: row.says,
    openedAtMs: row.opened_at.getTime(),
    resolvedAtMs: row.resolved_at?.getTime(),
    resolvedSays: row.resolved_says,
  };
}

export async function readAlerts(pool: pg.Pool, asked: AlertsAsked): Promise<AlertList> {
  const { state, limit, before, sinceMs, conditions } = asked;
  const counted = await rowOf(pool, SQL.countOpen, [], READ_MS);
  // However many are open, they are few: each condition has a bound.
  const open =
    state === 'resolved' || before !== undefined
      ? []
      : await rowsOf(pool, SQL.open, [limit, conditions], READ_MS);
  const room = limit - open.length;
  const values = [room, conditions, before, sinceMs] as const;
  const resolved = state === 'open' || room <= 0 ? [] : await rowsOf(pool, SQL.resolved, values, READ_MS);
  const isMore = state !== 'open' && resolved.length === room;
  // Where open ones leave no room, all that is resolved follows.
  const next = isMore ? Number(resolved.at(-1)?.id ?? Number.MAX_SAFE_INTEGER) : undefined;
  return { alerts: [...open, ...resolved].map(alertFrom), open: counted?.open ?? 0, next };
}

export async function readTargets(pool: pg.Pool, names: readonly string[]): Promise<TargetReport[]> {
  const rows = await rowsOf(pool, SQL.targets, [names], READ_MS);
  return rows.map(({ delivered_at, failed_at, fault, ...target }) => ({
    ...target,
    deliveredAtMs: delivered_at?.getTime(),
    lastFailure: failed_at === null ? undefined : { atMs: failed_at.getTime(), says: fault ?? '' },
  }));
}

/** What a payout would pay now. @param minimum of accounts that have none of their own. */
export async function payable(pool: pg.Pool, minimum: string): Promise<Payable> {
  const found = await rowOf(pool, SQL.payable, [minimum], READ_MS);
  const { accounts = 0, total = '0', sinceMs = null } = found ?? {};
  return { accounts, total, sinceLastMs: sinceMs ?? undefined };
}

export async function unweighed(pool: pg.Pool): Promise<Unweighed> {
  const { blocks = 0, oldestMs = 0, place = null } = (await rowOf(pool, SQL.unweighed, [], READ_MS)) ?? {};
  return { blocks, oldestMs, place: place ?? undefined };
}
