/** What test/ledger/books-model.test.ts shows, of many histories, each time others. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { paysByModel, SCHEMES, type SchemeName, useHistories } from '../helpers/books-model/histories.js';

const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 1000);
/** On a machine that others keep busy; and for so long what fails is made shorter. */
const HISTORY_MS = 2_000;
const SHORTENING_MS = 300_000;
/** In fewer, one may not happen. */
const MANY = 200;
const seed = process.env['BRIDGE_TEST_SEED'];

const books = useBooks();
const happens = useHistories(books);

it.each(Object.keys(SCHEMES) as SchemeName[])(
  `pays by the model under %s, whatever happens in ${HISTORIES} histories`,
  async (scheme) => {
    const counts: Record<string, number> = {};
    const count: typeof happens = async (...given) => {
      const happened = await happens(...given);
      for (const [what, number] of Object.entries(happened)) counts[what] = (counts[what] ?? 0) + number;
      return happened;
    };
    const seeded = seed === undefined ? {} : { seed: Number(seed) };
    const skipAllAfterTimeLimit = SHORTENING_MS + HISTORIES * HISTORY_MS;
    await fc.assert(paysByModel(count, scheme), { numRuns: HISTORIES, skipAllAfterTimeLimit, ...seeded });
    process.stdout.write(`${JSON.stringify({ scheme, ...counts })}\n`);
    // Histories in which all is well show nothing. Shares that come late are rare in them: the stories of test/ledger have those.
    const { lateShares: _, ...often } = counts;
    const never = Object.entries(often).filter(([, number]) => number === 0);
    expect(HISTORIES < MANY ? [] : never).toEqual([]);
  },
);
