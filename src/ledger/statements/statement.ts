/** What an account earned and was paid in a span of time: what it had before, each period's changes, and what it has after. */
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import type { StatementLine } from '../../operations/books/ledger.js';
import { type Ask, statementsOf } from '../database/statements.js';

export const SQL = statementsOf('statements/statements.sql');

/** `undefined`: from ever, or until now. A line begins with its ten minutes, or with its day where that is closed. */
export interface Span {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export const limitsOf = ({ from, to }: Span): [since: Date | string, until: Date | string] => [
  from ?? '-infinity',
  to ?? 'infinity',
];

/** `undefined` for a name that the books do not have. */
export async function statementOf(ask: Ask, name: string, span: Span): Promise<StatementLine[] | undefined> {
  const [{ id = null } = {}] = await ask(SQL.account, [name]);
  if (id === null) return undefined;
  const { from, to } = span;
  const [since, until] = limitsOf(span);
  const rows = await ask(SQL.lines, [id, since, until]);
  const [{ opening: first } = { opening: '0' }] = await ask(SQL.opening, [id, since]);
  let balance = parseAmount(first) ?? 0n;
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
