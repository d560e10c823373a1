/** Double entry: a posting moves amounts between books, and its lines sum to zero. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../core/amount.js';

/** The operator's name among the owners; accounts are never empty. */
export const OPERATOR = '';

export type Book = 'rewards' | 'pps' | 'held' | 'balance' | 'paying' | 'paid';

export interface Line {
  readonly owner: string;
  readonly book: Book;
  readonly amount: Amount;
}

export interface Posting {
  /** Entered once for ever. */
  readonly key: string;
  readonly kind: string;
  readonly solutionId?: string;
  readonly batchId?: string;
  readonly lines: readonly Line[];
}

/** False when this key was entered before. */
export async function post(client: pg.ClientBase, posting: Posting): Promise<boolean> {
  const { key, kind, solutionId = null, batchId = null, lines } = posting;
  const { rows } = await client.query<{ entered: boolean }>(
    'SELECT post($1, $2, $3, $4, $5, $6, $7) AS entered',
    [
      key,
      kind,
      solutionId,
      batchId,
      lines.map((line) => line.owner),
      lines.map((line) => line.book),
      lines.map((line) => formatAmount(line.amount)),
    ],
  );
  return rows[0]?.entered ?? false;
}
