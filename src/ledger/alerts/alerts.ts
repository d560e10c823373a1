/** Alerts as they are kept: for who looks. */
import type pg from 'pg';
import type { Payable, Unweighed } from '../../bridge/alerts.js';
import type { Alert, AlertList, AlertsQuestion } from '../../operations/alerts.js';
import { is, type RowOf, rowOf, rowsOf, statementsOf } from '../database/statements.js';

/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export const ALERT = {
  id: is.bigint,
  condition: is.text,
  about: is.text,
  severity: is.word<Alert['severity']>(),
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
  const { id, condition, about, severity, says, opened_at, resolved_at, resolved_says: resolvedSays } = row;
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
  const values = [room, condition, before, since];
  const resolved = state === 'open' || room <= 0 ? [] : await rowsOf(pool, SQL.resolved, values, READ_MS);
  const isMore = state !== 'open' && resolved.length === room;
  // Where open ones leave no room, all that is resolved follows.
  const next = isMore ? Number(resolved.at(-1)?.id ?? Number.MAX_SAFE_INTEGER) : null;
  return { alerts: [...open, ...resolved].map(alertFrom), open: counted?.open ?? 0, next };
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
