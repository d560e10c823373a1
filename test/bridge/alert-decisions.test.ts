/** What findings do to alerts, whatever is found and whatever is open. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, MOST_OF_A_CONDITION, type OpenAlert } from '../../src/bridge/alerts/alert-decisions.js';
import { type Finding, MANY } from '../../src/bridge/alerts/alerts.js';
import { finding } from '../helpers/alert-looks.js';

function open(id: number, about: string, isSeenByOthers = false): OpenAlert {
  return { id, condition: 'nodeUnhealthy', about, isSeenByOthers };
}

const many = (count: number, isBad = true): Finding[] =>
  Array.from({ length: count }, (_, i) => finding(`n${i}`, isBad));

describe('findings', () => {
  it('open what is not open, confirm what is, and resolve what is well', () => {
    const found = [finding('a'), finding('b'), finding('c', false), finding('d', false)];
    expect(decide([open(1, 'b'), open(2, 'c'), open(3, 'e')], found)).toEqual({
      opens: [{ condition: 'nodeUnhealthy', about: 'a', says: 'a is bad', account: undefined }],
      confirms: [{ id: 1, says: 'b is bad' }],
      withdraws: [],
      resolves: [{ id: 2, says: 'c is well' }],
    });
  });

  it('resolve nothing that another bridge has found bad lately, unless all see the same', () => {
    const seen = [open(1, 'a', true)];
    expect(decide(seen, [finding('a', false)])).toMatchObject({ withdraws: [1], resolves: [] });
    const shared = finding('a', false, { isShared: true });
    expect(decide(seen, [shared])).toMatchObject({ withdraws: [], resolves: [{ id: 1 }] });
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

  it('never open more than a bound, nor twice, and settle: the same again changes nothing', () => {
    const anything = fc.array(fc.record({ at: fc.integer({ min: 0, max: 60 }), isBad: fc.boolean() }));
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 6 }), (looks) => {
        let alerts: OpenAlert[] = [];
        let ids = 0;
        const apply = (found: readonly Finding[]) => {
          const decisions = decide(alerts, found);
          const over = new Set(decisions.resolves.map(({ id }) => id));
          const opened = decisions.opens.map(({ about }) => open(++ids, about));
          alerts = [...alerts.filter(({ id }) => !over.has(id)), ...opened];
          return decisions;
        };
        for (const found of looks) {
          const findings = found.map(({ at, isBad }) => finding(`n${at}`, isBad));
          apply(findings);
          expect(new Set(alerts.map(({ about }) => about)).size).toBe(alerts.length);
          expect(alerts.length).toBeLessThanOrEqual(2 * MOST_OF_A_CONDITION + 1);
          expect(apply(findings)).toMatchObject({ opens: [], resolves: [] });
        }
      }),
    );
  });
});
