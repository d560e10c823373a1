/**
 * Payouts, as the books have them: payments that are prepared together, and what became of each.
 *
 *     prepared -> sent -> confirmed      the amount was transferred to the chain
 *     prepared -> failed                 it is due again
 *     prepared -> unknown                it is claimed until somebody knows: sent or failed
 *
 * A payment that was said to be sent may turn out otherwise, so that is no last word; confirmed and failed are.
 */
import type pg from 'pg';
import type { PaymentState, PayoutState } from '../../operations/enums.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, statementsOf } from '../database/statements.js';

interface BookedPayment {
  readonly account: string;
  /** That it is to be paid on; null: any. */
  readonly chainId: number | null;
  readonly amount: string;
  readonly state: PaymentState;
  /** Of the transaction that pays it, as far as the operator has told. */
  readonly requestKey: string | null;
  readonly note: string;
  readonly changedAt: string;
}

export const SQL = statementsOf<
  'payments/payouts.sql',
  { payouts: { state: PayoutState; lines: readonly BookedPayment[] } }
>('payments/payouts.sql');

/** `chainId` is null where nobody has said where it is paid. Lines are by account name. */
export type BookedPayout = RowOf<typeof SQL.payouts>;

/** The payout that is prepared for a chain, or for none, and not marked yet. */
export async function findPrepared(
  client: pg.Pool | pg.ClientBase,
  chainId: number | null,
): Promise<BookedPayout | undefined> {
  const found = await rowOf(client, SQL.prepared, [chainId]);
  return found && readPayout(client, found.id);
}

/** By its number or its name. Throws LedgerError `refused` for what can be neither. */
export async function findPayout(
  client: pg.Pool | pg.ClientBase,
  which: string,
): Promise<BookedPayout | undefined> {
  return rowOf(client, SQL.payouts, [1, ...keyOf(which)]);
}

/** The same of one that must be there. */
export async function readPayout(client: pg.Pool | pg.ClientBase, which: string): Promise<BookedPayout> {
  const payout = await findPayout(client, which);
  if (!payout) throw noPayout(which);
  return payout;
}

const NUMBER = /^\d{1,18}$/;
const NAME = /^[0-9a-z]{1,20}-\d{1,18}$/;

/** Number or name, the other one null. Throws LedgerError `refused`. */
export function keyOf(which: string): [id: string | null, name: string | null] {
  if (NUMBER.test(which)) return [which, null];
  if (NAME.test(which)) return [null, which];
  throw new LedgerError(
    'refused',
    `a payout has a name such as 3f9ea-7 or a number, not ${JSON.stringify(which)}`,
  );
}

export function noPayout(which: string): LedgerError {
  return new LedgerError('refused', `there is no payout ${which}`);
}
