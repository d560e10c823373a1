/** Money goes from one account of the ledger to another by transfers: facts, each of one cause, once for ever. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { NOBODY_ID } from '../accounts/accounts.js';
import { statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';

export const SQL = statementsOf('settlement/transfers.sql');

/** The operator's number among the accounts, and its name. */
export const OPERATOR_ID = NOBODY_ID;
export const OPERATOR = '';

/** Its cause is `code`, `of` and `time`: `sql/tables.sql` lists them. */
export interface Transfer {
  readonly code: 'pps' | 'gas' | 'gas reversed' | 'correction';
  readonly of: bigint;
  readonly time: number;
  readonly debit: number;
  readonly credit: number;
  readonly amount: Amount;
}

/** To be called in the transaction that writes down what happened. Rejects where one of these causes was there before. */
export async function transfer(client: pg.ClientBase, transfers: readonly Transfer[]): Promise<void> {
  if (transfers.length === 0) return;
  await bulkRows(client, SQL.transfer, [
    transfers.map(({ code }) => code),
    transfers.map(({ of }) => of.toString()),
    transfers.map(({ time }) => time),
    transfers.map(({ debit }) => debit),
    transfers.map(({ credit }) => credit),
    transfers.map(({ amount }) => formatAmount(amount)),
  ]);
}

/** Payments that were made, or after all were not: from their accounts to the chains that they were paid on, or back. */
export async function transferPayments(
  client: pg.ClientBase,
  payments: readonly string[],
  wereMade: boolean,
): Promise<void> {
  if (payments.length > 0) await bulkRows(client, SQL.transferPayments, [payments, wereMade]);
}
