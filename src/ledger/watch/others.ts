/** Accounts that have money, also those that do not mine now. */
import type { AccountMoney } from '../../bridge/watch/books-watch.js';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import type { Ask } from './questions.js';
import { MONEY } from './sql.js';

/**
 * $1: those that are left out, $2: offset, $3: how many. How many there are stands in each row; where the page has none, it is the one
 * row, without an account.
 */
const OTHERS = `
  WITH owners AS (
    SELECT m.account_id, a.name AS owner, max(m.amount) FILTER (WHERE m.book = 'balance') AS due
    FROM money m JOIN account a ON a.id = m.account_id
    WHERE m.account_id <> 0 GROUP BY m.account_id, a.name HAVING bool_or(m.amount <> 0)
  ), others AS MATERIALIZED (
    SELECT account_id, owner, due FROM owners LEFT JOIN unnest($1::text[]) AS left_out (name) ON name = owner WHERE name IS NULL
  ), page AS (
    SELECT account_id, owner, due FROM others ORDER BY due DESC NULLS LAST, owner COLLATE "C" OFFSET $2 LIMIT $3
  )
  SELECT (SELECT count(*)::int FROM others) AS total, page.owner AS account, money.*
  FROM (SELECT) AS one LEFT JOIN page ON true
  CROSS JOIN LATERAL (SELECT ${MONEY} FROM money m WHERE m.account_id = page.account_id) AS money
  ORDER BY page.due DESC NULLS LAST, page.owner COLLATE "C"`;

type Row = Omit<AccountMoney, 'account'> & { readonly total: number; readonly account: string | null };

export async function otherAccounts(
  ask: Ask,
  leftOut: readonly string[],
  { offset, limit }: Slice,
): Promise<Listing<AccountMoney>> {
  const rows = await ask<Row>(OTHERS, [leftOut, offset, limit]);
  return {
    total: rows[0]?.total ?? 0,
    items: rows.flatMap(({ account, balance, held, paying, paid }) =>
      account === null ? [] : [{ account, balance, held, paying, paid }],
    ),
  };
}
