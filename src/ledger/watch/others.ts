/** Accounts that have money, also those that do not mine now. */
import type { AccountMoney } from '../../bridge/watch/books-watch.js';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import { OPERATOR } from '../settlement/posting.js';
import type { Ask } from './questions.js';
import { MONEY } from './sql.js';

/**
 * $1: who is no account, $2: those that are left out, $3: offset, $4: how many. How many there are stands in each row; where the
 * page has none, it is the one row, without an account.
 */
const OTHERS = `
  WITH owners AS (
    SELECT owner, max(amount) FILTER (WHERE book = 'balance') AS due FROM balance
    WHERE owner <> $1 GROUP BY owner HAVING bool_or(amount <> 0)
  ), others AS MATERIALIZED (
    SELECT owner, due FROM owners LEFT JOIN unnest($2::text[]) AS left_out (name) ON name = owner WHERE name IS NULL
  ), page AS (
    SELECT owner, due FROM others ORDER BY due DESC NULLS LAST, owner COLLATE "C" OFFSET $3 LIMIT $4
  )
  SELECT (SELECT count(*)::int FROM others) AS total, page.owner AS account, money.*
  FROM (SELECT) AS one LEFT JOIN page ON true
  CROSS JOIN LATERAL (SELECT ${MONEY} FROM balance WHERE owner = page.owner) AS money
  ORDER BY page.due DESC NULLS LAST, page.owner COLLATE "C"`;

type Row = Omit<AccountMoney, 'account'> & { readonly total: number; readonly account: string | null };

export async function otherAccounts(
  ask: Ask,
  leftOut: readonly string[],
  { offset, limit }: Slice,
): Promise<Listing<AccountMoney>> {
  const rows = await ask<Row>(OTHERS, [OPERATOR, leftOut, offset, limit]);
  return {
    total: rows[0]?.total ?? 0,
    items: rows.flatMap(({ account, balance, held, paying, paid }) =>
      account === null ? [] : [{ account, balance, held, paying, paid }],
    ),
  };
}
