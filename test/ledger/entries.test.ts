/** Entries under their numbers: what is the same again, what is another one, and what somebody gives up. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { ShareEntry } from '../../src/bridge/ports.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import { giveUpEntry } from '../../src/ledger/recording/logs.js';
import { useBooks } from '../helpers/books/books.js';
import { keepUp } from '../helpers/books/keep-up.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const books = useBooks();
beforeEach(() => books.empty());

/** A log that goes on: each entry has what came before it in its totals. */
function entriesOf(log: string, ...counts: readonly number[]): ShareEntry[] {
  return counts.map((count, i) => {
    const shares = Array.from({ length: count }, () => makeShare({ difficulty: 10n }));
    const total = counts.slice(0, i + 1).reduce((sum, one) => sum + one, 0);
    const entry = entryOf({ id: { log, number: i + 1 }, shares });
    return { ...entry, ends: false, total: { shares: total, work: 10n * BigInt(total) } };
  });
}

const verified = async () => (await verifyBooks(books.pool)).flatMap(({ broken }) => broken);

it('LQ13: another entry under a booked number is a conflict, and the same one again is none', async () => {
  const log = randomUUID();
  const copied = entriesOf(log, 3, 1);
  const [first, second, third] = entriesOf(log, 3, 4, 2) as [ShareEntry, ShareEntry, ShareEntry];
  expect(await books.ledger.recordEntries(copied)).toEqual(['recorded', 'recorded']);
  expect(await books.ledger.recordEntries([first, second, third])).toEqual([
    ...['repeated', 'conflict', 'recorded'],
  ]);
  expect((await books.ledger.totals()).shares).toBe(6);
  const asked = [first, second, third].map(({ id, total }) => ({ number: id.number, ...total }));
  expect(await books.ledger.conflictingEntries(log, asked)).toEqual([2]);
  expect(await verified()).toEqual([expect.stringContaining('has acknowledged 3 shares of work 30 more')]);

  const total = { shares: second.total.shares, work: second.total.work.toString() };
  await giveUpEntry(books.pool, second.id, { by: 'anna', shares: 4, work: '40', total });
  expect(await books.ledger.conflictingEntries(log, asked)).toEqual([]);
  expect(await books.ledger.recordEntry(second)).toBe('repeated');
  // Of the same one as is booked nothing is given up.
  await giveUpEntry(books.pool, first.id, {
    by: 'anna',
    shares: 3,
    work: '30',
    total: { shares: 3, work: '30' },
  });
  const { rows } = await books.pool.query('SELECT number::int, shares::int FROM unbooked');
  expect(rows).toEqual([{ number: 2, shares: 4 }]);
});

it('LQ13: a log that a copy has ended is not at its end when more of it comes', async () => {
  const log = randomUUID();
  const [first, second] = entriesOf(log, 1, 0) as [ShareEntry, ShareEntry];
  const ended = async () => (await books.pool.query('SELECT ended FROM log')).rows;
  await books.ledger.recordEntry({ ...first, ends: true });
  expect(await ended()).toEqual([{ ended: true }]);
  await books.ledger.recordEntry(second);
  expect(await ended()).toEqual([{ ended: false }]);
});

it('totals of entries are kept for a day; their numbers for ever', async () => {
  const log = randomUUID();
  const [first, second] = entriesOf(log, 1, 1) as [ShareEntry, ShareEntry];
  await books.ledger.recordEntries([first, second]);
  await books.pool.query("UPDATE entry SET booked_at = now() - interval '25 hours' WHERE number = 1");
  await keepUp(books.pool);
  const { rows } = await books.pool.query('SELECT number::int FROM entry');
  expect(rows).toEqual([{ number: 2 }]);
  expect(await books.ledger.recordEntries([first, second])).toEqual(['repeated', 'repeated']);
});
