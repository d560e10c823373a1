/** Notices on their way: put in with what they tell of, taken by one bridge at a time, and out again when they have ended. */
import type pg from 'pg';
import {
  type Alert,
  type AlertBook,
  type Condition,
  type Delivery,
  type DeliveryEnd,
  isFor,
  type Look,
  type What,
} from '../../bridge/alerts/alerts.js';
import { storable } from '../../core/names.js';
import { ALERT_COLUMNS, type AlertRow, alertFrom } from './alerts.js';

/** Waiting for one target; what comes beyond is given up at once, and counted. */
const MOST_WAITING = 500;
/** Waiting for one webhook of a miner, and for those of all miners. */
const MOST_FOR_MINER = 20;
const MOST_FOR_MINERS = 5_000;
/** Of a target that no bridge knows any more. */
const GIVEN_UP = "interval '1 day'";
const MAX_FAULT = 300;
/** What is a matter of the miner whose rigs it is about. */
const OF_MINERS: readonly Condition[] = ['rigOffline', 'rigHashRateLow', 'accountHashRateLow'];

/** Within the transaction that makes it true. */
export async function enqueue(
  client: pg.ClientBase,
  alerts: readonly Alert[],
  what: What,
  { targets, tellsMiners }: Pick<Look, 'targets' | 'tellsMiners'>,
): Promise<void> {
  const wanted = alerts.flatMap((alert) =>
    targets.filter((target) => isFor(target, alert)).map(({ name }) => ({ id: alert.id, name })),
  );
  if (wanted.length > 0)
    await client.query(ENQUEUE, [
      wanted.map(({ id }) => id),
      wanted.map(({ name }) => name),
      what,
      MOST_WAITING,
    ]);
  const ofMiners = alerts.filter(
    ({ account, condition }) => account !== undefined && OF_MINERS.includes(condition),
  );
  if (!tellsMiners || ofMiners.length === 0) return;
  await client.query(
    `INSERT INTO alert_delivery (alert_id, what, subscription_id) SELECT a.id, $2, s.id
     FROM alert a JOIN alert_subscription s ON s.account = a.account WHERE a.id = ANY ($1)
       AND (SELECT count(*) FROM alert_delivery d WHERE d.subscription_id = s.id) < $3
       AND (SELECT count(*) FROM alert_delivery d WHERE d.subscription_id IS NOT NULL) < $4`,
    [ofMiners.map(({ id }) => id), what, MOST_FOR_MINER, MOST_FOR_MINERS],
  );
}

const ENQUEUE = `
  WITH wanted AS (
    SELECT u.id, u.name, (SELECT count(*) FROM alert_delivery d WHERE d.target = u.name) >= $4 AS full
    FROM unnest($1::bigint[], $2::text[]) AS u (id, name)
  ), given_up AS (
    INSERT INTO alert_target (name, failed, failed_at, fault)
      SELECT name, count(*), now(), 'too many notices wait for it' FROM wanted WHERE wanted.full GROUP BY name
    ON CONFLICT (name) DO UPDATE SET failed = alert_target.failed + excluded.failed, failed_at = now(), fault = excluded.fault
  )
  INSERT INTO alert_delivery (alert_id, what, target) SELECT id, $3, name FROM wanted WHERE NOT wanted.full`;

interface DeliveryRow extends AlertRow {
  readonly delivery: string;
  readonly what: What;
  readonly target: string | null;
  readonly tries: number;
  readonly made_ms: number;
  readonly subscriber: string | null;
  readonly url: string | null;
}

export async function claimDeliveries(
  pool: pg.Pool,
  { targets, each, miners, leaseMs }: Parameters<AlertBook['claim']>[0],
): Promise<Delivery[]> {
  const { rows } = await pool.query<DeliveryRow>(CLAIM, [targets, each, miners, leaseMs]);
  return rows.map((row) => ({
    notice: { id: row.delivery, what: row.what, madeAtMs: Math.round(row.made_ms), alert: alertFrom(row) },
    target: row.target ?? undefined,
    subscription: row.url === null ? undefined : { account: row.subscriber ?? '', sealedUrl: row.url },
    tries: row.tries,
  }));
}

/**
 * Targets do not wait for each other, nor for miners. The notices of an alert reach a target one after the other; a miner's webhook
 * gets all that it gets in order, so that one that never answers is asked no more often than one notice is tried.
 */
const CLAIM = `
  WITH to_targets AS (
    SELECT due.id FROM unnest($1::text[]) AS t (name) CROSS JOIN LATERAL (
      SELECT c.id FROM alert_delivery c
      WHERE c.target = t.name AND c.due_at <= now() AND (c.leased_until IS NULL OR c.leased_until < now())
        AND NOT EXISTS (SELECT FROM alert_delivery e
          WHERE e.alert_id = c.alert_id AND e.target = c.target AND e.number < c.number)
      ORDER BY c.due_at, c.number LIMIT $2 FOR UPDATE SKIP LOCKED) due
  ), to_miners AS (
    SELECT c.id FROM alert_delivery c
    WHERE $3::int > 0 AND c.subscription_id IS NOT NULL AND c.due_at <= now()
      AND (c.leased_until IS NULL OR c.leased_until < now())
      AND NOT EXISTS (SELECT FROM alert_delivery e WHERE e.subscription_id = c.subscription_id AND e.number < c.number)
    ORDER BY c.due_at, c.number LIMIT $3::int FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE alert_delivery d SET leased_until = now() + $4::float8 * interval '1 millisecond', tries = tries + 1
    WHERE d.id IN (SELECT id FROM to_targets UNION ALL SELECT id FROM to_miners)
    RETURNING d.id AS delivery, d.alert_id, d.what, d.target, d.tries, d.made_at, d.subscription_id
  )
  SELECT t.delivery, t.what, t.target, t.tries, (extract(epoch FROM t.made_at) * 1000)::float8 AS made_ms,
         s.account AS subscriber, s.url, a.*
  FROM taken t JOIN (SELECT ${ALERT_COLUMNS} FROM alert) a ON a.id = t.alert_id
  LEFT JOIN alert_subscription s ON s.id = t.subscription_id ORDER BY t.made_at`;

/** What comes late, when another bridge has the notice by then, changes nothing of what that does. */
export async function settleDelivery(
  pool: pg.Pool,
  { notice: { id }, target, tries }: Delivery,
  end: DeliveryEnd,
): Promise<void> {
  if (end.outcome === 'released') {
    await pool.query(RELEASE, [id, tries]);
  } else if (end.outcome === 'retried') {
    await pool.query(RETRY, [id, tries, end.afterMs]);
    if (end.isForAll && target !== undefined) await pool.query(HOLD_ALL, [target, end.afterMs]);
    await countFor(pool, target, 0, 0, end.says);
  } else {
    const { rowCount } = await pool.query('DELETE FROM alert_delivery WHERE id = $1', [id]);
    if (rowCount === 0) return;
    if (end.outcome === 'delivered') await countFor(pool, target, 1, 0);
    else await countFor(pool, target, 0, 1, end.says);
  }
}

const RELEASE = `
  UPDATE alert_delivery SET leased_until = NULL, tries = tries - 1 WHERE id = $1 AND tries = $2`;
const RETRY = `
  UPDATE alert_delivery SET leased_until = NULL, due_at = now() + $3::float8 * interval '1 millisecond'
  WHERE id = $1 AND tries = $2`;
const HOLD_ALL = `
  UPDATE alert_delivery SET due_at = greatest(due_at, now() + $2::float8 * interval '1 millisecond')
  WHERE target = $1 AND (leased_until IS NULL OR leased_until < now())`;

/** Of the settings; what becomes of notices to miners is theirs to see. */
async function countFor(
  pool: pg.Pool,
  target: string | undefined,
  delivered: number,
  failed: number,
  fault?: string,
): Promise<void> {
  if (target === undefined) return;
  const words = fault === undefined ? null : storable(fault, MAX_FAULT);
  await pool.query(COUNT, [target, delivered, failed, words]);
}

const COUNT = `
  INSERT INTO alert_target AS t (name, delivered, failed, delivered_at, failed_at, fault)
    VALUES ($1, $2::bigint, $3::bigint, CASE WHEN $2::bigint > 0 THEN now() END, CASE WHEN $4::text IS NOT NULL THEN now() END, $4)
  ON CONFLICT (name) DO UPDATE SET delivered = t.delivered + excluded.delivered, failed = t.failed + excluded.failed,
    delivered_at = coalesce(excluded.delivered_at, t.delivered_at), failed_at = coalesce(excluded.failed_at, t.failed_at),
    fault = coalesce(excluded.fault, t.fault)`;

/** Of targets that are in nobody's settings any more. */
export async function pruneDeliveries(pool: pg.Pool): Promise<void> {
  await pool.query(`DELETE FROM alert_delivery WHERE made_at < now() - ${GIVEN_UP}
    AND (leased_until IS NULL OR leased_until < now())`);
}
