/** What findings do to alerts, whatever is found and whatever is open. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, MOST_NAMED, MOST_OF_A_CONDITION } from '../../src/alerts/decide.js';
import { type Finding, MANY, type OpenAlert } from '../../src/bridge/alerts.js';
import { finding } from '../helpers/alerts/alert-looks.js';

const OPENED_AT_MS = 1_000_000;

function open(id: number, about: string, more: Partial<OpenAlert> = {}): OpenAlert {
  return {
    ...{ id, condition: 'nodeUnhealthy', about, openedAtMs: OPENED_AT_MS },
    ...{ isRecent: true, isSeenByOthers: false, isSeenJustNow: false, ...more },
  };
}

const many = (count: number, isBad = true, name = 'n'): Finding[] =>
  Array.from({ length: count }, (_, i) => finding(`${name}${i}`, isBad));
const OLD = { isRecent: false };
const standing = (count: number): OpenAlert[] =>
  Array.from({ length: count }, (_, i) => open(i + 1, `n${i}`, OLD));

describe('findings', () => {
  it('open what is not open, confirm what is, and resolve what is well', () => {
    const found = [finding('a'), finding('b'), finding('c', false), finding('d', false)];
    expect(decide([open(1, 'b'), open(2, 'c'), open(3, 'e')], found)).toEqual({
      opens: [{ condition: 'nodeUnhealthy', about: 'a', severity: 'warning', says: 'a is bad' }],
      confirms: [{ id: 1, says: 'b is bad' }],
      withdraws: [],
      resolves: [{ id: 2, says: 'c is well' }],
    });
  });

  it('resolve nothing that another bridge has found bad lately, or just now where all see the same', () => {
    const seen = [open(1, 'a', { isSeenByOthers: true })];
    expect(decide(seen, [finding('a', false)])).toMatchObject({ withdraws: [1], resolves: [] });
    const shared = finding('a', false, { isShared: true });
    expect(decide(seen, [shared])).toMatchObject({ withdraws: [], resolves: [{ id: 1 }] });
    const now = [open(1, 'a', { isSeenByOthers: true, isSeenJustNow: true })];
    expect(decide(now, [shared])).toMatchObject({ withdraws: [1], resolves: [] });
  });

  it('that are too many are one, until they are few enough to be named', () => {
    const crowd = decide([], many(10_000));
    expect(crowd.opens).toMatchObject([
      { about: MANY, says: '10000 at once, nodeUnhealthy: n0, n1, n2 and 9997 more' },
    ]);
    const still = decide([open(1, MANY)], many(MOST_OF_A_CONDITION + 1));
    expect(still).toMatchObject({ opens: [], confirms: [{ id: 1 }], resolves: [] });
    const few = decide([open(1, MANY)], [...many(3), finding('x', false)]);
    expect([few.opens.map(({ about }) => about), few.resolves.map(({ id }) => id)]).toEqual([
      ['n0', 'n1', 'n2'],
      [1],
    ]);
    expect(decide([open(1, MANY)], many(50, false))).toMatchObject({ opens: [], resolves: [{ id: 1 }] });
  });

  it('that stand for long hide no new one: only what comes within a while is a crowd', () => {
    const gone = many(150);
    const one = decide(standing(150), [...gone, finding('x')]);
    expect([one.opens.map(({ about }) => about), one.confirms.length]).toEqual([['x'], 150]);
    const storm = decide(standing(150), [...gone, ...many(MOST_OF_A_CONDITION + 1, true, 'x')]);
    expect(storm.opens.map(({ about }) => about)).toEqual([MANY]);
    const full = decide(standing(MOST_NAMED), [...many(MOST_NAMED), finding('x')]);
    expect(full.opens.map(({ about }) => about)).toEqual([MANY]);
  });

  it('that began after a crowd was told are no part of it', () => {
    const crowd = many(300).map((each) => ({ ...each, sinceMs: OPENED_AT_MS - 1 }));
    const later = { ...finding('x'), sinceMs: OPENED_AT_MS + 1 };
    const decided = decide(
      [open(1, MANY, OLD)],
      [...crowd, later, finding('others', true, { count: 9_000, sinceMs: OPENED_AT_MS - 1 })],
    );
    expect(decided.opens.map(({ about }) => about)).toEqual(['x']);
    expect(decided.confirms).toEqual([
      { id: 1, says: expect.stringMatching(/^9301 at once, .* 9298 more$/) },
    ]);
    const storm = many(30, true, 'x').map((each) => ({ ...each, sinceMs: OPENED_AT_MS + 1 }));
    expect(decide([open(1, MANY, OLD)], [...crowd, ...storm]).opens).toEqual([]);
  });

  it('never open more than a bound, nor twice, and settle: the same again changes nothing', () => {
    const anything = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 60 }), isBad: fc.boolean(), sinceMs: fc.nat({ max: 6 }) }),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 6 }), (looks) => {
        let alerts: OpenAlert[] = [];
        let [ids, nowMs] = [0, 0];
        const apply = (found: readonly Finding[]) => {
          const decisions = decide(alerts, found);
          const over = new Set(decisions.resolves.map(({ id }) => id));
          const opened = decisions.opens.map(({ about }) => open(++ids, about, { openedAtMs: nowMs }));
          alerts = [...alerts.filter(({ id }) => !over.has(id)), ...opened];
          return decisions;
        };
        for (const found of looks) {
          nowMs++;
          // Nothing is found to be so since a moment that is still to come.
          const findings = found.map(({ at, isBad, sinceMs }) =>
            finding(`n${at}`, isBad, { sinceMs: Math.min(sinceMs, nowMs) }),
          );
          apply(findings);
          expect(new Set(alerts.map(({ about }) => about)).size).toBe(alerts.length);
          expect(alerts.length).toBeLessThanOrEqual(MOST_OF_A_CONDITION + 1);
          expect(apply(findings)).toMatchObject({ opens: [], resolves: [] });
        }
      }),
    );
  });
});
