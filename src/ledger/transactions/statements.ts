/** Statements of the payer. */
import type { Signature } from '../../bridge/payouts/payer-books.js';
import { statementsOf } from '../database/statements.js';

export const SQL = statementsOf<
  'transactions/transactions.sql',
  {
    state: { pauseEvidence: Readonly<Record<string, unknown>> };
    live: { sigs: readonly string[]; partial: readonly Signature[] };
    unsigned: { partial: readonly Signature[] };
  }
>('transactions/transactions.sql');
