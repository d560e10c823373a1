/** How the page says and merges what comes of the books: pure functions, compared with the rooms whose words they share. */
import { describe, expect, it } from 'vitest';
import { csvLine, csvText } from '../../../../src/core/names/csv.js';
import type { EventView } from '../../../../src/web/page/reading/answers.js';
import { merged } from '../../../../src/web/page/views/events/timeline.js';
import { kindWords } from '../../../../src/web/page/words/kinds.js';
import { payoutCsv } from '../../../../src/web/page/words/payouts.js';
import { valueWords } from '../../../../src/web/page/words/values.js';

it('a kind of event is said in words', () => {
  expect(kindWords('blockFound')).toBe('block found');
});

describe('lines of the timeline', () => {
  const line = (key: string, time: string): EventView => ({
    ...{ key, time, kind: 'banned', says: '', facts: {}, instance: 0, by: null },
  });

  it('stand once, those that the ledger does not have yet above', () => {
    const kept = [line('b', '2026-01-01T00:00:02Z'), line('a', '2026-01-01T00:00:01Z')];
    const told = [line('c', '2026-01-01T00:00:03Z'), line('b', '2026-01-01T00:00:02Z')];
    expect(merged(told, kept).map(({ key }) => key)).toEqual(['c', 'b', 'a']);
    expect(merged(told, []).map(({ key }) => key)).toEqual(['c', 'b']);
  });

  it('are left to the pages behind when they are older than all on the first', () => {
    const kept = [line('z', '2026-01-01T00:00:09Z')];
    expect(merged([line('c', '2026-01-01T00:00:03Z')], kept).map(({ key }) => key)).toEqual(['z']);
  });
});

describe('a payout as CSV', () => {
  it('is what `stratum-bridge ledger payout` writes, whatever accounts are called', () => {
    const names = ['k:aa', 'a,b', 'say "x"', '=SUM(A1)', '-1', 'two words', '@x', 'ä'];
    const lines = names.map((account) => ({ account, amount: '1.500000000000' }));
    const rows = names.map((name) => csvLine(['7', csvText(name), '1.500000000000']));
    expect(payoutCsv('7', lines)).toBe([csvLine(['batch', 'account', 'amount']), ...rows].join(''));
  });
});

describe('values of settings', () => {
  it('are shown as they were written', () => {
    expect(['', [], ['a', 5], { a: 1 }, 0, false, '***'].map(valueWords)).toEqual([
      ...['none', 'none', 'a, 5', '{"a":1}', '0', 'false', '***'],
    ]);
  });
});
