import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashRateMeter } from '../../src/core/shares/hash-rate.js';

describe('hash rate', () => {
  it('is work over time in each window, with an error of one over the root of the shares', () => {
    const meter = new HashRateMeter(0);
    for (let second = 10; second <= 7200; second += 10) meter.add(1e12, second * 1000);
    for (const rate of meter.rates(7_200_000)) {
      const shares = rate.windowMs / 10_000;
      expect(rate.hashesPerSecond / 1e11).toBeGreaterThan(0.9);
      expect(rate.hashesPerSecond / 1e11).toBeLessThan(1.1);
      expect(rate.standardError / rate.hashesPerSecond).toBeCloseTo(1 / Math.sqrt(shares), 1);
    }
  });

  it('covers only the time since the start, and forgets', () => {
    const meter = new HashRateMeter(1_000_000);
    meter.add(600, 1_006_000);
    expect(meter.rates(1_006_000).map((rate) => rate.hashesPerSecond)).toEqual([100, 100, 100, 100, 100]);
    const later = meter.rates(1_006_000 + 301_000).map((rate) => rate.hashesPerSecond > 0);
    expect(later).toEqual([false, false, true, true, true]);
  });

  it('stays finite and never negative whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(10_000_000), fc.nat(1e9))), (events) => {
        const meter = new HashRateMeter(5_000_000);
        for (const [nowMs, difficulty] of events) {
          meter.add(difficulty, nowMs);
          for (const rate of meter.rates(nowMs)) {
            expect(rate.hashesPerSecond).toBeGreaterThanOrEqual(0);
            expect(Number.isFinite(rate.standardError)).toBe(true);
          }
        }
      }),
    );
  });
});
