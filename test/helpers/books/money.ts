/** What the books say of money. */
import type pg from 'pg';
import { expect } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';

type Kind = 'due' | 'paying' | 'paid' | 'expected' | 'chains';

const OF_ACCOUNTS = (what: string) =>
  `SELECT name, ${what} AS amount FROM money JOIN account ON id = account_id WHERE id >= 0`;

const ROWS: Readonly<Record<Kind, string>> = {
  due: OF_ACCOUNTS('due'),
  paying: OF_ACCOUNTS('paying'),
  paid: OF_ACCOUNTS('paid'),
  expected: 'SELECT name, amount FROM expected_of(NULL) JOIN account ON id = account_id',
  chains: 'SELECT name, amount FROM balance JOIN account ON id = account_id WHERE id < 0',
};

/** Account (`''`: the operator) -> amount, as far as it is not zero. */
export async function moneyIn(pool: pg.Pool, kind: Kind): Promise<Record<string, bigint>> {
  const { rows } = await pool.query<{ name: string; amount: string }>(
    `SELECT name, amount FROM (${ROWS[kind]}) AS money WHERE amount <> 0 ORDER BY name`,
  );
  return Object.fromEntries(
    rows.map(({ name, amount }) => [name, parseAmount(amount) ?? expect.fail(amount)]),
  );
}

/** In coins, as text, the operator by that name. */
export async function coinsIn(pool: pg.Pool, kind: Kind): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; amount: string }>(
    `SELECT name, trim_scale(amount)::text AS amount FROM (${ROWS[kind]}) AS money WHERE amount <> 0 ORDER BY name`,
  );
  return Object.fromEntries(rows.map(({ name, amount }) => [name || 'operator', amount]));
}

/** What an account can be paid. */
export async function dueOf(pool: pg.Pool, name: string): Promise<bigint> {
  return (await moneyIn(pool, 'due'))[name] ?? 0n;
}

export async function expectProved(pool: pg.Pool): Promise<void> {
  expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
}

/** As if a block of chain 0 had paid it. */
export async function giveMoney(pool: pg.Pool, name: string, amount: bigint): Promise<void> {
  const ids = await accountIds(pool, [name]);
  await pool.query(
    `SELECT transfer_money(ARRAY[('block', coalesce(min(of), 0) - 1, 1, chain_account(0), $1, $2)::money_move])
     FROM transfer WHERE code = 'block' AND of < 0`,
    [ids.get(name), formatAmount(amount)],
  );
}
