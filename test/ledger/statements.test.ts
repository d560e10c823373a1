/** Statements of accounts, and the journal for books of another kind. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../src/core/money/amount.js';
import { accountIds } from '../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../src/ledger/database/transaction.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { preparePayout } from '../../src/ledger/payments/prepare.js';
import { type Book, OPERATOR_ID, post } from '../../src/ledger/settlement/posting.js';
import { useBooks } from '../helpers/books/books.js';
import { coinsIn, expectProved } from '../helpers/books/money.js';
import { runHere } from '../helpers/processes/command.js';

const books = useBooks();
const ODD = 'k:"\\,=ä';
const COIN = 10n ** 12n;
const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
let payoutName = '';

beforeAll(async () => {
  const ids = await accountIds(books.pool, ['a', ODD, '']);
  const at = (period: Date, cause: string, amounts: Record<string, bigint>, source: Book) =>
    inTransaction(books.pool, (client) => {
      const given = Object.entries(amounts);
      const sum = given.reduce((total, [, amount]) => total + amount, 0n);
      return post(client, {
        ...{ period, cause },
        lines: [
          { accountId: OPERATOR_ID, book: source, amount: -sum },
          ...given.map(([name, amount]) => ({
            accountId: ids.get(name) ?? -1,
            book: 'balance' as const,
            amount,
          })),
        ],
      });
    });
  await at(day(1), 'given', { a: 3n * COIN, [ODD]: 1n, '': COIN }, 'rewards');
  await at(day(2), 'pps', { a: 2n * COIN }, 'pps');
  await books.pool.query(
    'INSERT INTO pps_period (starts_at, posted_in, height, reward, total) VALUES ($1, $1, 1, 2, 2)',
    [day(2)],
  );
  await at(day(3), 'taken', { a: -COIN }, 'rewards');
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
      ['2026-01-02', 'pps', coins('2'), coins('0'), coins('5')],
      ['2026-01-03', 'taken', coins('-1'), coins('0'), coins('4')],
      ['2026-01-04', 'closing balance', null, null, coins('4')],
    ]);
  });

  it('shows payouts by their names, and comes to the balance of now', async () => {
    const all = await lines('a');
    const today = new Date().toISOString().slice(0, 4);
    expect(all.slice(-3)).toEqual([
      [expect.stringContaining(today), 'payout prepared', coins('-4'), coins('0'), coins('0')],
      [expect.stringContaining(today), 'payout sent', coins('0'), coins('4'), coins('0')],
      [undefined, 'closing balance', null, null, coins('0')],
    ]);
    expect(await ledger('statement', 'a', '--csv')).toContain(
      `"payout prepared",-4.000000000000,0.000000000000,0.000000000000,${payoutName}\r\n`,
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
  it('has every posting, as CSV, and sums to zero', async () => {
    const [head, ...rows] = (await ledger('export', 'journal')).split('\r\n');
    expect(head).toBe('period,cause,account,book,amount');
    expect(rows[0]).toBe('2026-01-01T00:00:00.000Z,given,,balance,1.000000000000');
    expect(rows).toContain('2026-01-01T00:00:00.000Z,given,"k:""\\,=ä",balance,0.000000000001');
    const sum = rows.reduce((total, row) => total + (parseAmount(row.split(',').at(-1) ?? '') ?? 0n), 0n);
    expect([rows.length, sum]).toEqual([12, 0n]);
    expect((await ledger('export', 'journal', '--to', '2026-01-02')).split('\r\n')).toHaveLength(5);
    await expectProved(books.pool);
  });
});
