/** Vardiff against simulated rigs: shares come by chance (Poisson), targets change with the next job. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startVardiff, stepVardiff, VARDIFF_SETTINGS, type VardiffSettings } from '../../src/core/vardiff.js';

/** Mulberry32: the same numbers each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Rig {
  hashesPerSecond: (second: number) => number;
  seconds: number;
  seed: number;
  settings?: Partial<VardiffSettings>;
  /** Accepted shares a second at most, as the server's limit has it. */
  maxSharesPerSecond?: number;
}

interface Run {
  /** The difficulty in force over the right one, each second. */
  ratios: number[];
  /** Of the second half: shares over what is aimed at, work credited over hashes made, changes of difficulty. */
  pace: number;
  credit: number;
  changes: number;
}

/** Jobs come every half second when the change is urgent, and every 15 s otherwise. */
function simulate({
  hashesPerSecond,
  seconds,
  seed,
  settings: some = {},
  maxSharesPerSecond = 2000,
}: Rig): Run {
  const settings = { ...VARDIFF_SETTINGS, ...some };
  const random = randomFrom(seed);
  let state = startVardiff(settings, 0);
  let inForce = state.difficulty;
  let lastJobMs = 0;
  let [shares, changes, work, hashes] = [0, 0, 0, 0];
  const ratios: number[] = [];
  for (let ms = 0; ms < seconds * 1000; ms += 500) {
    const speed = hashesPerSecond(ms / 1000);
    const counts = ms >= seconds * 500 ? 1 : 0;
    const sharesPerMs = Math.min(speed / inForce, maxSharesPerSecond) / 1000;
    hashes += counts * speed * 0.5;
    const pause = (): number => -Math.log(1 - random()) / sharesPerMs;
    let at = ms + pause();
    while (at < ms + 500) {
      state = stepVardiff(settings, state, { kind: 'share', difficulty: inForce }, at);
      shares += counts;
      work += counts * inForce;
      at += pause();
    }
    if (ms % 1000 === 500) {
      state = stepVardiff(settings, state, { kind: 'tick', difficulty: inForce }, ms + 500);
      ratios.push(inForce / (speed * settings.secondsPerShare));
    }
    const change = state.difficulty / inForce;
    if (change >= 2 || change <= 0.5 || (change !== 1 && ms - lastJobMs >= 15_000)) {
      inForce = state.difficulty;
      lastJobMs = ms;
      changes += counts;
    }
  }
  return { ratios, pace: shares / (seconds / 2 / settings.secondsPerShare), credit: work / hashes, changes };
}

const HOUR = 3600;
const MEGA = 1e6;
const TERA = 1e12;
const constant = (speed: number) => () => speed;
const SEEDS = Array.from({ length: 24 }, (_, seed) => seed + 1000);

function worst(ratios: readonly number[]): number {
  return Math.max(...ratios.map((ratio) => Math.max(ratio, 1 / ratio)));
}

describe('vardiff', () => {
  const speeds = [MEGA, 20 * MEGA, 1e9, 0.1 * TERA, 40 * TERA, 200 * TERA];
  const credits: number[] = [];

  it.each(speeds)('holds the pace of %d hashes a second, and does not swing', (speed) => {
    const runs = SEEDS.map((seed) =>
      simulate({ hashesPerSecond: constant(speed), seconds: 3 * HOUR, seed: seed + speed }),
    );
    for (const run of runs) {
      expect(Math.abs(run.pace - 1)).toBeLessThan(0.2);
      expect(worst(run.ratios.slice(1.5 * HOUR))).toBeLessThan(1.4);
      expect(run.changes).toBeLessThan(15);
    }
    credits.push(...runs.map((run) => run.credit));
  });

  it('credits all work, no more and no less', () => {
    // Some 80,000 shares: the mean is known to two fifths of a percent.
    expect(credits).toHaveLength(speeds.length * SEEDS.length);
    const credit = credits.reduce((sum, part) => sum + part, 0) / credits.length;
    expect(Math.abs(credit - 1)).toBeLessThan(0.01);
  });

  it('is within a factor of 2 in 60 s for a rig a million times faster than its first target', () => {
    const speed = (MEGA * VARDIFF_SETTINGS.startDifficulty) / VARDIFF_SETTINGS.secondsPerShare;
    const off = SEEDS.map((seed) =>
      worst(simulate({ hashesPerSecond: constant(speed), seconds: 60, seed }).ratios.slice(-1)),
    );
    // A handful of shares tell a speed only so well, so chance may throw one in twenty a little further.
    expect(off.filter((factor) => factor < 2).length).toBeGreaterThanOrEqual(0.95 * SEEDS.length);
    expect(Math.max(...off)).toBeLessThan(3);
  });

  it('comes down to a rig a thousand times slower in ten minutes, by the clock alone at first', () => {
    for (const seed of SEEDS) {
      const { ratios } = simulate({ hashesPerSecond: constant(0.1 * MEGA), seconds: 3000, seed });
      expect(ratios.slice(0, 600).some((ratio) => ratio < 5)).toBe(true);
      expect(worst(ratios.slice(-1))).toBeLessThan(3);
    }
  });

  it('follows a rig that changes its speed', () => {
    for (const [factor, seconds] of [
      [8, 240],
      [0.125, 1500],
    ] as const) {
      for (const seed of SEEDS) {
        const hashesPerSecond = (second: number): number => (second < HOUR ? TERA : TERA * factor);
        const { ratios } = simulate({ hashesPerSecond, seconds: HOUR + seconds, seed });
        expect(worst(ratios.slice(-1))).toBeLessThan(3);
      }
    }
  });

  it('keeps to powers of two when told to', () => {
    const settings = { ...VARDIFF_SETTINGS, powersOfTwo: true };
    let state = startVardiff(settings, 0);
    for (let at = 0; at < 600_000; at += 2_500) {
      state = stepVardiff(settings, state, { kind: 'share', difficulty: state.difficulty }, at);
      expect(Number.isInteger(Math.log2(state.difficulty))).toBe(true);
    }
    expect(state.difficulty).toBeGreaterThan(settings.startDifficulty);
  });

  it('stays within its limits whatever comes', () => {
    const settings = { ...VARDIFF_SETTINGS, minDifficulty: 1e6, maxDifficulty: 1e12 };
    const event = fc.record({
      kind: fc.constantFrom('share' as const, 'tick' as const),
      difficulty: fc.double({ min: 1, max: 2 ** 256, noNaN: true }),
    });
    const steps = fc.array(fc.tuple(event, fc.integer({ min: -10_000, max: 1_000_000 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.option(fc.double({ min: 1, noNaN: true })), (events, start) => {
        let nowMs = 0;
        let state = startVardiff(settings, nowMs, start ?? undefined);
        for (const [what, passedMs] of events) {
          nowMs += passedMs;
          state = stepVardiff(settings, state, what, nowMs);
          expect(state.difficulty).toBeGreaterThanOrEqual(1e6);
          expect(state.difficulty).toBeLessThanOrEqual(1e12);
        }
      }),
    );
  });
});
