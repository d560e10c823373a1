/**
 * All postings of a span of time as one text, for books of another kind.
 *
 *     csv         period,cause,account,book,amount
 *     beancount   https://beancount.github.io: a transaction for each cause in a period, with the signs that it is used to
 */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { csvLine, csvText } from '../../core/names/csv.js';
import { rowsOf, run } from '../database/statements.js';
import type { Book } from '../settlement/posting.js';
import { limitsOf, type Span, SQL } from './statement.js';

export const JOURNAL_FORMATS = ['csv', 'beancount'] as const;
export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

interface Row {
  readonly period: Date;
  readonly cause: string;
  readonly id: number;
  readonly name: string;
  readonly book: Book;
  readonly amount: string;
}

const ROWS_AT_ONCE = 2_000;

/** In pieces, of one moment. */
export async function* journal(pool: pg.Pool, span: Span, format: JournalFormat): AsyncGenerator<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    yield* format === 'csv' ? asCsv(client, span) : asBeancount(client, span);
  } finally {
    await client.query('ROLLBACK').catch(() => {}); // it only read
    client.release();
  }
}

async function* postings(client: pg.ClientBase, span: Span): AsyncGenerator<Row[]> {
  await run(client, SQL.begin, limitsOf(span));
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM journal`);
    if (rows.length === 0) return;
    yield rows;
  }
}

async function* asCsv(client: pg.ClientBase, span: Span): AsyncGenerator<string> {
  yield csvLine(['period', 'cause', 'account', 'book', 'amount']);
  for await (const rows of postings(client, span))
    yield rows
      .map(({ period, cause, name, book, amount }) =>
        csvLine([period.toISOString(), cause, csvText(name), book, amount]),
      )
      .join('');
}

/** The operator has no name: what remains for it is its income. Of the others each has its number in the names of its accounts. */
const ACCOUNTS: Readonly<Record<Book, (id: number) => string>> = {
  rewards: () => 'Assets:Rewards',
  pps: () => 'Expenses:PayPerShare',
  balance: (id) => (id === 0 ? 'Income:Operator' : `Liabilities:Balance:A${id}`),
  paying: (id) => `Liabilities:Paying:A${id}`,
  paid: (id) => `Assets:Paid:A${id}`,
  gas: (id) => (id === 0 ? 'Expenses:Gas' : `Expenses:Gas:A${id}`),
};

/** What the books are in: a chain's coin has no name here. */
const CURRENCY = 'COIN';
/** Before all that can be posted. */
const OPENED = '1970-01-01';

/** Here a balance is what an account has; there it is what we owe it, and the other way round. */
async function* asBeancount(client: pg.ClientBase, span: Span): AsyncGenerator<string> {
  yield `option "operating_currency" "${CURRENCY}"\n\n${OPENED} commodity ${CURRENCY}\n`;
  const posted = await rowsOf(client, SQL.posted, limitsOf(span));
  const opened = posted.map(({ id, name, book }) => [ACCOUNTS[book](id), name] as const);
  for (const [account, name] of new Map(opened))
    yield `${OPENED} open ${account} ${CURRENCY}\n${name === '' ? '' : `  name: "${quoted(name)}"\n`}`;
  let current = '';
  for await (const rows of postings(client, span)) {
    let text = '';
    for (const { period, cause, id, book, amount } of rows) {
      const begin = `${period.toISOString().slice(0, 10)} * "${quoted(cause)}"\n  period: "${period.toISOString()}"\n`;
      if (begin !== current) text += `\n${begin}`;
      current = begin;
      text += `  ${ACCOUNTS[book](id)}  ${formatAmount(-(parseAmount(amount) ?? 0n))} ${CURRENCY}\n`;
    }
    yield text;
  }
}

function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
