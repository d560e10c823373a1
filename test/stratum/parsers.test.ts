/** The parsers of what others send, led by what of them was reached so far; test/long goes on for longer. */
import { expect, it } from 'vitest';
import { guideParsers } from '../helpers/fuzz/guided-run.js';

it('hold what they promise, whatever they read', async () => {
  const { began, reached, pieces } = await guideParsers(1, 1_500);
  expect(reached).toBeGreaterThan(began);
  expect(reached / pieces).toBeGreaterThan(0.7);
});
