/**
 * Bridges that start, stop, crash, and lose ledger, queue, clock and disk in any order: in the end the ledger is what the model says, to the last
 * unit, by account and by block. What fails tells its seed and a short history.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { paysByModel, SCHEMES, type SchemeName, useHistories } from '../helpers/books-model/histories.js';
import { BORN_AWAY, MENDS, withoutMend } from '../helpers/books-model/mends.js';

/** Of each scheme. The long tests see more of them. */
const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 4);

/** What fails is made shorter for no longer than that, and then told. */
const LONGEST_MS = 200_000;
const DIFFERENT = expect.stringMatching(/\{ (balances|wouldBring): /);

const books = useBooks();
const happens = useHistories(books);

describe.each(Object.keys(SCHEMES) as SchemeName[])('%s', (scheme) => {
  it('pays by the model, whatever happens', async () => {
    await fc.assert(paysByModel(happens, scheme), { numRuns: HISTORIES, skipAllAfterTimeLimit: LONGEST_MS });
  });
});

it('LQ1: what was done in a log that only the next start names counts for the blocks after it', async () => {
  await fc.assert(paysByModel(happens, 'prop', { first: BORN_AWAY, most: 5 }), { numRuns: 1 });
});

describe.each(MENDS)('$id: $says', (mend) => {
  const { scheme, story } = mend;

  it('pays by the model', async () => {
    await fc.assert(paysByModel(happens, scheme, { first: story, most: 5 }), { numRuns: 1 });
  });

  it('would not, without that', async () => {
    // What comes after the story may hide it: its block may be orphaned.
    const ofStory = { numRuns: 5, endOnFailure: true };
    await withoutMend(books.pool, mend, async () => {
      const found = await fc.check(paysByModel(happens, scheme, { first: story, most: 5 }), ofStory);
      // Another account has the money, and nothing else went wrong.
      expect(found.errorInstance).toMatchObject({ name: 'AssertionError', message: DIFFERENT });
    });
  });
});
