/** Notices on their way: put in with what they tell of, taken by one bridge at a time, and out again when they have ended. */
import type pg from 'pg';
import {
  type Alert,
  type AlertBook,
  type Delivery,
  type DeliveryEnd,
  isFor,
  type TargetChoice,
  type What,
} from '../../bridge/alerts/alerts.js';
import { storable } from '../../core/names/names.js';
import { rowsOf, run, statementsOf } from '../database/statements.js';
import { alertFrom } from './alerts.js';

/** Waiting for one target; what comes beyond is given up at once, and counted. */
const MOST_WAITING = 500;
const MAX_FAULT = 300;

export const SQL = statementsOf('alerts/deliveries.sql');

/** Within the transaction that makes it true. */
export async function enqueue(
  client: pg.ClientBase,
  alerts: readonly Alert[],
  what: What,
  targets: readonly TargetChoice[],
): Promise<void> {
  const wanted = alerts.flatMap((alert) =>
    targets.filter((target) => isFor(target, alert)).map(({ name }) => ({ id: alert.id, name })),
  );
  const [ids, names] = [wanted.map(({ id }) => id), wanted.map(({ name }) => name)];
  if (wanted.length > 0) await run(client, SQL.enqueue, [ids, names, what, MOST_WAITING]);
}

export async function claimDeliveries(
  pool: pg.Pool,
  { targets, each, leaseMs }: Parameters<AlertBook['claim']>[0],
): Promise<Delivery[]> {
  const rows = await rowsOf(pool, SQL.claim, [targets, each, leaseMs]);
  return rows.map((row) => ({
    notice: { id: row.delivery, what: row.what, madeAtMs: row.made_at.getTime(), alert: alertFrom(row) },
    target: row.target,
    tries: row.tries,
  }));
}

/** What comes late, when another bridge has the notice by then, changes nothing of what that does. */
export async function settleDelivery(
  pool: pg.Pool,
  { notice: { id }, target, tries }: Delivery,
  end: DeliveryEnd,
): Promise<void> {
  if (end.outcome === 'released') {
    await run(pool, SQL.release, [id, tries]);
  } else if (end.outcome === 'retried') {
    await run(pool, SQL.retry, [id, tries, end.afterMs]);
    if (end.isForAll) await run(pool, SQL.holdAll, [target, end.afterMs]);
    await countFor(pool, target, 0, 0, end.says);
  } else {
    if ((await run(pool, SQL.remove, [id])) === 0) return;
    if (end.outcome === 'delivered') await countFor(pool, target, 1, 0);
    else await countFor(pool, target, 0, 1, end.says);
  }
}

async function countFor(
  pool: pg.Pool,
  target: string,
  delivered: number,
  failed: number,
  fault?: string,
): Promise<void> {
  const words = fault === undefined ? null : storable(fault, MAX_FAULT);
  await run(pool, SQL.count, [target, delivered, failed, words]);
}

/** Of targets that are in nobody's settings any more. */
export async function pruneDeliveries(pool: pg.Pool): Promise<void> {
  await run(pool, SQL.prune);
}
