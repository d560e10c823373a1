/** The share log on real disks: what was acknowledged is there after whatever comes, what was refused never is. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { LogReader } from '../../../src/queue/log/reading.js';
import { CUT_PAIR_BYTES, nameBytes } from '../../../src/queue/log/records.js';
import { readFormerLogs } from '../../../src/queue/log/recovery.js';
import { removeSegment } from '../../../src/queue/log/segments.js';
import { withTemporaryFolder } from '../../helpers/books/postgres.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';
import { appendOf, entriesIn, openLog, sayingLog } from './logs.js';

describe('the share log', () => {
  it('gives back what it took, entry by entry, over many segments', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder, { limits: { segmentBytes: 700 } });
      const names = Array.from({ length: 60 }, (_, i) => `r${i % 9}`);
      for (const [i, rig] of names.entries()) {
        await appendOf(disk, rig);
        if (i % 20 === 19) await disk.cut();
      }
      await appendOf(disk, 'tail');
      const numbers = disk.segments.length;
      await disk.close();
      expect(numbers).toBeGreaterThan(4);
      const { cuts, rigs } = await entriesIn(folder);
      expect(rigs).toEqual([names.slice(0, 20), names.slice(20, 40), names.slice(40), ['tail']]);
      expect(cuts.map(({ number, ownShares, shares, ends }) => [number, ownShares, shares, ends])).toEqual([
        [1, 20, 20, false],
        [2, 20, 40, false],
        [3, 20, 60, false],
        [4, 1, 61, true],
      ]);
      expect(cuts.at(-1)?.work).toBe(61_000n);
    }));

  it('ends a log once: a last cut of its own is the end', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder);
      await appendOf(disk, 'a');
      await disk.cut(true);
      await disk.close();
      const { cuts } = await entriesIn(folder);
      expect(cuts.map(({ number, ends }) => [number, ends])).toEqual([[1, true]]);
    }));

  it('counts nothing as of before the last watermark, whatever a clock says', () =>
    withTemporaryFolder(async (folder) => {
      let nowMs = 1_700_000_000_000;
      const disk = await openLog(folder, { nowMs: () => nowMs });
      await append(disk, makeShare({ acceptedAtMs: nowMs - 1000 }));
      const first = await disk.cut();
      nowMs -= 3_600_000;
      await append(disk, makeShare({ acceptedAtMs: nowMs }));
      const second = await disk.cut();
      await disk.close();
      expect([first.watermarkMs, second.watermarkMs]).toEqual([1_700_000_000_000, 1_700_000_000_000]);
      const [former] = await readFormerLogs(folder, SILENT);
      const times: number[] = [];
      await new LogReader().read(former?.segments ?? [], first.from, second.to, {
        share: (_, { acceptedAtMs }) => void times.push(acceptedAtMs),
      });
      expect(times).toEqual([1_699_999_999_000, 1_700_000_000_000]);
    }));

  it('LQ10: has the names of what it writes to in memory, and reads those of a full segment from its file', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder, { limits: { segmentBytes: 2_000 } });
      for (let i = 0; i < 100; i++) await appendOf(disk, `r${i % 9}`);
      const { from, to } = await disk.cut();
      const [open, ...full] = disk.segments.toReversed();
      expect(open?.names?.length).toBeGreaterThan(0);
      expect(full.length).toBeGreaterThan(2);
      expect(full.map(({ names }) => names)).toEqual(full.map(() => undefined));
      const rigs: string[] = [];
      await new LogReader().read(disk.segments, from, to, { share: ({ rig }) => void rigs.push(rig) });
      expect(rigs).toEqual(Array.from({ length: 100 }, (_, i) => `r${i % 9}`));
      await disk.close();
      const formers = (await readFormerLogs(folder, SILENT)).flatMap(({ segments }) => segments);
      expect(formers.map(({ names }) => names)).toEqual(formers.map(() => undefined));
    }));

  it('LQ10: holds more than the names of its rigs in a segment, however many they are', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder, { limits: { segmentBytes: 20_000 } });
      for (let round = 0; round < 8; round++)
        await Promise.all(Array.from({ length: 1_000 }, (_, i) => appendOf(disk, `rig${i}`)));
      await disk.close();
      const nameCopies = 2 * 1_000 * nameBytes({ account: makeShare().account, rig: 'rig999' });
      for (const { bytes } of disk.segments.slice(0, -1)) expect(bytes).toBeGreaterThan(3 * nameCopies);
      expect(disk.segments.length).toBeLessThan(4);
    }));

  it('LQ10: makes no segment so large that a log is full before it has one that can go', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder, { limits: { segmentBytes: 2_000, totalBytes: 80_000 } });
      for (let i = 0; i < 300; i++) await appendOf(disk, `rig${i}`);
      await disk.close();
      for (const { bytes } of disk.segments) expect(bytes).toBeLessThan(11_000);
    }));

  it('writes in one group what came while the last one was synced', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder);
      const onDisk: number[] = [];
      const kept = Array.from({ length: 500 }, (_, i) =>
        appendOf(disk, `r${i}`).then(() => void onDisk.push(disk.shares)),
      );
      await Promise.all(kept);
      expect(new Set(onDisk)).toEqual(new Set([500]));
      expect(disk.shares).toBe(500);
      await disk.close();
      expect((await entriesIn(folder)).rigs[0]).toHaveLength(500);
    }));

  it(
    'B12: loses one share to one damaged record, wherever it is, and keeps the segment aside',
    () =>
      withTemporaryFolder(async (folder) => {
        const disk = await openLog(join(folder, 'whole'));
        for (const rig of ['a', 'b', 'c']) {
          await appendOf(disk, rig);
          await disk.cut();
        }
        const [segment] = disk.segments;
        await disk.close();
        const whole = await readFile(segment?.path ?? '');
        const damaged = join(folder, 'damaged');
        await mkdir(damaged);
        const path = join(damaged, segment?.path.split('/').at(-1) ?? '');
        for (let at = 0; at < whole.length; at += 3) {
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ 0x40;
          await writeFile(path, bytes);
          const { rigs, cuts } = await entriesIn(damaged);
          expect([at, cuts.slice(0, 3).map(({ number }) => number)]).toEqual([at, [1, 2, 3]]);
          const lost = rigs.map((names, i) => (names.join() === ['a', 'b', 'c'][i] ? 0 : 1) as number);
          expect(lost.slice(0, 3).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1);
          expect(rigs.flat().length).toBeGreaterThanOrEqual(2);
        }
        const bytes = Buffer.from(whole);
        await writeFile(path, bytes.fill(0x58, 100, 102));
        const [former] = await readFormerLogs(damaged, SILENT);
        expect(former?.segments[0]?.isDamaged).toBe(true);
        for (const one of former?.segments ?? []) await removeSegment(one);
        expect((await readdir(damaged)).map((name) => name.replace(/^.*shares/, 'shares'))).toEqual([
          'shares.broken',
        ]);
      }),
    60_000,
  );

  it('B12: tells the shares of two entries apart although both copies of the cut between them are damaged', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder);
      await appendOf(disk, 'a');
      await disk.cut();
      await appendOf(disk, 'b');
      const second = await disk.cut();
      await appendOf(disk, 'c');
      await disk.cut();
      const [segment] = disk.segments;
      await disk.close();
      const bytes = await readFile(segment?.path ?? '');
      bytes.fill(0x58, second.to.offset, second.to.offset + 160);
      await writeFile(segment?.path ?? '', bytes);
      const { rigs, cuts } = await entriesIn(folder);
      expect(rigs.slice(0, 3)).toEqual([['a'], ['b'], ['c']]);
      expect(cuts.slice(0, 3).map(({ number, ownShares }) => [number, ownShares])).toEqual([
        [1, 1],
        [2, 1],
        [3, 1],
      ]);
    }));

  it.each([
    ['more came after it', ['c'], [['a'], ['b'], ['c']]],
    ['nothing came after it', [], [['a'], ['b'], []]],
  ])(
    'B12: gives the shares of the last cut its number although both of its copies are damaged: %s',
    (_what, after, entries) =>
      withTemporaryFolder(async (folder) => {
        const disk = await openLog(folder);
        await appendOf(disk, 'a');
        await disk.cut();
        await appendOf(disk, 'b');
        const { to } = await disk.cut();
        for (const rig of after) await appendOf(disk, rig);
        const [segment] = disk.segments;
        await disk.close();
        const bytes = await readFile(segment?.path ?? '');
        bytes.fill(0x58, to.offset, to.offset + CUT_PAIR_BYTES);
        await writeFile(segment?.path ?? '', bytes);
        // What is booked under its number is not asked for again, and what came after has one of its own.
        const { rigs, cuts } = await entriesIn(folder);
        expect(rigs).toEqual(entries);
        expect(cuts.map(({ number, ownShares, ends }) => [number, ownShares, ends])).toEqual([
          [1, 1, false],
          [2, 1, false],
          [3, after.length, true],
        ]);
      }),
  );

  it('X11: keeps every broken segment under a name of its own', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, `${randomUUID()}-000001.shares`);
      for (let round = 1; round <= 3; round++) {
        await writeFile(path, `round ${round}`);
        const { log, said } = sayingLog();
        expect(await readFormerLogs(folder, log)).toEqual([]);
        expect(said.at(-1)).toContain('kept as .broken');
      }
      const names = (await readdir(folder)).map((name) => name.replace(/^.*shares/, '')).sort();
      expect(names).toEqual(['.broken', '.broken-2', '.broken-3']);
    }));

  it('refuses what goes beyond its size, and takes more when some has gone', () =>
    withTemporaryFolder(async (folder) => {
      const { log, said } = sayingLog();
      const disk = await openLog(folder, { log, limits: { totalBytes: 2000, segmentBytes: 500 } });
      const fill = async (): Promise<void> => {
        for (let i = 0; i < 100; i++) await appendOf(disk, 'r');
      };
      await expect(fill()).rejects.toMatchObject({ code: 'log-full' });
      expect(disk.bytes).toBeLessThan(2100);
      expect(said).toEqual(['shares are refused: they cannot be kept']);
      for (const segment of disk.segments.filter(({ handle }) => handle === undefined)) {
        disk.booked(segment.bytes);
        await disk.remove(segment);
      }
      await appendOf(disk, 'r');
      await disk.close();
      await expect(appendOf(disk, 'r')).rejects.toMatchObject({ code: 'closed' });
    }));

  it('X3: writes a removed segment anew before it says that a share is kept', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'shares');
      const { log, said } = sayingLog();
      const disk = await openLog(folder, { log });
      await appendOf(disk, 'one');
      await rm(folder, { recursive: true });
      await appendOf(disk, 'two');
      expect(said).toEqual([expect.stringContaining('removed a segment')]);
      expect((await entriesIn(folder)).rigs.flat()).toEqual(['one', 'two']);
      await disk.close();
    }));

  it('X3: loses nothing that a removed segment held while the disk takes no new one, and refuses what comes', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'shares');
      const disk = await openLog(folder);
      await appendOf(disk, 'one');
      await rm(folder, { recursive: true });
      await writeFile(folder, 'in the way');
      for (const rig of ['two', 'three'])
        await expect(appendOf(disk, rig)).rejects.toMatchObject({ code: 'log-broken' });
      await rm(folder);
      await appendOf(disk, 'four');
      expect((await entriesIn(folder)).rigs.flat()).toEqual(['one', 'four']);
      await disk.close();
    }));

  it('X3: writes at its end what was removed since, or says that it is lost', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'shares');
      const { log, said } = sayingLog();
      const disk = await openLog(folder, { log });
      await appendOf(disk, 'one');
      await rm(folder, { recursive: true });
      await disk.close();
      expect((await entriesIn(folder)).rigs.flat()).toEqual(['one']);
      const next = await openLog(join(dataDir, 'other'), { log });
      await appendOf(next, 'two');
      await rm(join(dataDir, 'other'), { recursive: true });
      await writeFile(join(dataDir, 'other'), 'in the way');
      await next.close();
      expect(said.at(-1)).toContain('are lost');
    }));

  it('leaves a log of a later version alone, aloud', () =>
    withTemporaryFolder(async (folder) => {
      const disk = await openLog(folder);
      await appendOf(disk, 'a');
      const [segment] = disk.segments;
      await disk.close();
      const { RecordWriter } = await import('../../../src/queue/log/records.js');
      const writer = new RecordWriter(100);
      writer.segment({ version: 2, log: disk.id, number: 1 });
      await writeFile(segment?.path ?? '', writer.written);
      const { log, said } = sayingLog();
      expect(await readFormerLogs(folder, log)).toEqual([]);
      expect(said).toEqual([expect.stringContaining('later version')]);
      expect(await readdir(folder)).toHaveLength(1);
    }));
});
