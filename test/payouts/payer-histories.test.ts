/**
 * The ledger pays as the model of the payer does, whatever happens: nobody twice, everybody once, and its books are what is left. What fails tells its
 * seed and a short history, which is a story to be put among those here.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { useDriven } from '../helpers/payer-model/driven-histories.js';
import { type Faults, histories, storyOf } from '../helpers/payer-model/histories.js';
import { BESIDE, FAULTS, WITHOUT } from '../helpers/payer-model/stories.js';
import { OUT, type Out, withoutRule } from '../helpers/payer-model/without.js';

/** Of each kind. The long tests see more of them. */
const HISTORIES = 12;
/** What fails is made shorter for no longer than that, and then told. */
const LONGEST_MS = 200_000;
const EACH = { numRuns: HISTORIES, skipAllAfterTimeLimit: LONGEST_MS };

const { lives, livesAsModel, compares } = useDriven(useBooks());

it.each<Faults>([{}, { blind: true }, { deep: true }])(
  'pays each account what it earned, once, with %o',
  async (faults) => {
    await fc.assert(fc.asyncProperty(histories(faults), livesAsModel), EACH);
  },
);

it.each<Faults>([{}, { deep: true }])(
  'has after each step what the model has, where books and clocks do not go back, with %o',
  async (faults) => {
    await fc.assert(fc.asyncProperty(histories({ plain: true, ...faults }), compares), EACH);
  },
);

it.each([...WITHOUT.map(([rule, , story]) => [rule, story] as const), ['factsWin', BESIDE] as const])(
  'lives the story of %s',
  async (_rule, story) => lives(storyOf(story)),
);

describe.each(OUT)('$rule', (out: Out) => {
  const { story, kind } = out;

  it('lives the story', () => lives(storyOf(story)));

  it(`would not, without that: ${kind}`, async () => {
    await withoutRule(out, async (left) => {
      await expect(lives(storyOf(story), left)).rejects.toThrow(kind);
    });
  });
});

it.each(FAULTS)('%s', async (_what, story) => lives(storyOf(story)));
