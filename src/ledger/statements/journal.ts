/** All transfers of a span of time as one CSV, for books of another kind: `at,code,of,time,debit,credit,amount,transfers`. */
import type pg from 'pg';
import { csvLine, csvText } from '../../core/names/csv.js';
import type { RowOf } from '../database/statements.js';
import { limitsOf, type Span, SQL } from './statement.js';

const ROWS_AT_ONCE = 2_000;

/** In pieces, of one moment. */
export async function* journal(pool: pg.Pool, span: Span): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    yield csvLine(['at', 'code', 'of', 'time', 'debit', 'credit', 'amount', 'transfers']);
    await client.query(`DECLARE journal NO SCROLL CURSOR FOR ${SQL.journal.text}`, limitsOf(span));
    for (;;) {
      const { rows } = await client.query<RowOf<typeof SQL.journal>>(`FETCH ${ROWS_AT_ONCE} FROM journal`);
      if (rows.length === 0) return;
      yield rows
        .map(({ at, code, of, time, debit, credit, amount, transfers }) =>
          csvLine([at, code, of, String(time), csvText(debit), csvText(credit), amount, transfers]),
        )
        .join('');
    }
  } finally {
    await client.query('ROLLBACK').catch(() => {}); // it only read
    client.release();
  }
}
