/** Alerts as they are kept: for who looks. */
import type pg from 'pg';
import type {
  Alert,
  AlertList,
  AlertsAsked,
  Condition,
  Severity,
  TargetReport,
} from '../../bridge/alerts/alerts.js';
import { quickQuery } from '../database/transaction.js';

/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export const ALERT_COLUMNS = `id, condition, about, severity, account, says, (extract(epoch FROM opened_at) * 1000)::float8 AS opened_ms,
  (extract(epoch FROM resolved_at) * 1000)::float8 AS resolved_ms, resolved_says`;

/** Told to the miner whose rig it is about, and to nobody else: it is no matter of who looks. */
export const IS_QUIET = "told_at = '-infinity'";

export interface AlertRow {
  readonly id: string;
  readonly condition: string;
  readonly about: string;
  readonly severity: string;
  readonly account: string | null;
  readonly says: string;
  readonly opened_ms: number;
  readonly resolved_ms: number | null;
  readonly resolved_says: string;
}

export function alertFrom(row: AlertRow): Alert {
  return {
    id: Number(row.id),
    // Another bridge may be of a later version, and know more of them.
    condition: row.condition as Condition,
    about: row.about,
    severity: row.severity as Severity,
    account: row.account ?? undefined,
    says: row.says,
    openedAtMs: Math.round(row.opened_ms),
    resolvedAtMs: row.resolved_ms === null ? undefined : Math.round(row.resolved_ms),
    resolvedSays: row.resolved_says,
  };
}

export async function readAlerts(pool: pg.Pool, asked: AlertsAsked): Promise<AlertList> {
  const { state, limit, before, sinceMs, conditions } = asked;
  const { rows: counted } = await quickQuery<{ open: number }>(pool, COUNT_OPEN, [], READ_MS);
  // However many are open, they are few: each condition has a bound.
  const open =
    state === 'resolved' || before !== undefined
      ? []
      : await read(pool, 'resolved_at IS NULL', [limit, conditions ?? null]);
  const room = limit - open.length;
  const resolved =
    state === 'open' || room <= 0
      ? []
      : await read(pool, RESOLVED, [room, conditions ?? null, before ?? null, sinceMs ?? null]);
  const isMore = state !== 'open' && resolved.length === room;
  // Where open ones leave no room, all that is resolved follows.
  const next = isMore ? (resolved.at(-1)?.id ?? Number.MAX_SAFE_INTEGER) : undefined;
  return { alerts: [...open, ...resolved], open: counted[0]?.open ?? 0, next };
}

const COUNT_OPEN = `SELECT count(*)::int AS open FROM alert WHERE resolved_at IS NULL AND NOT ${IS_QUIET}`;
const RESOLVED = `resolved_at IS NOT NULL AND ($3::bigint IS NULL OR id < $3)
  AND ($4::float8 IS NULL OR resolved_at >= to_timestamp($4 / 1000))`;

async function read(pool: pg.Pool, where: string, values: unknown[]): Promise<Alert[]> {
  const { rows } = await quickQuery<AlertRow>(
    pool,
    `SELECT ${ALERT_COLUMNS} FROM alert WHERE ${where} AND NOT ${IS_QUIET} AND ($2::text[] IS NULL OR condition = ANY ($2))
     ORDER BY id DESC LIMIT $1`,
    values,
    READ_MS,
  );
  return rows.map(alertFrom);
}

export async function readTargets(pool: pg.Pool, names: readonly string[]): Promise<TargetReport[]> {
  const { rows } = await quickQuery<{
    name: string;
    waiting: number;
    delivered: string;
    failed: string;
    delivered_ms: number | null;
    failed_ms: number | null;
    fault: string | null;
  }>(pool, TARGETS, [names], READ_MS);
  return rows.map(({ name, waiting, delivered, failed, delivered_ms, failed_ms, fault }) => ({
    ...{ name, waiting, delivered: Number(delivered), failed: Number(failed) },
    deliveredAtMs: delivered_ms === null ? undefined : Math.round(delivered_ms),
    lastFailure: failed_ms === null ? undefined : { atMs: Math.round(failed_ms), says: fault ?? '' },
  }));
}

const TARGETS = `
  SELECT n.name, (SELECT count(*)::int FROM alert_delivery d WHERE d.target = n.name) AS waiting,
         coalesce(t.delivered, 0) AS delivered, coalesce(t.failed, 0) AS failed,
         (extract(epoch FROM t.delivered_at) * 1000)::float8 AS delivered_ms,
         (extract(epoch FROM t.failed_at) * 1000)::float8 AS failed_ms, t.fault
  FROM unnest($1::text[]) WITH ORDINALITY AS n (name, place) LEFT JOIN alert_target t ON t.name = n.name ORDER BY place`;
