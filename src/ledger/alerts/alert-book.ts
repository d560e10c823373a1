/** Alerts that all bridges on these books share, as the bridge asks for them. */
import type pg from 'pg';
import type { AlertBook, Payable } from '../../bridge/alerts/alerts.js';
import { quickQuery } from '../database/transaction.js';
import { OPERATOR_ID } from '../settlement/posting.js';
import { claimDeliveries, settleDelivery } from './alert-deliveries.js';
import { lookAtAlerts } from './alert-look.js';
import { sawRigs } from './alert-rigs.js';
import { subscribe, unsubscribe } from './alert-subscriptions.js';
import { readAlerts, readTargets } from './alerts.js';

const READ_MS = 3_000;

export function alertBook(pool: pg.Pool): AlertBook {
  return {
    readAlerts: (asked) => readAlerts(pool, asked),
    readTargets: (names) => readTargets(pool, names),
    look: (look) => lookAtAlerts(pool, look),
    sawRigs: (rigs) => sawRigs(pool, rigs),
    claim: (asked) => claimDeliveries(pool, asked),
    settle: (delivery, end) => settleDelivery(pool, delivery, end),
    payable: (minimum) => payable(pool, minimum),
    subscribe: (account, url, most) => subscribe(pool, account, url, most),
    unsubscribe: (account, url) => unsubscribe(pool, account, url),
  };
}

async function payable(pool: pg.Pool, minimum: string): Promise<Payable> {
  const { rows } = await quickQuery<{ accounts: number; total: string; since_ms: number | null }>(
    pool,
    `SELECT count(*)::int AS accounts, trim_scale(coalesce(sum(amount), 0))::text AS total,
            (SELECT (extract(epoch FROM now() - max(prepared_at)) * 1000)::float8 FROM payout) AS since_ms
     FROM balance JOIN account ON id = account_id
     WHERE book = 'balance' AND id <> $1 AND amount >= coalesce(minimum_payout, $2::numeric)`,
    [OPERATOR_ID, minimum],
    READ_MS,
  );
  const { accounts = 0, total = '0', since_ms = null } = rows[0] ?? {};
  return { accounts, total, sinceLastMs: since_ms ?? undefined };
}
