/** Statements of accounts, and the journal for books of another kind. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../src/core/money/amount.js';
import { accountIds } from '../../src/ledger/accounts/accounts.js';
import { correctBalance } from '../../src/ledger/payments/by-hand.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { useBooks } from '../helpers/books/books.js';
import { coinsIn, expectProved } from '../helpers/books/money.js';
import { runHere } from '../helpers/processes/command.js';

const books = useBooks();
const ODD = 'k:"\\,=ä';
const COIN = 10n ** 12n;
const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
let payoutName = '';

async function correct(account: string, amount: bigint): Promise<void> {
  await accountIds(books.pool, [account]);
  await correctBalance(books.pool, { account, amount, note: 'given', by: 'a test' });
}

beforeAll(async () => {
  for (const [name, amount] of [
    ['a', 3n * COIN],
    [ODD, 1n],
    ['a', 2n * COIN],
    ['a', -COIN],
  ] as const)
    await correct(name, amount);
  await books.pool.query("UPDATE transfer SET at = $1::timestamptz + (least(of, 3) - 1) * interval '1 day'", [
    day(1),
  ]);
  const payout = (await preparePayout(books.pool, { minimum: COIN })) ?? expect.fail();
  payoutName = payout.name;
  await markPayout(books.pool, payout.name, { outcome: 'sent' });
});

async function ledger(...words: string[]): Promise<string> {
  const { code, text, stderr } = await runHere('ledger', [
    ...words,
    '--ledger-database-url',
    books.connectionString,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return text;
}

describe('a statement', () => {
  const lines = async (...words: string[]) => {
    const rows = JSON.parse(await ledger('statement', ...words)) as Record<string, string | null>[];
    return rows.map(({ at, what, change, paid, balance }) => [at?.slice(0, 10), what, change, paid, balance]);
  };
  const coins = (text: string) => formatAmount(parseAmount(text) ?? expect.fail(text));

  it('begins and ends with a balance, and each line between leads from one to the other', async () => {
    const span = ['a', '--from', '2026-01-02', '--to', '2026-01-04'];
    expect(await lines(...span)).toEqual([
      ['2026-01-02', 'opening balance', null, null, coins('3')],
      ['2026-01-03', 'correction', coins('1'), coins('0'), coins('4')],
      ['2026-01-04', 'closing balance', null, null, coins('4')],
    ]);
  });

  it('shows payouts by their names, and comes to the balance of now', async () => {
    const all = await lines('a');
    const today = new Date().toISOString().slice(0, 4);
    expect(all.slice(-2)).toEqual([
      [expect.stringContaining(today), 'paid', coins('-4'), coins('4'), coins('0')],
      [undefined, 'closing balance', null, null, coins('0')],
    ]);
    expect(await ledger('statement', 'a', '--csv')).toContain(
      `paid,-4.000000000000,0.000000000000,4.000000000000,${payoutName}\r\n`,
    );
    expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '4' });
  });

  it('is refused for an account that there is not, and for a span that ends before it begins', async () => {
    const ask = (...words: string[]) =>
      runHere('ledger', [...words, '--ledger-database-url', books.connectionString]);
    expect(await ask('statement', 'nobody')).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('no account "nobody" is in the books') },
    });
    expect(await ask('statement', 'a', '--from', '2026-02-01', '--to', '2026-01-01')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('is after to') },
    });
  });
});

describe('the journal', () => {
  it('has every transfer, as CSV', async () => {
    const [head, ...rows] = (await ledger('export', 'journal')).split('\r\n');
    expect(head).toBe('at,code,of,time,debit,credit,amount,transfers');
    expect(rows[0]).toBe('2026-01-01T00:00:00.000Z,correction,1,1,,a,3.000000000000,1');
    expect(rows[1]).toBe('2026-01-02T00:00:00.000Z,correction,2,1,,"k:""\\,=ä",0.000000000001,1');
    expect(rows.at(-1)).toMatch(/,paid,\d+,1,a,elsewhere,4\.000000000000,1$/);
    expect(rows).toHaveLength(5);
    expect((await ledger('export', 'journal', '--to', '2026-01-02')).split('\r\n')).toHaveLength(2);
    await expectProved(books.pool);
  });
});
