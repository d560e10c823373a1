import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { failedLines, flakyLines, leftOutLine, slowestLines, unhandledFailure } from './totals-reporter.js';

it('tells of tests that were left out for want of their data, and of nothing else', () => {
  expect(leftOutLine(0)).toBe('');
  expect(leftOutLine(1)).toBe('1 test needs ../shared/vectors: left out\n');
  expect(leftOutLine(29)).toBe('29 tests need ../shared/vectors: left out\n');
});

it('names each test that needed a second try, and nothing where none did', () => {
  expect(flakyLines([])).toBe('');
  const tries = [
    { name: 'test/a.test.ts > holds', error: 'expected 1 to be 2' },
    { name: 'test/b.test.ts > holds too', error: 'timed out\nafter a second' },
  ];
  expect(flakyLines(tries)).toBe(
    'flaky (passed when tried once more):\n  test/a.test.ts > holds\n    expected 1 to be 2\n  test/b.test.ts > holds too\n    timed out\n    after a second\n',
  );
});

it('names each test that failed with the first lines of its error, and nothing where none did', () => {
  expect(failedLines([])).toBe('');
  const error = `\u001B[31mnot 3${'!'.repeat(300)}\u001B[39m\nsecond\n3\n4\n5\n6`;
  expect(failedLines([{ name: 'test/a.test.ts > holds', error }])).toBe(
    `failed:\n  test/a.test.ts > holds\n    not 3${'!'.repeat(195)}\n    second\n    3\n    4\n    5\n`,
  );
});

it('names what ran when a promise was rejected with nobody waiting, and where it comes from', () => {
  const stack = 'Error: gone\n    at ask (src/a.ts:1:2)';
  expect(
    unhandledFailure({
      message: 'gone',
      stack,
      VITEST_TEST_PATH: resolve('test/a.test.ts'),
      VITEST_TEST_NAME: 'holds',
    }),
  ).toEqual({ name: 'unhandled, test/a.test.ts, holds', error: stack });
  expect(unhandledFailure({ message: 'gone' })).toEqual({ name: 'unhandled', error: 'gone' });
});

it('tells the ten files that took the most of a processor', () => {
  const files = Array.from({ length: 12 }, (_, i) => ({
    name: `test/${i}.test.ts`,
    processorMs: i * 1_000,
    wallMs: 500,
  }));
  const lines = slowestLines(files).trimEnd().split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[1]).toBe('  11.0    0.5  test/11.test.ts');
  expect(lines.at(-1)).toBe('   2.0    0.5  test/2.test.ts');
});
