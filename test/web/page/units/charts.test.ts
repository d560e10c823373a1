/** What charts draw and say, and what is sent as an order: pure functions. */
import { describe, expect, it } from 'vitest';
import { numberWords } from '../../../../src/web/page/parts/chart/axes.js';
import { chartWords, happenedIn, stepWords } from '../../../../src/web/page/parts/chart/chart-words.js';
import {
  boundsOf,
  type Drawing,
  endOf,
  greatestOf,
  isEmpty,
  lonely,
  middleOf,
  stacked,
} from '../../../../src/web/page/parts/chart/drawing.js';
import {
  blocksDrawing,
  effortDrawing,
  outcomesDrawing,
  rateDrawing,
} from '../../../../src/web/page/parts/chart/drawings.js';
import { areMany, clustered, markersOf } from '../../../../src/web/page/parts/chart/markers.js';
import { rangeOf } from '../../../../src/web/page/parts/chart/range-choice.js';
import { pathOf } from '../../../../src/web/page/parts/figures/sparkline.js';
import type { Blocks, History } from '../../../../src/web/page/reading/answers.js';
import { readRoute } from '../../../../src/web/page/route.js';
import { expectedMs, openEffort } from '../../../../src/web/page/words/blocks.js';
import { shortAmount } from '../../../../src/web/page/words/money.js';
import { axisUnit, countsOf, HASHES_A_SECOND } from '../../../../src/web/page/words/units.js';

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
const FROM_MS = new Date(2026, 10, 22, 14, 0).getTime();
const MINUTE_MS = 60_000;

const HISTORY: History = {
  ...{ metric: 'hashRate', of: 'pool', range: '1h', source: 'ledger', since: null },
  from: new Date(FROM_MS).toISOString(),
  until: new Date(FROM_MS + 3.5 * MINUTE_MS).toISOString(),
  stepMs: MINUTE_MS,
  values: [1e6, 2e6, null, 4e6],
  others: { standardError: [0, 3e6, null, 1e6] },
};
const RATES: Drawing = {
  ...rateDrawing(HISTORY),
  markers: [{ atMs: FROM_MS + 3.2 * MINUTE_MS, count: 1, says: 'block 7 of chain 1, confirmed' }],
  bands: [{ fromMs: FROM_MS + MINUTE_MS, untilMs: undefined, says: 'alert: a is so', ink: 'warning' }],
};
const SHARES = outcomesDrawing({
  ...HISTORY,
  metric: 'shares',
  values: [3, 10, 5, 0],
  others: { stale: [0, 2, 0, 0], duplicate: [0, 0, 0, 0], malformed: [0, 0, 1, 0] },
});

describe('a chart', () => {
  it('says what it shows, with gaps and blocks', () => {
    expect(plain(chartWords(RATES))).toBe(
      '4.00 MH/s ± 1.00 at 14:03 · 1.00 MH/s to 4.00 MH/s · 1 block · no data in 1 of 4 steps',
    );
    expect(plain(chartWords(SHARES))).toBe('18 accepted · 2 stale · 1 malformed');
  });

  it('says what was at each step', () => {
    expect([1, 2, 3].map((step) => plain(stepWords(RATES, step)))).toEqual([
      '14:01: 2.00 MH/s ± 3.00, alert: a is so',
      '14:02: no data, alert: a is so',
      '14:03: 4.00 MH/s ± 1.00, block 7 of chain 1, confirmed, alert: a is so',
    ]);
    expect(plain(stepWords(SHARES, 1))).toBe('14:01: 10 accepted, 2 stale, 0 malformed');
    expect(happenedIn(RATES, 0)).toEqual([]);
  });

  it('has the unit of its greatest value, in letters and words', () => {
    expect(axisUnit(HASHES_A_SECOND, 2e9)).toEqual({ divisor: 1e9, says: 'GH/s, billion hashes a second' });
    expect(axisUnit(countsOf('submits'), 12)).toEqual({ divisor: 1, says: 'submits' });
  });

  it('has numbers on its axis that are where they stand', () => {
    expect(numberWords([0, 250_000, 500_000], 1e6)).toEqual(['0.00', '0.25', '0.50']);
    expect(numberWords([0, 0.1, 0.2, 0.30000000000000004], 1)).toEqual(['0.0', '0.1', '0.2', '0.3']);
    expect(numberWords([0, 50e6, 100e6], 1e6)).toEqual(['0', '50', '100']);
  });

  it('has an error on both sides, never below nothing, and stacks without gaps in between', () => {
    const [line] = RATES.lines;
    expect(line && boundsOf(line)).toEqual({ low: [1e6, 0, null, 3e6], high: [1e6, 5e6, null, 5e6] });
    expect(greatestOf(RATES)).toBe(5e6);
    expect(stacked(SHARES.lines)).toEqual([
      [3, 10, 5, 0],
      [3, 12, 5, 0],
      [3, 12, 6, 0],
    ]);
    expect(greatestOf(SHARES)).toBe(12);
    expect(isEmpty(RATES)).toBe(false);
    expect(isEmpty(rateDrawing({ ...HISTORY, values: [null, null] }))).toBe(true);
  });

  it('ends with its last step, whose middle is that of what was counted so far', () => {
    expect(endOf(RATES) - FROM_MS).toBe(4 * MINUTE_MS);
    expect(middleOf(RATES.steps, 0) - FROM_MS).toBe(MINUTE_MS / 2);
    expect(middleOf(RATES.steps, 3) - FROM_MS).toBe(3.25 * MINUTE_MS);
    expect(lonely([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  });

  it('shows the range that the address names, and an hour where it names none', () => {
    expect(['#/?range=7d', '#/?range=2w', '#/'].map((hash) => rangeOf(readRoute(hash)))).toEqual([
      ...['7d', '1h', '1h'],
    ]);
  });

  it('WB29: begins with the first value, and has two steps at least', () => {
    const of = (values: (number | null)[]) => {
      const { steps, lines } = rateDrawing({ ...HISTORY, values, others: { standardError: values } });
      const [line] = lines;
      return [(steps.fromMs - FROM_MS) / MINUTE_MS, line?.values.length, line?.errors?.length];
    };
    const none = (steps: number) => Array<null>(steps).fill(null);
    expect(of([...none(58), 1e6, 2e6])).toEqual([58, 2, 2]);
    expect(of([...none(40), ...Array<number>(20).fill(1e6)])).toEqual([40, 20, 20]);
    expect(of([...none(40), 1e6, ...none(10), 1e6])).toEqual([40, 12, 12]);
    expect(of(none(60))).toEqual([0, 60, 60]);
    expect(of([...none(3), 1e6])).toEqual([2, 2, 2]);
  });

  it('has orphaned blocks apart, and effort in parts of a hundred', () => {
    const found = { ...HISTORY, values: [null, 12, 0, 1], others: { orphaned: [null, 2, 0, 0] } };
    const drawing = blocksDrawing({ ...found, metric: 'blocks' });
    expect(drawing.lines.map(({ values }) => values)).toEqual([
      [10, 0, 1],
      [2, 0, 0],
    ]);
    expect(plain(chartWords(drawing))).toBe('11 blocks · 2 orphaned');
    const effort = effortDrawing({
      ...HISTORY,
      metric: 'effort',
      values: [null, 1.5, null, 0.25],
      others: {},
    });
    expect(plain(stepWords(effort, 0))).toBe('14:01: 150 %');
    expect(axisUnit(effort.unit, greatestOf(effort))).toEqual({
      ...{ divisor: 1, says: '%, per cent of the expected work' },
    });
  });

  it('has a small form: a line with gaps, and dots where a step stands alone', () => {
    expect(pathOf([null, null])).toBe('');
    expect(pathOf([0, 0, 0])).toBe('');
    expect(pathOf([0, null, 2, 1])).toBe('M2.0 26.0h0M79.3 2.0L118.0 14.0');
  });
});

it('WB31: effort since the last block is told only where a block takes longer than the books are behind', () => {
  const sinceLast = { effort: 17.2 } as Blocks['sinceLast'];
  expect([1_000, undefined, 600_000].map((takesMs) => openEffort(sinceLast, takesMs))).toEqual([
    ...[null, null, 17.2],
  ]);
});

describe('blocks of a chart', () => {
  const block = (minute: number): Blocks['blocks'][number] => ({
    ...{ id: '1', state: 'confirmed', chainId: 1, height: minute, hash: '', depth: 1, reward: null },
    ...{ finder: null, node: null, detail: null, effort: null },
    foundAt: new Date(FROM_MS + minute * MINUTE_MS).toISOString(),
  });
  const list = (minutes: number[], next: string | null): Blocks => ({
    ...{ blocks: minutes.map(block), next, luck: null, bestEver: null },
    sinceLast: { since: '', work: '0', effort: null, blockDifficulty: null },
  });
  const counts: History = {
    ...{ ...HISTORY, metric: 'blocks', values: [null, 0, 12, 1] },
    others: { orphaned: [null, 0, 2, 0] },
  };
  const told = (...args: Parameters<typeof markersOf>) =>
    markersOf(...args).map(({ atMs, count, says }) => [(atMs - FROM_MS) / MINUTE_MS, count, plain(says)]);

  it('stand each by itself where all of the time are known', () => {
    const three = 'block 3 of chain 1, confirmed';
    expect(told(list([3, 2, -1], '7'), counts, FROM_MS)).toEqual([
      [2, 1, 'block 2 of chain 1, confirmed'],
      [3, 1, three],
    ]);
    expect(told(list([3], null), counts, FROM_MS)).toEqual([[3, 1, three]]);
  });

  it('are counted by step where they are too many to ask for, and none is left out', () => {
    expect(told(list([3, 2], '7'), counts, FROM_MS)).toEqual([
      [2.5, 12, '12 blocks, 2 of them orphaned'],
      [3.25, 1, '1 block'],
    ]);
    expect(told(list([3, 2], '7'), undefined, FROM_MS)).toEqual([]);
    expect(plain(chartWords({ ...RATES, markers: markersOf(list([3], '7'), counts, FROM_MS) }))).toContain(
      '13 blocks',
    );
  });

  it('are a rug where each has less than 20 pixels', () => {
    const of = (counts: number[]) =>
      areMany(
        counts.map((count, i) => ({ atMs: FROM_MS + i, count, says: '' })),
        400,
      );
    expect([of([]), of([1, 1]), of([10, 10]), of([10, 11])]).toEqual([false, false, false, true]);
  });

  it('are one flag where they would stand on each other', () => {
    const flags = [5, 9, 30, 31, 60].map((x) => ({ x, count: 2 }));
    expect(clustered(flags, 10)).toEqual([
      { x: 5, count: 4 },
      { x: 30, count: 4 },
      { x: 60, count: 2 },
    ]);
    expect(clustered([], 10)).toEqual([]);
  });
});

describe('a block', () => {
  it('is expected by the hash rate of the last hour alone', () => {
    const sinceLast = { since: '', work: '0', effort: null, blockDifficulty: 6e9 };
    const of = (values: (number | null)[]) =>
      expectedMs(sinceLast, { ...HISTORY, stepMs: 1_800_000, values });
    expect(of([9e9, 1e6, 3e6])).toBe(3_000_000);
    expect(of([9e9, null, 3e6])).toBe(2_000_000);
    expect([of([9e9, null, null]), of([9e9, 0, 0]), expectedMs(sinceLast, undefined)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(expectedMs({ ...sinceLast, blockDifficulty: null }, HISTORY)).toBeUndefined();
  });
});

describe('amounts', () => {
  it('are short, and never more than there is', () => {
    expect(
      ['59.318499999999', '12.500000000000', '0.000000000000', '0.000000120000', '-1.999999000000'].map(
        shortAmount,
      ),
    ).toEqual(['59.3184', '12.5', '0', '0.00000012', '-1.9999']);
  });
});
