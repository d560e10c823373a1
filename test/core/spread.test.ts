import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Member, place, spread } from '../../src/core/spread.js';

const chainIds = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 });
const members = fc.array(
  fc.record({
    weight: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0.001, max: 1e15, noNaN: true })),
    chainId: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  }),
  { maxLength: 80 },
);

function loadsOf(all: readonly Member[], chains: readonly number[], assigned: readonly number[]): number[] {
  const known = all.filter(({ weight }) => weight > 0);
  const mean = known.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, known.length) || 1;
  const loads = new Map(chains.map((chainId) => [chainId, 0]));
  all.forEach(({ weight }, i) => {
    const chainId = assigned[i] ?? expect.fail();
    loads.set(chainId, (loads.get(chainId) ?? 0) + (weight || mean));
  });
  return [...loads.values()];
}

const onChains = (all: readonly Member[], assigned: readonly number[]): Member[] =>
  all.map(({ weight }, i) => ({ weight, chainId: assigned[i] }));

describe('spread', () => {
  it('gives every member one of the chains, and does nothing more when asked again', () => {
    fc.assert(
      fc.property(members, chainIds, (all, chains) => {
        const assigned = spread(all, chains);
        expect(assigned).toHaveLength(all.length);
        for (const chainId of assigned) expect(chains).toContain(chainId);
        expect(spread(onChains(all, assigned), chains)).toEqual(assigned);
      }),
    );
  });

  it('leaves no two chains further apart than one of their members, or than is worth a move', () => {
    fc.assert(
      fc.property(members, chainIds, (all, chains) => {
        const loads = loadsOf(all, chains, spread(all, chains));
        const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
        const heaviest = Math.max(...all.map(({ weight }) => weight), mean / Math.max(1, all.length), 1);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(heaviest + mean * 0.25 + 1e-6);
      }),
    );
  });

  it('moves nobody who has a chain when members are only placed', () => {
    fc.assert(
      fc.property(members, chainIds, (all, chains) => {
        const assigned = place(all, chains);
        all.forEach(({ chainId }, i) => {
          if (chainId !== undefined && chains.includes(chainId)) expect(assigned[i]).toBe(chainId);
        });
      }),
    );
  });

  it('moves as few as it must', () => {
    const twelve = Array.from({ length: 12 }, (): Member => ({ weight: 1, chainId: 0 }));
    expect(spread(twelve, [0, 1, 2]).filter((chainId) => chainId !== 0)).toHaveLength(8);
    const even = onChains(twelve, spread(twelve, [0, 1, 2]));
    const without = spread(even, [0, 1]);
    expect(without.filter((chainId, i) => chainId !== even[i]?.chainId)).toHaveLength(4);
    const joined = spread([...even, { weight: 1, chainId: undefined }], [0, 1, 2]);
    expect(joined.slice(0, 12)).toEqual(even.map(({ chainId }) => chainId));
  });

  it('lets a giant have a chain for itself', () => {
    const all = [1000, 1, 1, 1, 1].map((weight): Member => ({ weight, chainId: 0 }));
    expect(spread(all, [0, 1])).toEqual([1, 0, 0, 0, 0]);
  });

  it('has an answer for no members and for no chains', () => {
    expect(spread([], [1, 2])).toEqual([]);
    expect(spread([{ weight: 1, chainId: 1 }], [])).toEqual([]);
  });
});
