/** The share log on disks that are really full, and on one that does not even cut off: what it refused never counts. */
import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRecords } from '../../../src/queue/log/records.js';
import type { DiskLog } from '../../../src/queue/log/share-log.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { appendOf, entriesIn, openLog, sayingLog } from './logs.js';

const DISK_KILOBYTES = 256;
const WHAT = 'a disk that does not cut off';

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
    const disk = await openLog(folder, { limits: { segmentBytes } });
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
    expect(cuts.map(({ count }) => count)).toEqual(rigs.map(({ length }) => length));
    expect(cuts.slice(0, -1).map(({ number }) => number)).toEqual(told.cuts);
  }),
);

it('LQ8: what is acknowledged after a full disk refused a segment that was full just then is found again, with its names', () =>
  onSmallDisk('a full disk that refuses the end of a segment and the next one', async (dataDir) => {
    const folder = join(dataDir, 'shares');
    const disk = await openLog(folder, { limits: { segmentBytes: 8_000 } });
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

/** Nothing can be taken off such a file; what has it open already writes as before. Resolves with why there is none. */
function makeAppendOnly(path: string): string | undefined {
  const { status, stderr, error } = spawnSync('chattr', ['+a', path], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

it('a new segment says up to where the one before counts, whose disk refuses to cut off', () =>
  onSmallDisk(WHAT, async (dataDir) => {
    const folder = join(dataDir, 'shares');
    const { log, said } = sayingLog();
    const disk = await openLog(folder, { log });
    const told: Told = { kept: [], refused: [], cuts: [], refusedCuts: 0 };
    const [first] = disk.segments;
    const path = first?.path ?? '';
    const reason = makeAppendOnly(path);
    let makeRoom = async (): Promise<void> => {};
    try {
      if (reason !== undefined) return leftOut(WHAT, reason);
      await appendOf(disk, 'before');
      makeRoom = await fillDisk(dataDir);
      const working = work(disk, told, 'r', 40);
      await expect.poll(() => said).toEqual(['shares are refused: they cannot be kept']);
      // The disk takes neither less nor more: until it does one of the two nobody is answered.
      expect((await stat(path)).size).toBeGreaterThan(first?.bytes ?? 0);
      expect(told.refused).toEqual([]);
      await makeRoom();
      await working;
      await appendOf(disk, 'after');
    } finally {
      await makeRoom();
      await disk.close();
    }
    expect(told.refused.length).toBeGreaterThan(0);
    expect((await entriesIn(folder)).rigs.flat()).toEqual(['before', ...told.kept, 'after']);
    // Without the word of the new segment, some of what was refused would count.
    const beyond: string[] = [];
    readRecords((await readFile(path)).subarray(first?.bytes), { share: () => void beyond.push('share') });
    expect(beyond).not.toEqual([]);
  }));
