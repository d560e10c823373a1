/** Double entry: what happens moves amounts between books. It is added up by period (ten minutes), cause and account. */
import type pg from 'pg';
import { type Amount, formatAmount, parseAmount } from '../../core/money/amount.js';
import { NOBODY_ID } from '../accounts/accounts.js';
import { statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';

const SQL = statementsOf('settlement/posting.sql');

/** The operator's number among the accounts, and its name. */
export const OPERATOR_ID = NOBODY_ID;
export const OPERATOR = '';

export type Book = 'rewards' | 'pps' | 'balance' | 'paying' | 'paid';

export interface Line {
  readonly accountId: number;
  readonly book: Book;
  readonly amount: Amount;
}

interface Posting {
  /** For people: `block`, `payout sent`. */
  readonly cause: string;
  /** When the period begins; absent: that of now. */
  readonly period?: Date;
  /** They sum to zero. */
  readonly lines: readonly Line[];
}

/** To be called once for what happens: in the transaction that writes down that it did. */
export async function post(client: pg.ClientBase, { cause, period, lines }: Posting): Promise<void> {
  await bulkRows(client, SQL.post, [
    period ?? null,
    cause,
    lines.map((line) => line.accountId),
    lines.map((line) => line.book),
    lines.map((line) => formatAmount(line.amount)),
  ]);
}

/** The amount of one payment on its way from one book of its account to another. */
export function movedLines(accountId: number, text: string, from: Book, to: Book): Line[] {
  const amount = parseAmount(text) ?? 0n;
  if (from === to) return [];
  return [
    { accountId, book: from, amount: -amount },
    { accountId, book: to, amount },
  ];
}
