/** Test 29 of `payouts.md`: random days, and I1 to I10 at each step. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { useBooks } from '../../../helpers/books/books.js';
import { type DayOptions, Days, dayStep, NODES } from '../../../helpers/payouts/days.js';
import { World } from '../../../helpers/payouts/world.js';

const books = useBooks();
/** Set by the long form. */
const RUNS = Number(process.env['BRIDGE_TEST_DAYS'] ?? 3);
const STEPS = Number(process.env['BRIDGE_TEST_STEPS'] ?? 14);
const ACCOUNTS = 4;

beforeEach(() => books.empty());

const options: fc.Arbitrary<DayOptions> = fc.record({
  mode: fc.constantFrom('auto', 'auto', 'approve'),
  isLimited: fc.boolean(),
  accounts: fc.constant(ACCOUNTS),
});

describe('29: random days', () => {
  it('pay what was credited, no more than that at any step, and all of it in the end', async () => {
    const seen = new Map<string, number>();
    const days = fc.asyncProperty(
      options,
      fc.array(dayStep(ACCOUNTS), { minLength: STEPS, maxLength: STEPS + 4 }),
      async (given, steps) => {
        await books.empty();
        await using world = await World.start({ nodes: NODES });
        const story = new Days(world, books, given);
        try {
          await story.begin();
          for (const step of steps) await story.go(step);
          await story.end();
        } finally {
          await story.close();
        }
        for (const [what, times] of story.seen) seen.set(what, (seen.get(what) ?? 0) + times);
      },
    );
    await fc.assert(days, { numRuns: RUNS, endOnFailure: true });
    if (RUNS > 20) process.stdout.write(`${JSON.stringify(Object.fromEntries([...seen].sort()))}\n`);
    expect(seen.get('final')).toBeGreaterThan(0);
  });
});
