/** Blocks that cost nothing prove nothing: how much easier a block may be than the one before it. */
import { describe, expect, it } from 'vitest';
import type { WorkedBlock } from '../../../../src/core/work/anchor.js';
import { targetFromBytes, weightOfTarget } from '../../../../src/core/work/target.js';
import { workFault } from '../../../../src/node-client/following/work-fault.js';
import { readVectors } from '../../../helpers/runner/vectors.js';

const EPOCH = 3_600_000_000n;
const WORK = 1_000_000n;
/** The last of an epoch that took so many times as long as it should. */
const last = (times: number): WorkedBlock => ({
  height: 239,
  epochStartMicros: 7_000n,
  timeMicros: 7_000n + BigInt(times * Number(EPOCH)),
  work: WORK,
});
const next = (work: bigint): WorkedBlock => ({ ...last(1), height: 240, work });

describe('the work of a block', () => {
  it.each([
    ['harder', WORK + 1n],
    ['easier', WORK - 1n],
    ['for nothing', 1n],
  ])('is that of the one before it within an epoch, and not %s', (_, work) => {
    const before = { ...last(1), height: 238 };
    expect(workFault(before, { ...next(WORK), height: 239 })).toBeUndefined();
    expect(workFault(before, { ...next(work), height: 239 })).toMatch(/in the middle of an epoch/);
  });

  it.each([
    [1, 500_000n],
    [0.5, 1_000_000n],
    [2, 250_000n],
    [0.01, 50_000_000n],
    // Its time is what it says: nobody has to wait so long.
    [1_000, 62_500n],
  ])('goes by how long the epoch took: %s of what it should', (times, least) => {
    expect(workFault(last(times), next(least))).toBeUndefined();
    expect(workFault(last(times), next(least - 1n))).toMatch(/far too easy/);
  });

  it('goes by epochs of 12 blocks where a chain begins', () => {
    const young = (height: number): WorkedBlock => ({ ...last(0.1), height });
    for (const height of [11, 107, 119]) {
      expect(workFault(young(height), next(WORK / 2n))).toBeUndefined();
      expect(workFault(young(height), next(WORK / 2n - 1n))).toMatch(/far too easy/);
    }
    for (const height of [12, 120, 131]) expect(workFault(young(height), next(WORK / 2n))).toMatch(/middle/);
  });

  it('has a bound too where an epoch ends before it began', () =>
    expect(workFault({ ...last(0), timeMicros: 0n }, next(1n))).toMatch(/far too easy/));
});

interface Vectors {
  readonly headers: readonly {
    readonly group: string;
    readonly fields: {
      readonly height: number;
      readonly chainId: number;
      readonly creationTime: number;
      readonly epochStart: number;
      readonly target: string;
    };
  }[];
}

describe('blocks of a public chain', { tags: ['vectors'] }, () => {
  const blocks = (): WorkedBlock[] =>
    readVectors<Vectors>('headers')
      .headers.filter(({ group, fields }) => group === 'mining-client' && fields.chainId === 5)
      .map(({ fields }) => ({
        height: fields.height,
        timeMicros: BigInt(fields.creationTime),
        epochStartMicros: BigInt(fields.epochStart),
        work: weightOfTarget(targetFromBytes(Buffer.from(fields.target, 'base64url'))),
      }))
      .sort((a, b) => a.height - b.height);

  it('have the work that they have to have, in an epoch and from one to the next', () => {
    let epochs = 0;
    for (const [i, block] of blocks().entries()) {
      const before = blocks()[i - 1];
      if (!before) continue;
      const isSame = before.epochStartMicros === block.epochStartMicros;
      // They are three blocks apart. The epoch of one begins at the time of the last block of the one before.
      const parent = isSame
        ? { ...before, height: block.height - 1 }
        : { ...before, height: block.height - (block.height % 120) - 1, timeMicros: block.epochStartMicros };
      const child = isSame ? block : { ...block, height: parent.height + 1 };
      expect(workFault(parent, child), `${block.height}`).toBeUndefined();
      if (!isSame) epochs++;
    }
    expect(epochs).toBeGreaterThan(1);
  });
});
