/** What the books say of money. */
import type pg from 'pg';
import { expect } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { type Line, OPERATOR_ID, post } from '../../../src/ledger/settlement/posting.js';

/** Account (`''`: the operator) -> amount, as far as it is not zero. */
export async function moneyIn(pool: pg.Pool, book: string): Promise<Record<string, bigint>> {
  const { rows } = await pool.query<{ name: string; amount: string }>(
    'SELECT name, amount FROM money JOIN account ON id = account_id WHERE book = $1 AND amount <> 0 ORDER BY name',
    [book],
  );
  return Object.fromEntries(
    rows.map(({ name, amount }) => [name, parseAmount(amount) ?? expect.fail(amount)]),
  );
}

/** In coins, as text, the operator by that name. */
export async function coinsIn(pool: pg.Pool, book: string): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; amount: string }>(
    `SELECT name, trim_scale(amount)::text AS amount FROM money JOIN account ON id = account_id
     WHERE book = $1 AND amount <> 0 ORDER BY name`,
    [book],
  );
  return Object.fromEntries(rows.map(({ name, amount }) => [name || 'operator', amount]));
}

/** What an account can be paid. */
export async function balanceOf(pool: pg.Pool, name: string): Promise<bigint> {
  return (await moneyIn(pool, 'balance'))[name] ?? 0n;
}

export async function expectProved(pool: pg.Pool): Promise<void> {
  expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
}

/** As if a block had paid it. */
export async function giveMoney(pool: pg.Pool, name: string, amount: bigint): Promise<void> {
  await inTransaction(pool, async (client) => {
    const accountId = (await accountIds(client, [name])).get(name) ?? expect.fail(name);
    const lines: Line[] = [
      { accountId, book: 'balance', amount },
      { accountId: OPERATOR_ID, book: 'rewards', amount: -amount },
    ];
    await post(client, { cause: 'given', lines });
  });
}
