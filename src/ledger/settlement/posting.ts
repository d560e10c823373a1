/** Double entry: a posting moves amounts between books, and its lines sum to zero. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/amount.js';
import { bulkQuery } from '../database/transaction.js';

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
  const { rows } = await bulkQuery<{ entered: boolean }>(
    client,
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

/** Where credits of a block are taken from (-1) or brought to (1). */
export interface CreditMove {
  readonly place: 'none' | 'held' | 'balance';
  readonly sign: 1 | -1;
}

/**
 * Moves all credits of a block at once, within the database: a pool may have a million accounts. Those of a block that
 * is not on the chain are what the operator's book of rewards owes.
 */
export async function postCredits(
  client: pg.ClientBase,
  solutionId: string,
  { key, kind }: Pick<Posting, 'key' | 'kind'>,
  moves: readonly CreditMove[],
): Promise<void> {
  await bulkQuery(
    client,
    `SELECT post($1, $2, $3, NULL, array_agg(l.owner), array_agg(l.book), array_agg(l.amount)) FROM (
       SELECT CASE m.book WHEN 'rewards' THEN $4 ELSE c.account END AS owner, m.book, m.sign * c.amount AS amount
       FROM block_credit c, unnest($5::text[], $6::int[]) AS m (book, sign) WHERE c.solution_id = $3) l`,
    [
      key,
      kind,
      solutionId,
      OPERATOR,
      moves.map(({ place }) => (place === 'none' ? 'rewards' : place)),
      moves.map(({ sign }) => sign),
    ],
  );
}
