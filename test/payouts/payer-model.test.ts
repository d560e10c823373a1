/** The model of the payer by itself: it holds whatever happens, and without any one of its rules it does not. The payer is to live by the same. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Faults, histories, live, storyOf } from '../helpers/payer-model/histories.js';
import { RULES } from '../helpers/payer-model/rules.js';
import { BESIDE, WITHOUT } from '../helpers/payer-model/stories.js';

const HISTORIES = 400;

it.each<Faults>([{}, { blind: true }])('pays each account what it earned, once, with %o', (faults) => {
  fc.assert(
    fc.property(histories(faults), (history) => live(history)),
    { numRuns: HISTORIES },
  );
});

it.each(WITHOUT)('without %s: %s', (rule, kind, story) => {
  live(storyOf(story));
  expect(() => live(storyOf(story), [rule])).toThrow(kind);
});

it('factsWin stands behind comparesToken: what was paid beside another one of its line is booked, and not refused', () => {
  const story = storyOf(BESIDE);
  live(story);
  expect(() => live(story, ['comparesToken'])).toThrow('paused for nothing');
  expect(() => live(story, ['comparesToken', 'factsWin'])).toThrow('cannot be booked');
});

it('has a story of each rule', () => {
  expect([...WITHOUT.map(([rule]) => rule), 'factsWin'].sort()).toEqual(Object.keys(RULES).sort());
});
