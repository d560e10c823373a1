/** When a person has to say yes (32), to what, and when payouts are due. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { exceededBy } from '../../../src/payouts/plan/limits.js';
import { nextAfter, parseSchedule, type Schedule, scheduleText } from '../../../src/values/schedule.js';

const coins = (text: string): Amount => parseAmount(text) ?? expect.fail(text);
const { lineLimit, batchLimit, dayLimit, usualFactor } = REWARD_RULES;
const NONE = { lineLimit, batchLimit, dayLimit, usualFactor };
type Limits = typeof NONE;
const line = (amount: string, account = 'k:a') => ({ account, amount: coins(amount) });

describe('limits (32)', () => {
  const of = (
    limits: Partial<Limits>,
    amounts: readonly string[],
    lastDay = '0',
    former: readonly string[] = [],
  ) =>
    exceededBy(
      { ...NONE, ...limits },
      {
        lines: amounts.map((one, i) => line(one, `k:${i}`)),
        lastDay: coins(lastDay),
        formerBatches: former.map(coins),
      },
    ).map(({ why }) => why);

  it.each<[string, Partial<Limits>, string[], string, string[], string[]]>([
    ['none', {}, ['1000000'], '1000000', [], []],
    ['a line at its limit', { lineLimit: coins('5') }, ['5', '5'], '0', [], []],
    [
      'a line',
      { lineLimit: coins('5') },
      ['5', '5.000000000001'],
      '0',
      [],
      ['what k:1 gets is 5.000000000001, above 5.0'],
    ],
    ['a batch at its limit', { batchLimit: coins('10') }, ['5', '5'], '0', [], []],
    ['a batch', { batchLimit: coins('9') }, ['5', '5'], '0', [], ['the batch is 10.0, above 9.0']],
    ['a day at its limit', { dayLimit: coins('20') }, ['5', '5'], '10', [], []],
    [
      'a day',
      { dayLimit: coins('20') },
      ['5', '5'],
      '10.1',
      [],
      ['with what was sent in the last 24 hours it is 20.1, above 20.0'],
    ],
    ['twice the usual', { usualFactor: 2 }, ['20'], '0', ['10', '1', '11'], []],
    [
      'more than the usual',
      { usualFactor: 2 },
      ['20.1'],
      '0',
      ['10', '1', '1000'],
      ['the usual batch is 10.0, and this one is 20.1, above 20.0'],
    ],
    ['what is usual with two batches', { usualFactor: 2 }, ['1000'], '0', ['10', '1'], []],
  ])('%s', (_, limits, amounts, lastDay, former, why) => {
    expect(of(limits, amounts, lastDay, former)).toEqual(why);
  });

  it('takes all parts of an account as one', () => {
    const lines = [line('3'), line('4', 'k:b'), line('3')];
    const input = { lines, lastDay: 0n, formerBatches: [] };
    expect(exceededBy({ ...NONE, lineLimit: coins('6') }, input)).toEqual([]);
    expect(exceededBy({ ...NONE, lineLimit: coins('5.9') }, input).map(({ why }) => why)).toEqual([
      'what k:a gets is 6.0, above 5.9',
    ]);
  });

  it('tells all that are exceeded, with their figures', () => {
    const limits = { lineLimit: coins('1'), batchLimit: coins('1'), dayLimit: coins('1'), usualFactor: 1 };
    const input = { lines: [line('2'), line('3', 'k:b')], lastDay: coins('4'), formerBatches: [1n, 1n, 1n] };
    expect(exceededBy(limits, input).map(({ limit, figure, most }) => [limit, figure, most])).toEqual([
      ['lineLimit', coins('3'), coins('1')],
      ['batchLimit', coins('5'), coins('1')],
      ['dayLimit', coins('9'), coins('1')],
      ['usualFactor', coins('5'), 1n],
    ]);
  });

  it('exceeded stay exceeded by more, and by a lower limit', () => {
    const some = fc.bigInt(1n, 10n ** 15n);
    fc.assert(
      fc.property(
        fc.array(some, { minLength: 1, maxLength: 20 }),
        some,
        some,
        some,
        (amounts, day, lastDay, more) => {
          const asked = (limit: Amount, sent: Amount): boolean => {
            const lines = amounts.map((amount) => ({ account: 'k:a', amount }));
            return (
              exceededBy({ ...NONE, dayLimit: limit }, { lines, lastDay: sent, formerBatches: [] }).length > 0
            );
          };
          const sum = amounts.reduce((all, one) => all + one, 0n);
          expect(asked(day, lastDay)).toBe(sum + lastDay > day);
          if (asked(day, lastDay))
            expect([asked(day, lastDay + more), asked(day - 1n, lastDay)]).toEqual([true, true]);
        },
      ),
    );
  });
});

describe('a schedule', () => {
  const AT = Date.parse('2026-11-23T20:25:16.500Z'); // a Monday
  const next = (text: string, after = AT): string => {
    const schedule = parseSchedule(text);
    if (typeof schedule === 'string') return schedule;
    const time = nextAfter(schedule, after);
    return time === undefined ? 'never' : new Date(time).toISOString();
  };

  it.each([
    ['off', 'never'],
    ['hourly', '2026-11-23T21:00:00.000Z'],
    ['every 5m', '2026-11-23T20:30:00.000Z'],
    ['every 6h', '2026-11-24T00:00:00.000Z'],
    ['daily 06:00 UTC', '2026-11-24T06:00:00.000Z'],
    ['daily 20:26 utc', '2026-11-23T20:26:00.000Z'],
    ['daily 20:25 UTC', '2026-11-24T20:25:00.000Z'],
    ['weekly Mon 06:00 UTC', '2026-11-30T06:00:00.000Z'],
    ['weekly mon 23:59 UTC', '2026-11-23T23:59:00.000Z'],
    ['weekly Sun 00:00 UTC', '2026-11-29T00:00:00.000Z'],
    ['weekly Thu 12:30 UTC', '2026-11-26T12:30:00.000Z'],
  ])('%s is next due %s', (text, time) => {
    expect(next(text)).toBe(time);
  });

  it('is due after the time that it was due, and not at it again', () => {
    expect(next('daily 06:00 UTC', Date.parse('2026-11-24T06:00:00Z'))).toBe('2026-11-25T06:00:00.000Z');
    expect(next('daily 06:00 UTC', Date.parse('2026-11-24T05:59:59.999Z'))).toBe('2026-11-24T06:00:00.000Z');
  });

  it.each([
    ['', 'a schedule is'],
    ['daily', 'a time of day'],
    ['daily 6:00 UTC', 'a time of day'],
    ['daily 24:00 UTC', 'a time of day'],
    ['daily 06:00', 'stands UTC'],
    ['daily 06:00 CET', 'stands UTC'],
    ['daily 06:00 UTC please', 'stands UTC'],
    ['weekly 06:00 UTC', 'a day of the week'],
    ['weekly Mon', 'a time of day'],
    ['every 0m', 'a step is'],
    ['every 5s', 'a step is'],
    ['every 32d', 'a step is'],
    ['every', 'a schedule is'],
    ['off now', 'a schedule is'],
    ['monthly', 'a schedule is'],
  ])('%j is none', (text, why) => {
    expect(parseSchedule(text)).toEqual(expect.stringContaining(why));
  });

  const schedules: fc.Arbitrary<Schedule> = fc.oneof(
    fc.constant({ is: 'off' } as const),
    fc.integer({ min: 1, max: 9999 }).map((minutes) => ({ is: 'every', stepMs: minutes * 60_000 }) as const),
    fc.nat(1439).map((minuteOfDay) => ({ is: 'daily', minuteOfDay }) as const),
    fc
      .tuple(fc.nat(6), fc.nat(1439))
      .map(([day, minuteOfDay]) => ({ is: 'weekly', day, minuteOfDay }) as const),
  );

  it('is written as it is read', () => {
    fc.assert(
      fc.property(schedules, (one) => {
        expect(parseSchedule(scheduleText(one))).toEqual(one);
      }),
    );
  });

  it('goes on: each time is later than the one before, and a period away', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 4e12 }), (one, afterMs) => {
        const first = nextAfter(one, afterMs);
        expect(first === undefined).toBe(one.is === 'off');
        if (first === undefined) return;
        const period = one.is === 'every' ? one.stepMs : one.is === 'daily' ? 86_400_000 : 7 * 86_400_000;
        expect([first > afterMs, first - afterMs <= period, nextAfter(one, first)]).toEqual([
          true,
          true,
          first + period,
        ]);
        const date = new Date(first);
        if (one.is === 'weekly') expect(date.getUTCDay()).toBe(one.day);
        if (one.is === 'weekly' || one.is === 'daily')
          expect(date.getUTCHours() * 60 + date.getUTCMinutes()).toBe(one.minuteOfDay);
      }),
    );
  });
});
