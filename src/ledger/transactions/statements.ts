/** Statements of the payer. */
import type { Signature } from '../../bridge/payouts/payer-books.js';
import { statementsOf } from '../database/statements.js';

export const SQL = statementsOf<
  'transactions/transactions.sql',
  {
    state: { pauseEvidence: Readonly<Record<string, unknown>> | null };
    live: { sigs: readonly string[] | null; partial: readonly Signature[] | null };
    unsigned: { partial: readonly Signature[] | null };
  }
>('transactions/transactions.sql');
