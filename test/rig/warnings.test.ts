import { afterEach, expect, it, vi } from 'vitest';
import { limitedWarnings } from '../../src/rig/warnings.js';

afterEach(() => void vi.useRealTimers());

it('CU22: says each reason once in ten seconds, and how often it came', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const said: object[] = [];
  const warn = limitedWarnings({
    debug() {},
    info() {},
    warn: (fields, message) => void said.push({ message, ...fields }),
    error() {},
  });
  for (let i = 0; i < 500; i++) warn('low', { i }, 'refused');
  warn('other', {}, 'left');
  vi.advanceTimersByTime(10_000);
  warn('low', { i: 500 }, 'refused');
  expect(said).toEqual([
    { message: 'refused', i: 0 },
    { message: 'left' },
    { message: 'refused', i: 500, times: 500 },
  ]);
});
