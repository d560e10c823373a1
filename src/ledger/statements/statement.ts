/** What an account earned and was paid in a span of time: what it had before, each period's changes, and what it has after. */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/amount.js';
import { LedgerError } from '../database/errors.js';

/** `undefined`: from ever, or until now. What is posted in a period (ten minutes) counts for its beginning. */
export interface Span {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

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

interface Row {
  readonly period: Date;
  readonly cause: string;
  readonly change: string;
  readonly paid: string;
  readonly payouts: string | null;
}

/** Throws LedgerError `refused` for a name that the books do not have. */
export async function statementOf(pool: pg.Pool, name: string, span: Span): Promise<StatementLine[]> {
  const { rows: found } = await pool.query<{ id: number }>(
    'SELECT id FROM account WHERE key = account_key($1)',
    [name],
  );
  const [account] = found;
  if (!account) throw new LedgerError('refused', `the books have no account ${JSON.stringify(name)}`);
  const { from, to } = span;
  const times = [account.id, from ?? '-infinity', to ?? 'infinity'];
  const { rows } = await pool.query<Row & { readonly opening: string }>(LINES, times);
  const { rows: sums } = await pool.query<{ opening: string }>(OPENING, times.slice(0, 2));
  let balance = parseAmount(sums[0]?.opening ?? '0') ?? 0n;
  const edge = (at: Date | undefined, what: string): StatementLine => ({
    ...{ at: at?.toISOString() ?? null, what, payouts: '', change: null, paid: null },
    balance: formatAmount(balance),
  });
  const opening = edge(from, 'opening balance');
  const lines = rows.map(({ period, cause, change, paid, payouts }): StatementLine => {
    balance += parseAmount(change) ?? 0n;
    const of = { at: period.toISOString(), what: cause, payouts: payouts ?? '' };
    return { ...of, change, paid, balance: formatAmount(balance) };
  });
  return [opening, ...lines, edge(to, 'closing balance')];
}

/** $1: account, $2: since when. */
const OPENING = `
  SELECT coalesce(sum(amount), 0)::numeric(38, 12)::text AS opening FROM posting
  WHERE account_id = $1 AND book = 'balance' AND period < $2`;

/** $1: account, $2: since when, $3: until when. */
const LINES = `
  SELECT p.period, p.cause, p.change::text, p.paid::text, (
    SELECT string_agg(b.name, ' ' ORDER BY b.id) FROM payment l JOIN payout b ON b.id = l.payout_id
    WHERE l.account_id = $1 AND (
      (p.cause = 'payout prepared' AND period_of(b.prepared_at) = p.period)
      OR (p.cause = 'payout failed' AND l.state = 'failed' AND period_of(l.changed_at) = p.period))) AS payouts
  FROM (
    SELECT period, cause, coalesce(sum(amount) FILTER (WHERE book = 'balance'), 0)::numeric(38, 12) AS change,
           coalesce(sum(amount) FILTER (WHERE book = 'paid'), 0)::numeric(38, 12) AS paid
    FROM posting WHERE account_id = $1 AND period >= $2 AND period < $3 GROUP BY period, cause) AS p
  ORDER BY p.period, p.cause`;
