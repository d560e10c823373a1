/**
 * Bridges that start, stop, crash, and lose ledger, queue, clock and disk in any order: in the end the ledger is what the model says, to the last
 * unit, by account and by block. What fails tells its seed and a short history.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { paysByModel, SCHEMES, type SchemeName, useHistories } from '../helpers/books-model/histories.js';
import { MENDS, withoutMend } from '../helpers/books-model/mends.js';

/** Of each scheme. The long tests see more of them. */
const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 6);

const DIFFERENT = expect.stringContaining('balances');

const books = useBooks();
const happens = useHistories(books);

describe.each(Object.keys(SCHEMES) as SchemeName[])('%s', (scheme) => {
  it('pays by the model, whatever happens', async () => {
    await fc.assert(paysByModel(happens, scheme), { numRuns: HISTORIES });
  });
});

describe.each(MENDS)('$id: $says', (mend) => {
  const { scheme, story } = mend;
  const ofStory = { numRuns: 2, endOnFailure: true };

  it('pays by the model', async () => {
    await fc.assert(paysByModel(happens, scheme, { first: story, most: 5 }), ofStory);
  });

  it('would not, without that', async () => {
    await withoutMend(books.pool, mend, async () => {
      const found = await fc.check(paysByModel(happens, scheme, { first: story, most: 5 }), ofStory);
      // Another account has the money, and nothing else went wrong.
      expect(found.errorInstance).toMatchObject({ name: 'AssertionError', message: DIFFERENT });
    });
  });
});
