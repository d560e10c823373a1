import { describe, expect, it } from 'vitest';
import { type Course, compare as compareServers, quantileOf } from '../../src/probe/compare.js';

type Given = readonly [atMs: number, height: number, isFirst?: boolean, chainId?: number];

/** The parent of a work is called by its height. */
function course(jobs: readonly Given[], endedMs: readonly number[] = []): Course {
  return {
    endedMs,
    jobs: jobs.map(([atMs, height, isFirst = false, chainId = 0]) => ({
      ...{ atMs, height, isFirst, chainId },
      parent: `parent ${height}`,
    })),
  };
}

/** Each with a single rig. */
const compare = (courses: readonly Course[], untilMs: number) =>
  compareServers(
    courses.map((each) => [each]),
    untilMs,
  );

describe('servers beside each other', () => {
  it('are compared by jobs for the same parent, but for those that came with a connection', () => {
    const [early, late] = compare(
      [
        course([
          [0, 10, true],
          [100, 11],
          [300, 12],
          [390, 6, false, 5],
          [395, 7, false, 5],
        ]),
        course([
          [50, 10, true],
          [130, 11],
          [290, 12],
          // It changes to a chain, and that tells nothing of when its block was heard.
          [400, 7, false, 5],
        ]),
      ],
      500,
    );
    expect(early).toMatchObject({ compared: 2, first: 1, laterMs: [0, 10] });
    expect(late).toMatchObject({ compared: 2, first: 1, laterMs: [0, 30] });
  });

  it('are told the same job a second time without counting it', () => {
    const [one, other] = compare(
      [
        course([
          [0, 1, true],
          [10, 2],
          [20, 2],
        ]),
        course([
          [0, 1, true],
          [15, 2],
        ]),
      ],
      100,
    );
    expect(one).toMatchObject({ compared: 1, laterMs: [0] });
    expect(other).toMatchObject({ compared: 1, laterMs: [5] });
  });

  it('are stale from the moment at which another one had work on top', () => {
    const [fast, slow] = compare(
      [
        course([
          [0, 10, true],
          [100, 11],
        ]),
        course([
          [0, 10, true],
          [150, 11],
        ]),
      ],
      200,
    );
    expect(fast?.stalePart).toBe(0);
    expect(slow?.stalePart).toBe(50 / 200);
  });

  it('have no work while no connection stands', () => {
    const [whole, gone] = compare(
      [
        course([
          [0, 10, true],
          [100, 11],
        ]),
        course([[0, 10, true]], [120]),
      ],
      1_000,
    );
    expect(whole?.stalePart).toBe(0);
    // 120 ms of work, of which the last 20 were stale.
    expect(gone?.stalePart).toBeCloseTo(20 / 120, 9);
    expect(compare([course([])], 1_000)).toEqual([
      { compared: 0, first: 0, laterMs: [], stalePart: undefined },
    ]);
  });

  it('have quantiles of what there is', () => {
    expect([quantileOf([], 0.5), quantileOf([1, 2, 3], 0.5), quantileOf([1, 2, 3], 0.99)]).toEqual([
      ...[undefined, 2, 3],
    ]);
  });
});
