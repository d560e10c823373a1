/** How much of the books' time anonymous users may take. */
import { expect, it } from 'vitest';
import { BooksAwayError, type BooksWatch } from '../../src/bridge/watch/books-watch.js';
import { anonymousBooks } from '../../src/web/state/anonymous-books.js';
import { sharedBooks } from '../../src/web/state/shared-books.js';
import { NO_BOOKS } from '../helpers/web/idle-bridge.js';

/** Books that take their time. */
function slowBooks() {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const account: BooksWatch['account'] = (name) => {
    asked.push(name);
    return new Promise((resolve) => waiting.push(() => resolve(undefined)));
  };
  return { books: { ...NO_BOOKS, account }, asked, answer: () => waiting.shift()?.() };
}

it('questions of anonymous users leave room for others, and the next is taken once one is answered', async () => {
  const { books, asked, answer } = slowBooks();
  const anonymous = sharedBooks(anonymousBooks(books, 3));
  const first = ['a', 'b', 'c'].map((name) => anonymous.account(name));
  await expect(anonymous.account('d')).rejects.toThrow(BooksAwayError);
  // The same again is no other question.
  const same = anonymous.account('a');
  expect(asked).toEqual(['a', 'b', 'c']);
  answer();
  expect(await Promise.all([first[0], same])).toEqual([undefined, undefined]);
  const next = anonymous.account('d');
  // Operators are bounded by the books alone.
  const operator = sharedBooks(books).account('e');
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'e']);
  for (let i = 0; i < 4; i++) answer();
  await Promise.all([...first, next, operator]);
});

it('what failed makes room as well', async () => {
  const anonymous = anonymousBooks(NO_BOOKS, 1);
  for (let i = 0; i < 3; i++)
    await expect(anonymous.rounds()).rejects.toThrow('the ledger does not answer now');
});

it('notes of payments are for operators', async () => {
  const payment = { payout: '3f9ea-7', note: 'a dry run of it fails: http://10.0.0.3:1848 takes it' };
  const account = { payments: [payment] } as unknown as Awaited<ReturnType<BooksWatch['account']>>;
  const books = { ...NO_BOOKS, account: async () => account };
  expect(await anonymousBooks(books).account('a')).toEqual({ payments: [{ ...payment, note: '' }] });
  expect(await books.account()).toEqual({ payments: [payment] });
});
