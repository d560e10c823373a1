/** What test/payouts/payer-histories.test.ts shows, of many histories, each time others. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { useDriven } from '../helpers/payer-model/driven-histories.js';
import { type Faults, histories } from '../helpers/payer-model/histories.js';

const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 1000);
/** On a machine that others keep busy; and for so long what fails is made shorter. */
const HISTORY_MS = 2_000;
const SHORTENING_MS = 300_000;
/** In fewer, one may not happen. */
const MANY = 100;
const seed = process.env['BRIDGE_TEST_SEED'];
const MOST_MS = SHORTENING_MS + HISTORIES * HISTORY_MS;
const EACH = {
  ...{ numRuns: HISTORIES, skipAllAfterTimeLimit: MOST_MS },
  ...(seed === undefined ? {} : { seed: Number(seed) }),
};

const { livesAsModel, compares, counts } = useDriven(useBooks());

it.each<Faults>([{}, { blind: true }, { deep: true }])(
  `pays each account what it earned, once, in ${HISTORIES} histories with %o`,
  { timeout: 2 * MOST_MS },
  async (faults) => {
    await fc.assert(fc.asyncProperty(histories(faults), livesAsModel), EACH);
  },
);

it.each<Faults>([{}, { deep: true }])(
  `has after each step what the model has, in ${HISTORIES} histories with %o`,
  { timeout: 2 * MOST_MS },
  async (faults) => {
    await fc.assert(fc.asyncProperty(histories({ plain: true, ...faults }), compares), EACH);
  },
);

it('has seen all that may become of a payment', () => {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  // Histories in which nothing happens show nothing.
  const never = Object.entries(counts).filter(([, count]) => count === 0);
  expect(HISTORIES < MANY ? [] : never).toEqual([]);
});
