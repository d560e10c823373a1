/** Entries that are booked together on a real database: no more than it takes at a time, and less where that takes too long. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { ShareEntry } from '../../src/bridge/ports.js';
import { SILENT } from '../../src/core/names/log.js';
import { SCHEMA } from '../../src/ledger/database/make-books.js';
import { Ledger } from '../../src/ledger/ledger.js';
import { Together } from '../../src/queue/recording/together.js';
import { useBooks } from '../helpers/books/books.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const books = useBooks();

/** Each of a log of its own. */
const entries = (count: number, sums = 1): ShareEntry[] =>
  Array.from({ length: count }, () =>
    entryOf({
      id: { log: randomUUID(), number: 1 },
      shares: Array.from({ length: sums }, (_, i) => makeShare({ rig: `r${i}` })),
    }),
  );

it('LQ5: what takes longer than a statement may is booked in halves, and not whole again', async () => {
  const options = `-c search_path=${SCHEMA} -c statement_timeout=1500`;
  const pool = new pg.Pool({ connectionString: books.connectionString, options });
  await books.pool.query(
    'CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.25); RETURN NEW; END $$',
  );
  await books.pool.query('CREATE TRIGGER nap BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION nap()');
  try {
    const ledger = new Ledger(pool, SILENT);
    const sizes: number[] = [];
    const counted = {
      recordEntries: (some: readonly ShareEntry[]) => {
        sizes.push(some.length);
        return ledger.recordEntries(some);
      },
    };
    const away: string[] = [];
    const together = new Together(counted, ({ message }) => away.push(message), new AbortController().signal);
    // The first begins alone, and the others wait for it.
    const outcomes = await Promise.all(entries(9).map((entry) => together.record(entry)));
    expect(new Set(outcomes)).toEqual(new Set(['recorded']));
    expect(sizes).toEqual([1, 8, 4, 4]);
    expect(away).toEqual([]);
    expect((await books.ledger.totals()).shares).toBe(9);
  } finally {
    await books.pool.query('DROP TRIGGER nap ON log; DROP FUNCTION nap()');
    await pool.end();
  }
});

it('LQ9: one transaction is given so many sums, and an entry that has more goes alone', async () => {
  const sizes: number[] = [];
  const counted = {
    recordEntries: async (some: readonly ShareEntry[]) => {
      sizes.push(some.length);
      return some.map(() => 'recorded' as const);
    },
  };
  const together = new Together(counted, () => {}, new AbortController().signal);
  const some = [...entries(1), ...entries(3, 2_000), ...entries(1, 6_000), ...entries(2, 10)];
  await Promise.all(some.map((entry) => together.record(entry)));
  expect(sizes).toEqual([1, 2, 1, 1, 2]);
});
