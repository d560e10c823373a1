/** What an account earned and was paid in a span of time: what it had before, each period's changes, and what it has after. */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, statementsOf } from '../database/statements.js';

export const SQL = statementsOf('statements/statements.sql');

/** `undefined`: from ever, or until now. What is posted in a period (ten minutes) counts for its beginning. */
export interface Span {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export const limitsOf = ({ from, to }: Span): [since: Date | string, until: Date | string] => [
  from ?? '-infinity',
  to ?? 'infinity',
];

export interface StatementLine {
  /** Of a period its beginning; null where nobody asked for a beginning or an end. */
  readonly at: string | null;
  /** `opening balance`, `closing balance`, or the cause of what was posted: `block`, `payout sent`. */
  readonly what: string;
  /** Payouts that were prepared or failed then. */
  readonly payouts: string;
  /** By so much the balance changed; null in the first and the last line. */
  readonly change: string | null;
  /** By so much more was paid. */
  readonly paid: string | null;
  /** Afterwards. */
  readonly balance: string;
}

/** Throws LedgerError `refused` for a name that the books do not have. */
export async function statementOf(pool: pg.Pool, name: string, span: Span): Promise<StatementLine[]> {
  const { id = null } = (await rowOf(pool, SQL.account, [name])) ?? {};
  if (id === null) throw new LedgerError('refused', `the books have no account ${JSON.stringify(name)}`);
  const { from, to } = span;
  const [since, until] = limitsOf(span);
  const rows = await rowsOf(pool, SQL.lines, [id, since, until]);
  let balance = parseAmount((await rowOf(pool, SQL.opening, [id, since]))?.opening ?? '0') ?? 0n;
  const edge = (at: Date | undefined, what: string): StatementLine => ({
    ...{ at: at?.toISOString() ?? null, what, payouts: '', change: null, paid: null },
    balance: formatAmount(balance),
  });
  const opening = edge(from, 'opening balance');
  const lines = rows.map((line): StatementLine => {
    balance += parseAmount(line.change) ?? 0n;
    return { ...line, balance: formatAmount(balance) };
  });
  return [opening, ...lines, edge(to, 'closing balance')];
}
