/** Fronts come to have as many rigs as the others again, and rigs are not sent to and fro for it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Evening } from '../../src/fleet/front/evening.js';
import { Overflow } from '../../src/fleet/front/overflow.js';
import { Balance } from '../../src/fleet/hub/balance.js';

/** Fronts with so many rigs each, of which this part follows. What they know of each other is a second old. */
function fleetOf(sessions: number[], following: number) {
  const balance = new Balance();
  const deaf = sessions.map((count) => Math.round(count * (1 - following)));
  const asks: number[] = sessions.map(() => 0);
  let nowMs = 0;
  const overflows = sessions.map((_, i) => new Overflow({ index: i, sessions: () => sessions[i] ?? 0 }));
  const move = (from: number, count: number): number => {
    const asked = Math.min(count, (sessions[from] ?? 0) - (deaf[from] ?? 0));
    for (let n = 0; n < asked; n++) {
      sessions[from] = (sessions[from] ?? 0) - 1;
      const to = balance.next() ?? from;
      sessions[to] = (sessions[to] ?? 0) + 1;
    }
    asks[from] = (asks[from] ?? 0) + asked;
    return asked;
  };
  const evenings = overflows.map(
    (overflow, i) =>
      new Evening({
        surplusOver: (part) => overflow.surplusOver(part),
        ask: (count) => move(i, count),
        nowMs: () => nowMs,
      }),
  );
  const second = (): void => {
    nowMs += 1_000;
    for (const [front, count] of sessions.entries()) balance.told({ front, sessions: count, delayMs: 0 });
    const loads = balance.take();
    if (loads) for (const overflow of overflows) overflow.loads(loads);
    for (const evening of evenings) evening.tick();
  };
  return { sessions, asks, second };
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

describe('rigs of fronts that are uneven', () => {
  it('go from a front that has far more to one that has begun anew, a few at a time', () => {
    const { sessions, asks, second } = fleetOf([6_770, 3_222], 1);
    for (let n = 0; n < 10; n++) second();
    expect(asks).toEqual([0, 0]);
    second();
    // A minute's work: (6,770 - 4,996) / 60.
    expect(asks).toEqual([30, 0]);
    for (let n = 0; n < 60; n++) second();
    expect(sum(sessions)).toBe(9_992);
    expect(Math.max(...sessions) / Math.min(...sessions)).toBeLessThan(1.2);
    const before = [...asks];
    for (let n = 0; n < 7_200; n++) second();
    expect(asks).toEqual(before);
  });

  it('are left alone for ten minutes where they do not follow', () => {
    const { asks, second, sessions } = fleetOf([1_000, 100], 0.1);
    for (let n = 0; n < 300; n++) second();
    expect(asks).toEqual([100, 0]);
    expect(sessions).toEqual([900, 200]);
  });

  it('are asked by no front that is even, and by nobody where there are no others', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 119 }), { minLength: 1, maxLength: 8 }), (start) => {
        const { asks, second } = fleetOf(start, 1);
        for (let n = 0; n < 30; n++) second();
        expect(sum(asks)).toBe(0);
      }),
    );
  });

  it('end within a fifth of each other, however they began, and no more go than have to', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(counts, (start) => {
        const { sessions, asks, second } = fleetOf([...start], 1);
        for (let n = 0; n < 3_000; n++) second();
        const mean = sum(start) / start.length;
        // A few rigs are not handed to and fro.
        expect(Math.max(...sessions)).toBeLessThanOrEqual(1.2 * mean + 5);
        const above = sum(start.map((count) => Math.max(0, Math.ceil(count - mean))));
        expect(sum(asks)).toBeLessThanOrEqual(1.2 * above + start.length);
      }),
      { numRuns: 30 },
    );
  });
});
