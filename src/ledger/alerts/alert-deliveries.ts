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
import { storable } from '../../core/names/names.js';
import { is, rowsOf, run, statementsOf } from '../database/statements.js';
import { ALERT, alertFrom } from './alerts.js';

/** Waiting for one target; what comes beyond is given up at once, and counted. */
const MOST_WAITING = 500;
/** Waiting for one webhook of a miner, and for those of all miners. */
const MOST_FOR_MINER = 20;
const MOST_FOR_MINERS = 5_000;
const MAX_FAULT = 300;
/** What is a matter of the miner whose rigs it is about. */
const OF_MINERS: readonly Condition[] = ['rigOffline', 'rigHashRateLow', 'accountHashRateLow'];

export const SQL = statementsOf(
  new URL('deliveries.sql', import.meta.url),
  {
    claim: {
      delivery: is.uuid,
      what: is.word<What>(),
      target: is.orNull(is.text),
      tries: is.int,
      made_at: is.time,
      ...{ subscriber: is.orNull(is.text), url: is.orNull(is.text), ...ALERT },
    },
    isSubscribed: { yes: is.bool },
  },
  [
    'enqueue',
    'enqueueForMiners',
    'release',
    'retry',
    'holdAll',
    'remove',
    'count',
    'prune',
    'lockWebhooks',
    'forgetOtherKeys',
    'subscribe',
    'unsubscribe',
  ],
);

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
  const [ids, names] = [wanted.map(({ id }) => id), wanted.map(({ name }) => name)];
  if (wanted.length > 0) await run(client, SQL.enqueue, [ids, names, what, MOST_WAITING]);
  const ofMiners = alerts.filter(
    ({ account, condition }) => account !== undefined && OF_MINERS.includes(condition),
  );
  if (!tellsMiners || ofMiners.length === 0) return;
  const values = [ofMiners.map(({ id }) => id), what, MOST_FOR_MINER, MOST_FOR_MINERS];
  await run(client, SQL.enqueueForMiners, values);
}

export async function claimDeliveries(
  pool: pg.Pool,
  { targets, each, miners, leaseMs }: Parameters<AlertBook['claim']>[0],
): Promise<Delivery[]> {
  const rows = await rowsOf(pool, SQL.claim, [targets, each, miners, leaseMs]);
  return rows.map((row) => ({
    notice: { id: row.delivery, what: row.what, madeAtMs: row.made_at.getTime(), alert: alertFrom(row) },
    target: row.target ?? undefined,
    subscription: row.url === null ? undefined : { account: row.subscriber ?? '', sealedUrl: row.url },
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
    if (end.isForAll && target !== undefined) await run(pool, SQL.holdAll, [target, end.afterMs]);
    await countFor(pool, target, 0, 0, end.says);
  } else {
    if ((await run(pool, SQL.remove, [id])) === 0) return;
    if (end.outcome === 'delivered') await countFor(pool, target, 1, 0);
    else await countFor(pool, target, 0, 1, end.says);
  }
}

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
  await run(pool, SQL.count, [target, delivered, failed, words]);
}

/** Of targets that are in nobody's settings any more. */
export async function pruneDeliveries(pool: pg.Pool): Promise<void> {
  await run(pool, SQL.prune);
}
