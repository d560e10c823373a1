import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Overflow } from '../../src/fleet/front/overflow.js';
import { Balance } from '../../src/fleet/hub/balance.js';

/** The system gives each connection to a front by these weights; what fronts know of each other is some connections old. */
function settle(weights: readonly number[], connections: number, every: number): number[] {
  const sessions = weights.map(() => 0);
  const balance = new Balance();
  const overflows = weights.map((_, i) => new Overflow({ index: i + 1, sessions: () => sessions[i] ?? 0 }));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  for (let n = 0; n < connections; n++) {
    if (n % every === 0) {
      for (const [i, count] of sessions.entries())
        balance.told({ front: i + 1, sessions: count, delayMs: 0 });
      const loads = balance.take();
      if (loads) for (const overflow of overflows) overflow.loads(loads);
    }
    // Spread like the weights, and always in the same order.
    let front = choose(weights, (n * 7919) % whole);
    if (overflows[front]?.isAbove) front = (balance.next() ?? front + 1) - 1;
    sessions[front] = (sessions[front] ?? 0) + 1;
  }
  return sessions;
}

function choose(weights: readonly number[], at: number): number {
  let sum = 0;
  return weights.findIndex((weight) => {
    sum += weight;
    return at < sum;
  });
}

describe('connections over fronts', () => {
  it.each([
    [[38, 62], 10_000],
    [[13, 20, 28, 39], 10_000],
    [[1, 1, 1, 1, 1, 1, 1, 93], 40_000],
  ])('differ by less than a fifth where the system spreads them as %j', (weights, connections) => {
    const sessions = settle(weights, connections, 250);
    expect(sessions.reduce((sum, count) => sum + count)).toBe(connections);
    expect(Math.max(...sessions) / Math.min(...sessions)).toBeLessThan(1.2);
  });

  it('stay where they are while there is one front, or nothing is known of the others', () => {
    fc.assert(
      fc.property(fc.nat(10_000), (sessions) => {
        const overflow = new Overflow({ index: 1, sessions: () => sessions });
        expect(overflow.isAbove).toBe(false);
        overflow.loads([{ front: 1, sessions, delayMs: 9_999 }]);
        expect(overflow.isAbove).toBe(false);
      }),
    );
  });

  it('go to others from a front that is behind, while those are not', () => {
    const overflow = new Overflow({ index: 1, sessions: () => 100 });
    const [late, good] = [
      { front: 1, sessions: 100, delayMs: 900 },
      { front: 2, sessions: 100, delayMs: 3 },
    ];
    overflow.loads([late, good]);
    expect(overflow.isAbove).toBe(true);
    overflow.loads([late, { ...good, delayMs: 800 }]);
    expect(overflow.isAbove).toBe(false);
  });
});
