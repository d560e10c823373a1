import { expect, it } from 'vitest';
import { leftOutLine } from './totals-reporter.js';

it('tells of tests that were left out for want of their data, and of nothing else', () => {
  expect(leftOutLine(0)).toBe('');
  expect(leftOutLine(1)).toBe('1 test needs ../shared/vectors: left out\n');
  expect(leftOutLine(29)).toBe('29 tests need ../shared/vectors: left out\n');
});
