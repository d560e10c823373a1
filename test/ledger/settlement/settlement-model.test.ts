/** Blocks are split by all that was accepted before them, whatever comes when: against a model of what is due. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { useBooks } from '../../helpers/books/books.js';
import { expectProved, moneyIn } from '../../helpers/books/money.js';
import { due } from '../../helpers/books/settlement-model.js';
import { BY_TIME, BY_WORK, PROP, play, story } from '../../helpers/books/settlement-story.js';

/** The long tests tell more. */
const STORIES = Number(process.env['BRIDGE_TEST_STORIES'] ?? 15);

const books = useBooks();

describe.each([
  ['prop', PROP],
  ['pplns by time', BY_TIME],
  ['pplns by work', BY_WORK],
])('%s, and what comes after it', (_name, rules) => {
  it('pays by the model, whatever comes in whatever order', async () => {
    const other = await openLedger({ connectionString: books.connectionString, log: SILENT });
    onTestFinished(() => other.close());
    await fc.assert(
      fc.asyncProperty(story, async (one) => {
        await books.empty();
        const told = await play(books, other.pool, rules, one);
        expect(await moneyIn(books.pool, 'due')).toEqual(due(told));
        expect(await moneyIn(books.pool, 'expected')).toEqual({});
        await expectProved(books.pool);
      }),
      // To find a smaller story would take longer than a test may.
      { numRuns: STORIES, endOnFailure: true },
    );
  });
});
