import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainLoads } from '../../src/core/jobs/spread.js';

interface Member {
  readonly weight: number;
  chainId: number;
}

const chainIds = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 });
/** Whole ones, whose sums are exact: one that is a tie may go either way with what rounding leaves of others. */
const weight = fc.oneof(
  fc.constant(0),
  fc.constant(1),
  fc.maxSafeNat().map((nat) => nat % 1e14),
);
const members = fc.array(
  fc.record({
    weight,
    chainId: fc.integer({ min: 0, max: 30 }),
  }),
  { maxLength: 80 },
);

/** Looks at each in turn until nobody moves; how many moves that took. */
function settle(all: readonly Member[], chains: readonly number[]): number {
  const loads = loadsOf(all);
  let moves = 0;
  for (let before = -1; before !== moves; ) {
    before = moves;
    for (const member of all) {
      const better = loads.betterFor(member.chainId, member.weight, chains);
      if (better === undefined) continue;
      expect(better).not.toBe(member.chainId);
      loads.remove(member.chainId, member.weight);
      loads.add(better, member.weight);
      member.chainId = better;
      if (++moves > 100 * all.length) expect.fail('moves do not end');
    }
  }
  return moves;
}

function loadsOf(all: readonly Member[]): ChainLoads {
  const loads = new ChainLoads();
  for (const { chainId, weight } of all) loads.add(chainId, weight);
  return loads;
}

const ofWeights = (...weights: number[]): Member[] => weights.map((weight) => ({ weight, chainId: 0 }));
const chainsOf = (all: readonly Member[]): number[] => all.map(({ chainId }) => chainId);

describe('loads of chains', () => {
  it('leave every member on one of the chains, and come to rest', () => {
    fc.assert(
      fc.property(members, chainIds, (all, chains) => {
        settle(all, chains);
        for (const chainId of chainsOf(all)) expect(chains).toContain(chainId);
        const before = chainsOf(all);
        expect(settle(all, chains)).toBe(0);
        expect(chainsOf(all)).toEqual(before);
      }),
    );
  });

  it('are no further apart than one of the members of the heaviest, or than is worth a move', () => {
    fc.assert(
      fc.property(members, chainIds, (all, chains) => {
        settle(all, chains);
        const known = all.filter(({ weight }) => weight > 0);
        const usual = known.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, known.length) || 1;
        const loads = loadsOf(all);
        const totals = chains.map((chainId) => loads.on(chainId));
        const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
        const heaviest = Math.max(0, ...all.map(({ weight }) => weight || usual));
        const apart = Math.max(...totals) - Math.min(...totals);
        expect(apart).toBeLessThanOrEqual((heaviest + mean * 0.25) * (1 + 1e-9) + 1e-6);
      }),
    );
  });

  it('take as few moves as they must', () => {
    const twelve = ofWeights(...Array<number>(12).fill(1));
    expect(settle(twelve, [0, 1, 2])).toBe(8);
    expect(settle(twelve, [0, 1])).toBe(4);
    expect(settle([...twelve, { weight: 1, chainId: 1 }], [0, 1])).toBe(0);
  });

  it('move thousands of like members, none of which is much by itself', () => {
    const many = ofWeights(...Array<number>(4000).fill(3e12));
    expect(settle(many, [0, 1, 2, 3])).toBeLessThan(3100);
    for (const chainId of [0, 1, 2, 3])
      expect(chainsOf(many).filter((each) => each === chainId).length).toBeGreaterThan(800);
  });

  it('let a giant have a chain for itself', () => {
    const all = ofWeights(1000, 1, 1, 1, 1);
    settle(all, [0, 1]);
    expect(chainsOf(all)).toEqual([1, 0, 0, 0, 0]);
  });

  it('stand still while what is measured goes up and down', () => {
    const five = ofWeights(1, 1, 1, 1, 1);
    settle(five, [0, 1]);
    const before = chainsOf(five);
    for (let i = 0; i < 100; i++) {
      const measured = five.map(({ chainId }, j) => ({
        chainId,
        weight: 1 + 0.07 * Math.sin(i * 7 + j * 3),
      }));
      expect(settle(measured, [0, 1])).toBe(0);
    }
    expect(chainsOf(five)).toEqual(before);
  });

  it('leave nothing of those who are gone', () => {
    fc.assert(
      fc.property(members, (all) => {
        const loads = loadsOf(all);
        for (const { chainId, weight } of all) loads.remove(chainId, weight);
        for (const { chainId } of all) expect(loads.on(chainId)).toBe(0);
        expect(loads.betterFor(1, 1, [])).toBeUndefined();
      }),
    );
  });
});
