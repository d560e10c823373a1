/** Proves balances: postings of periods that are over do not change, so they are summed a day at a time. */
import { formatAmount, parseAmount } from '../../core/amount.js';

/** Rows of a statement of one moment. */
export type Ask = <T>(sql: string, values: readonly unknown[]) => Promise<T[]>;

interface Row {
  readonly account_id: number;
  readonly book: string;
  readonly amount: string;
}

/** A sentence for each balance that is not the sum of its postings. */
export async function brokenBalances(ask: Ask): Promise<string[]> {
  const [times] = await ask<{ over: string }>(OVER, []);
  const over = times?.over ?? '-infinity';
  const sums = new Map<string, bigint>();
  for (const { from } of await ask<{ from: string }>(DAYS, [over]))
    for (const row of await ask<Row>(SUMS, [from, over])) add(sums, row);
  for (const row of await ask<Row>(NOW, [over])) add(sums, row);
  return Array.from(sums)
    .filter(([, amount]) => amount !== 0n)
    .map(([key, amount]) => `${key}: the balance is off by ${formatAmount(-amount)}`);
}

function add(sums: Map<string, bigint>, { account_id, book, amount }: Row): void {
  const key = `${book} of account ${account_id}`;
  sums.set(key, (sums.get(key) ?? 0n) + (parseAmount(amount) ?? 0n));
}

/** Longer than any transaction lasts: before that nothing is posted any more. */
const OVER = "SELECT period_of(now() - interval '1 hour')::text AS over";

/** $1: where periods are not over. */
const DAYS = `
  SELECT at::text AS "from" FROM (SELECT min(period) AS first FROM posting) AS ends,
    generate_series(date_bin('1 day', first, 'epoch'), $1::timestamptz, interval '1 day') AS at`;

/** $1: where a day begins, $2: where periods are not over. */
const SUMS = `
  SELECT account_id, book, sum(amount)::text AS amount FROM posting
  WHERE period >= $1 AND period < least($1::timestamptz + interval '1 day', $2::timestamptz) GROUP BY 1, 2`;

/** $1: where periods are not over. What came since, less what stands there now. */
const NOW = `
  SELECT account_id, book, sum(amount)::text AS amount FROM (
    SELECT account_id, book, amount FROM posting WHERE period >= $1
    UNION ALL SELECT account_id, book, -amount FROM balance) AS lines
  GROUP BY 1, 2`;
