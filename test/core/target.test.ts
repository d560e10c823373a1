import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as target from '../../src/core/work/target.js';

const anyTarget = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => target.targetFromBytes(bytes));

/** The eight words of 32 bytes, lowest first. */
const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(Uint8Array.from(bytes).buffer);

describe('target', () => {
  it('goes to integer and hex and back', () => {
    fc.assert(
      fc.property(anyTarget, (t) => {
        expect(target.targetFromInteger(target.integerOfTarget(t))).toEqual(t);
        expect(target.targetFromHexBigEndian(target.targetToHexBigEndian(t))).toEqual(t);
      }),
    );
  });

  it('has a difficulty whose target is not harder and has the same difficulty', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), (difficulty) => {
        const t = target.targetOf(difficulty);
        expect(target.difficultyOf(t)).toBeGreaterThanOrEqual(difficulty);
        expect(target.difficultyOf(target.targetOf(target.difficultyOf(t)))).toBe(target.difficultyOf(t));
      }),
    );
  });

  it('compares as integers do', () => {
    fc.assert(
      fc.property(anyTarget, anyTarget, (a, b) => {
        expect(target.meetsTarget(a, b)).toBe(target.integerOfTarget(a) <= target.integerOfTarget(b));
        expect(target.wordsMeetTarget(wordsOf(a), b)).toBe(target.meetsTarget(a, b));
        expect(target.integerOfTarget(target.easierTarget(a, b))).toBeGreaterThanOrEqual(
          target.integerOfTarget(a),
        );
      }),
    );
  });

  it('tells how high a difficulty a hash has reached, to 15 digits', () => {
    const zeros = fc.integer({ min: 0, max: 32 });
    fc.assert(
      fc.property(anyTarget, zeros, (bytes, highZeros) => {
        const hash = bytes.map((byte, i) => (i < 32 - highZeros ? byte : 0)) as target.Target;
        const exact = Number(target.difficultyOf(hash));
        expect(target.reachedByWords(wordsOf(hash)) / exact).toBeGreaterThan(1 - 1e-15 * 4);
        // Rounded down to a whole number, which shows where it is small.
        expect(target.reachedByWords(wordsOf(hash))).toBeLessThan((exact + 1) * (1 + 1e-15 * 4));
      }),
    );
  });

  it('knows the edges', () => {
    expect(target.difficultyOf(target.MAX_TARGET)).toBe(1n);
    expect(target.difficultyOf(target.targetFromInteger(0n))).toBe(2n ** 256n);
    expect(target.meetsTarget(new Uint8Array(32), target.targetFromInteger(0n))).toBe(true);
    expect(() => target.targetFromBytes(new Uint8Array(31))).toThrow('32 bytes, not 31');
    expect(target.targetFromHexBigEndian('xy')).toBeUndefined();
  });
});
