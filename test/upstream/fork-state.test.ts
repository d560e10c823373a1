import { describe, expect, it } from 'vitest';
import { forksOf, isVoting, voteOf } from '../../src/upstream/fork-state.js';
import { makeWork } from '../helpers/rigs/works.js';

/** Of public networks. */
const EPOCH = 14_400;
const votes = (blocks: number, number = 0): bigint => (BigInt(blocks * 1000) << 32n) | BigInt(number);
const agrees = (...nodes: Parameters<typeof forksOf>[0][number][]): (boolean | undefined)[] =>
  forksOf(nodes, EPOCH).map((forks) => forks?.agrees);

describe('fork number and votes of nodes', () => {
  it('are read from their works, each chain for itself', () => {
    const works = [
      makeWork({ chainId: 1, flags: votes(12, 3) }),
      makeWork({ chainId: 2, flags: votes(9, 3) }),
      makeWork({ chainId: 3, flags: votes(14, 3) }),
    ];
    expect(forksOf([works, []], EPOCH)).toEqual([
      { number: 3, leastVotes: 9, mostVotes: 14, isNear: false, agrees: undefined, isPassed: false },
      undefined,
    ]);
    const full = makeWork({ flags: 0xffff_ffff_ffff_ffffn });
    expect(forksOf([[full]], EPOCH)).toMatchObject([{ number: 4_294_967_295, mostVotes: 4_294_967 }]);
  });

  it('say that a fork is near once it has two thirds of the voting blocks, in the mean of the chains', () => {
    const near = (...counts: number[]) =>
      forksOf([counts.map((count, chainId) => makeWork({ chainId, flags: votes(count) }))], EPOCH)[0]?.isNear;
    expect([near(9_520), near(9_519), near(9_000, 10_040), near(9_000, 10_039)]).toEqual([
      ...[true, false, true, false],
    ]);
  });

  it('show whether a node votes by what its work adds to the parent, in blocks that cast votes', () => {
    const seen = (height: number, own: number, parent: number) =>
      voteOf(height, EPOCH, votes(own), votes(parent));
    expect([seen(7, 5, 4), seen(7, 4, 4), seen(14_279, 5, 4)]).toEqual([true, false, true]);
    // Those that count have the mean of their neighbours.
    expect([seen(14_280, 5, 4), seen(14_399, 4, 4), isVoting(14_280, EPOCH)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    // The first of an epoch begins anew.
    expect([seen(14_400, 1, 9_600), seen(14_400, 0, 9_600)]).toEqual([true, false]);
    expect([seen(7, 9, 4), seen(7, 3, 4)]).toEqual([undefined, undefined]);
  });

  it('go by the epoch of their network', () => {
    const near = (count: number) => forksOf([[makeWork({ flags: votes(count) })]], 120)[0]?.isNear;
    expect([near(79), near(80)]).toEqual([false, true]);
    const seen = (height: number, own: number, parent: number) =>
      voteOf(height, 120, votes(own), votes(parent));
    expect([seen(118, 5, 4), seen(119, 5, 4), seen(120, 1, 80)]).toEqual([true, undefined, true]);
  });

  it('are passed where another node is on a higher fork number, for whatever block', () => {
    const [old, voting, forked] = [0, 0, 1].map((number, parent) =>
      makeWork({ parent, flags: votes(parent, number) }),
    );
    const passed = (...works: (Parameters<typeof forksOf>[0][number][number] | undefined)[]) =>
      forksOf(
        works.map((work) => (work ? [work] : [])),
        EPOCH,
      ).map((forks) => forks?.isPassed);
    expect(passed(old, voting)).toEqual([false, false]);
    expect(passed(old, forked, voting)).toEqual([true, false, true]);
    expect(passed(old, undefined)).toEqual([false, undefined]);
  });

  it('are compared for the same block alone', () => {
    const here = makeWork({ chainId: 1, parent: 7, flags: votes(5) });
    const more = makeWork({ chainId: 1, parent: 7, flags: votes(6) });
    const later = makeWork({ chainId: 1, parent: 8, flags: votes(6) });
    const elsewhere = makeWork({ chainId: 2, parent: 7, flags: votes(6) });
    expect(agrees([here], [here])).toEqual([true, true]);
    expect(agrees([here], [more])).toEqual([false, false]);
    expect(agrees([here], [later])).toEqual([undefined, undefined]);
    expect(agrees([here], [elsewhere])).toEqual([undefined, undefined]);
    expect(agrees([here, elsewhere], [more, elsewhere], [elsewhere])).toEqual([false, false, true]);
    expect(agrees([makeWork({ flags: votes(5, 1) })], [makeWork({ flags: votes(5, 0) })])).toEqual([
      ...[false, false],
    ]);
  });
});
