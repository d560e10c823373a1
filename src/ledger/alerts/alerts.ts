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
import { is, type RowOf, rowOf, rowsOf, statementsOf } from '../database/statements.js';

/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export const ALERT = {
  id: is.bigint,
  condition: is.text,
  about: is.text,
  severity: is.text,
  account: is.orNull(is.text),
  says: is.text,
  opened_at: is.time,
  reported_at: is.time,
  told_at: is.time,
  resolved_at: is.orNull(is.time),
  resolved_says: is.text,
};

export const SQL = statementsOf(
  new URL('alerts.sql', import.meta.url),
  {
    countOpen: { open: is.int },
    open: ALERT,
    resolved: ALERT,
    targets: {
      ...{ name: is.text, waiting: is.int, delivered: is.float, failed: is.float },
      ...{ delivered_at: is.orNull(is.time), failed_at: is.orNull(is.time), fault: is.orNull(is.text) },
    },
    payable: { accounts: is.int, total: is.text, sinceMs: is.orNull(is.float) },
    unweighed: { blocks: is.int, oldestMs: is.float, place: is.orNull(is.text) },
    standing: { ...ALERT, recent: is.bool, seen: is.bool, lately: is.bool },
    over: { id: is.float, off: is.bool },
    endTold: ALERT,
    keepTold: ALERT,
    insert: ALERT,
    tellAgain: ALERT,
    resolve: ALERT,
    tooMany: { are: is.bool },
    events: {
      id: is.bigint,
      kind: is.text,
      says: is.text,
      facts: is.jsonb<Readonly<Record<string, unknown>>>(),
    },
  },
  ['lock', 'keepWatch', 'confirm', 'report', 'withdraw', 'prune', 'pruneRigs', 'wasRead'],
);

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
      : await rowsOf(pool, SQL.open, [limit, conditions ?? null], READ_MS);
  const room = limit - open.length;
  const values = [room, conditions ?? null, before ?? null, sinceMs ?? null];
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
