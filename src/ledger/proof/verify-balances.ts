/** Proves balances: postings of periods that are over do not change, so they are summed a week at a time. */
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';

const SQL = statementsOf('proof/verify-balances.sql');

/** A sentence for each balance that is not the sum of its postings. */
export async function brokenBalances(ask: Ask): Promise<string[]> {
  const [times] = await ask(SQL.over, []);
  const over = times?.over ?? '-infinity';
  const sums = new Map<string, bigint>();
  for (const { from } of await ask(SQL.weeks, [over]))
    for (const row of await ask(SQL.sums, [from, over])) add(sums, row);
  for (const row of await ask(SQL.rest, [over])) add(sums, row);
  return Array.from(sums)
    .filter(([, amount]) => amount !== 0n)
    .map(([key, amount]) => `${key}: the balance is off by ${formatAmount(-amount)}`);
}

function add(sums: Map<string, bigint>, { account_id, book, amount }: RowOf<typeof SQL.rest>): void {
  const key = `${book} of account ${account_id}`;
  sums.set(key, (sums.get(key) ?? 0n) + (parseAmount(amount) ?? 0n));
}
