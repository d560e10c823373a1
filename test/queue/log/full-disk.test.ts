/** The share log on disks that are really full: what it refused never counts, and solutions still fit. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SolutionState, SolutionWord } from '../../../src/bridge/ports.js';
import { SILENT } from '../../../src/core/names/log.js';
import { readFormerLogs } from '../../../src/queue/log/recovery.js';
import type { DiskLog } from '../../../src/queue/log/share-log.js';
import { withTemporaryFolder } from '../../helpers/books/postgres.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';
import { appendOf, entriesIn, openLog, sayingLog } from './logs.js';

const DISK_KILOBYTES = 256;

const leftOut = (what: string, reason: string): void =>
  void process.stderr.write(`LEFT OUT: ${what}, because ${reason}\n`);

/** Rigs whose shares were kept, in their order. */
interface Told {
  readonly kept: string[];
  readonly refused: string[];
  /** Numbers of cuts. */
  readonly cuts: number[];
  refusedCuts: number;
}

/** A group of shares, and a cut behind every fifth; resolves when all are answered. */
async function work(disk: DiskLog, told: Told, name: string, groups: number): Promise<void> {
  const refusal = { code: 'log-broken', message: expect.stringMatching(/no space left/i) };
  for (let group = 0; group < groups; group++) {
    const rigs = Array.from({ length: 20 }, (_, i) => `${name}-${group}-${i}`);
    const answers = rigs.map((rig) =>
      appendOf(disk, rig).then(
        () => told.kept.push(rig),
        (error: Error) => {
          expect(error).toMatchObject(refusal);
          told.refused.push(rig);
        },
      ),
    );
    await Promise.all(answers);
    if (group % 5 !== 4) continue;
    await disk.cut().then(
      ({ number }) => told.cuts.push(number),
      (error: Error) => {
        expect(error).toMatchObject(refusal);
        told.refusedCuts++;
      },
    );
  }
}

async function onSmallDisk(what: string, use: (dataDir: string) => Promise<void>): Promise<void> {
  const reason = await withSmallDisk(use, DISK_KILOBYTES);
  if (reason !== undefined) leftOut(what, reason);
}

it.each([
  ['a group and a cut', 4 * 2 ** 20],
  // The last page of the one before has room for cuts.
  ['a new segment', 1500],
])('a full disk refuses %s as a whole, and each time there is room it goes on', (what, segmentBytes) =>
  onSmallDisk(`a full disk that refuses ${what}`, async (dataDir) => {
    const folder = join(dataDir, 'shares');
    const disk = await openLog(folder, { limits: { segmentBytes, stepBytes: 0 } });
    const told: Told = { kept: [], refused: [], cuts: [], refusedCuts: 0 };
    for (const round of ['a', 'b', 'c']) {
      const before = told.kept.length;
      await work(disk, told, `${round}-room`, 5);
      expect(told.kept.length - before).toBe(100);
      const makeRoom = await fillDisk(dataDir);
      const refused = told.refused.length;
      await work(disk, told, `${round}-full`, 15);
      expect(told.refused.length).toBeGreaterThan(refused);
      await makeRoom();
    }
    await work(disk, told, 'end', 5);
    await disk.close();
    if (segmentBytes > 2 ** 20) expect(told.refusedCuts).toBeGreaterThan(0);
    // A number that was refused is that of the next cut.
    expect(told.cuts).toEqual(Array.from(told.cuts, (_, i) => i + 1));
    const { rigs, cuts } = await entriesIn(folder);
    expect(rigs.flat()).toEqual(told.kept);
    expect(cuts.map(({ ownShares }) => ownShares)).toEqual(rigs.map(({ length }) => length));
    expect(cuts.slice(0, -1).map(({ number }) => number)).toEqual(told.cuts);
  }),
);

it('LQ8: what is acknowledged after a full disk refused a segment that was full just then is found again, with its names', () =>
  onSmallDisk('a full disk that refuses the end of a segment and the next one', async (dataDir) => {
    const folder = join(dataDir, 'shares');
    const disk = await openLog(folder, { limits: { segmentBytes: 8_000, stepBytes: 0 } });
    await appendOf(disk, 'old');
    const makeRoom = await fillDisk(dataDir);
    // More than the segment takes: the next group is to begin another one.
    const many = Array.from({ length: 200 }, () => appendOf(disk, 'new').catch(() => 'refused'));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['refused']));
    await expect(appendOf(disk, 'next')).rejects.toMatchObject({ code: 'log-broken' });
    await makeRoom();
    await appendOf(disk, 'new');
    await appendOf(disk, 'old');
    await disk.close();
    expect((await entriesIn(folder)).rigs.flat()).toEqual(['old', 'new', 'old']);
  }));

describe('a solution', () => {
  const wordsIn = async (folder: string): Promise<string[]> => {
    const [former] = await readFormerLogs(folder, SILENT);
    return (former?.solutions ?? []).map(({ word }) => `${word.state} ${word.solution.account}`);
  };
  const wordOf = (account: string, state: SolutionState = 'found'): SolutionWord => {
    const { job, header, powHash, rig, foundAtMs } = makeSolution();
    const solution = { node: job.node, header, powHash, blockDifficulty: 1_000n, account, rig, foundAtMs };
    return { solution, log: randomUUID(), state, detail: '' };
  };

  it('fits where no share does, before, while and after the disk is full, until what is reserved is used up', () =>
    onSmallDisk('solutions on a full disk', async (dataDir) => {
      const folder = join(dataDir, 'shares');
      const { log, said } = sayingLog();
      const disk = await openLog(folder, { limits: { stepBytes: 0 }, log });
      await appendOf(disk, 'a');
      await disk.solution(wordOf('before'));
      const makeRoom = await fillDisk(dataDir);
      const refused = await Promise.all(
        Array.from({ length: 200 }, () => appendOf(disk, 'b').catch(() => 'refused')),
      );
      expect(refused).toContain('refused');
      await disk.solution(wordOf('during'));
      await disk.solution(wordOf('during', 'received'));
      // A header is half of it, and each is written twice.
      const many = Array.from({ length: 40 }, (_, i) => disk.solution(wordOf(`many ${i}`)));
      const settled: string[] = [];
      for (const one of many) void one.then(() => settled.push('kept'));
      await expect.poll(() => disk.unkeptSolutions).toBeGreaterThan(0);
      expect(said).toContain(
        'the share log does not take a solution: it is kept in memory and tried each second',
      );
      await makeRoom();
      await Promise.all(many);
      expect(disk.unkeptSolutions).toBe(0);
      await disk.solution(wordOf('after'));
      await disk.close();
      const words = await wordsIn(folder);
      expect(words.filter((_, i) => i % 2 === 0)).toEqual([
        'found before',
        'found during',
        'received during',
        ...many.map((_, i) => `found many ${i}`),
        'found after',
      ]);
    }));

  it('lies before the cut that ends its log, or is refused', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder);
      const kept = disk.solution(wordOf('before'));
      const last = disk.cut(true);
      await Promise.all([kept, last]);
      await expect(disk.solution(wordOf('after'))).rejects.toMatchObject({ code: 'closed' });
      await disk.close();
      expect(new Set(await wordsIn(folder))).toEqual(new Set(['found before']));
      const [former] = await readFormerLogs(folder, SILENT);
      expect(former?.cuts.map(({ ends }) => ends)).toEqual([true]);
    }));

  it('is told whole where the bridge ends before the disk takes it', () =>
    onSmallDisk('a solution that no disk takes', async (dataDir) => {
      const told: object[] = [];
      const log = { ...SILENT, error: (fields: object) => void told.push(fields) };
      const disk = await openLog(join(dataDir, 'shares'), { limits: { stepBytes: 0 }, log });
      await fillDisk(dataDir);
      const many = Array.from({ length: 80 }, (_, i) => disk.solution(wordOf(`many ${i}`)));
      const settled = Promise.allSettled(many);
      await disk.close();
      const lost = (await settled).filter(({ status }) => status === 'rejected');
      expect(lost.length).toBeGreaterThan(0);
      expect(told.filter((fields) => 'header' in fields)).toHaveLength(lost.length);
      expect(told).toContainEqual(
        expect.objectContaining({ account: 'many 79', state: 'found', header: expect.any(String) }),
      );
    }));
});
