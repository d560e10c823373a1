/**
 * Payouts, as the books have them: payments that are prepared together, and what became of each.
 *
 *     prepared -> sent -> confirmed      the amount is gone
 *     prepared -> failed                 it is back in the balance
 *     prepared -> unknown                it stays on hold until somebody knows: sent or failed
 *
 * A payment that was said to be sent may turn out otherwise, so that is no last word; confirmed and failed are.
 */
import type pg from 'pg';
import { LedgerError } from '../database/errors.js';

export const PAYMENT_STATES = ['prepared', 'sent', 'confirmed', 'failed', 'unknown'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** What is said of one. */
export const PAYMENT_OUTCOMES = ['sent', 'confirmed', 'failed', 'unknown'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
export type PayoutState = Exclude<PaymentState, 'confirmed'>;

export interface BookedPayment {
  readonly account: string;
  readonly amount: string;
  readonly state: PaymentState;
  /** Of the transaction that pays it, as far as the operator has told. */
  readonly requestKey: string | null;
  readonly note: string;
  readonly changedAt: string;
}

export interface BookedPayout {
  /** A number. */
  readonly id: string;
  /** Generation of the ledger and number: no two payouts of any copy of these books have the same. */
  readonly name: string;
  readonly state: PayoutState;
  /** Where it is paid; null: nobody has said. */
  readonly chainId: number | null;
  readonly preparedAt: string;
  readonly changedAt: string;
  readonly minimum: string;
  readonly note: string;
  readonly total: string;
  /** By account name. */
  readonly lines: readonly BookedPayment[];
}

/** SQL: the state of a payout, by rows `l` of its payments. */
export const STATE_OF_LINES = `
  CASE WHEN bool_or(l.state = 'prepared') THEN 'prepared' WHEN bool_or(l.state = 'unknown') THEN 'unknown'
       WHEN bool_and(l.state = 'failed') THEN 'failed' ELSE 'sent' END`;

/** SQL: a payout `b` has payments that wait to be paid. */
export const IS_PREPARED = `EXISTS (SELECT FROM payment l WHERE l.payout_id = b.id AND l.state = 'prepared')`;

/** The payout that is prepared for a chain, or for none, and not marked yet. */
export async function findPrepared(
  client: pg.Pool | pg.ClientBase,
  chainId: number | null,
): Promise<BookedPayout | undefined> {
  const [payout] = await readPayouts(client, `WHERE ${IS_PREPARED} AND b.chain_id IS NOT DISTINCT FROM $1`, [
    chainId,
  ]);
  return payout;
}

/** By its number or its name. Throws LedgerError `refused`. */
export async function readPayout(client: pg.Pool | pg.ClientBase, which: string): Promise<BookedPayout> {
  const [payout] = await readPayouts(client, `WHERE b.${keyOf(which)} = $1`, [which]);
  if (!payout) throw noPayout(which);
  return payout;
}

/** The latest first. */
export function listPayouts(pool: pg.Pool, limit: number): Promise<BookedPayout[]> {
  return readPayouts(pool, 'ORDER BY b.id DESC LIMIT $1', [limit]);
}

const NUMBER = /^\d{1,18}$/;
const NAME = /^[0-9a-z]{1,20}-\d{1,18}$/;

/** Whether it may be one. */
export function namesPayout(which: string): boolean {
  return NUMBER.test(which) || NAME.test(which);
}

/** The column that such a thing stands in. Throws LedgerError `refused`. */
export function keyOf(which: string): 'id' | 'name' {
  if (NUMBER.test(which)) return 'id';
  if (NAME.test(which)) return 'name';
  throw new LedgerError(
    'refused',
    `a payout has a name such as 3f9ea-7 or a number, not ${JSON.stringify(which)}`,
  );
}

export function noPayout(which: string): LedgerError {
  return new LedgerError('refused', `there is no payout ${which}`);
}

async function readPayouts(
  client: pg.Pool | pg.ClientBase,
  tail: string,
  values: unknown[],
): Promise<BookedPayout[]> {
  const { rows } = await client.query<{
    id: string;
    name: string;
    chain_id: number | null;
    prepared_at: Date;
    minimum: string;
    note: string;
    state: PayoutState;
    changed_at: Date;
    total: string;
    lines: BookedPayout['lines'];
  }>(
    `SELECT b.*, t.* FROM payout b CROSS JOIN LATERAL (
       SELECT ${STATE_OF_LINES} AS state, max(l.changed_at) AS changed_at, sum(l.amount)::text AS total,
              json_agg(json_build_object(
                'account', a.name, 'amount', l.amount::text, 'state', l.state, 'requestKey', l.request_key, 'note', l.note,
                'changedAt', to_char(l.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY a.name) AS lines
       FROM payment l JOIN account a ON a.id = l.account_id WHERE l.payout_id = b.id
     ) t ${tail}`,
    values,
  );
  return rows.map(({ id, name, state, chain_id, prepared_at, changed_at, minimum, note, total, lines }) => ({
    ...{ id, name, state, chainId: chain_id },
    ...{ preparedAt: prepared_at.toISOString(), changedAt: changed_at.toISOString() },
    ...{ minimum, note, total, lines },
  }));
}

/** How many are in each state, in words: `2 sent, 1 failed`. */
export function statesInWords(lines: BookedPayout['lines']): string {
  return PAYMENT_STATES.map((state) => [lines.filter((line) => line.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${state}`)
    .join(', ');
}
