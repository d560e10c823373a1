/** The parsers of what others send, led by what of them was reached so far; test/long goes on for longer. */
import { expect, it } from 'vitest';
import { Coverage } from '../helpers/fuzz/coverage.js';
import { guide } from '../helpers/fuzz/guide.js';
import { guideParsers } from '../helpers/fuzz/guided-run.js';
import { Random } from '../helpers/fuzz/random.js';

it('hold what they promise, whatever they read', async () => {
  const { began, reached, pieces } = await guideParsers(1, 1_500);
  expect(reached).toBeGreaterThan(began);
  expect(reached / pieces).toBeGreaterThan(0.7);
});

it('say the shortest input that shows a fault', async () => {
  const check = (bytes: Buffer): void => {
    if (/x.*7/.test(bytes.toString('latin1'))) throw new Error('a fault');
  };
  const coverage = new Coverage([]);
  try {
    const found = guide({ name: 'one', seeds: ['some x'], check }, coverage, new Random(1), 100_000);
    await expect(found).rejects.toThrow('one: "x7"');
  } finally {
    coverage.stop();
  }
});
