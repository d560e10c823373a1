/** All postings of a span of time as one CSV, for books of another kind: `period,cause,account,book,amount`. */
import type pg from 'pg';
import { csvLine, csvText } from '../../core/names/csv.js';
import { run } from '../database/statements.js';
import type { Book } from '../settlement/posting.js';
import { limitsOf, type Span, SQL } from './statement.js';

interface Row {
  readonly period: Date;
  readonly cause: string;
  readonly name: string;
  readonly book: Book;
  readonly amount: string;
}

const ROWS_AT_ONCE = 2_000;

/** In pieces, of one moment. */
export async function* journal(pool: pg.Pool, span: Span): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    yield csvLine(['period', 'cause', 'account', 'book', 'amount']);
    await run(client, SQL.begin, limitsOf(span));
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM journal`);
      if (rows.length === 0) return;
      yield rows
        .map(({ period, cause, name, book, amount }) =>
          csvLine([period.toISOString(), cause, csvText(name), book, amount]),
        )
        .join('');
    }
  } finally {
    await client.query('ROLLBACK').catch(() => {}); // it only read
    client.release();
  }
}
