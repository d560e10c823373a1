import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../src/core/log.js';
import { Spool } from '../../src/queue/spool.js';
import { encodeRecord, readRecords } from '../../src/queue/spool-records.js';
import { withTemporaryFolder } from '../helpers/postgres.js';

async function onlyFile(folder: string): Promise<string> {
  const [name = ''] = await readdir(folder);
  return join(folder, name);
}

/** A record of version 0.1. */
function oldRecord(text: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

function sayingLog(): { log: Log; said: { words: string; entries?: number }[] } {
  const said: { words: string; entries?: number }[] = [];
  const error = (fields: object, words: string): void => void said.push({ ...fields, words });
  return { said, log: { ...SILENT, error } };
}

async function drain(spool: Spool): Promise<string[]> {
  const records: string[] = [];
  for (let file = await spool.oldest(); file; file = await spool.oldest()) {
    records.push(...file.records);
    await spool.remove(file.number);
  }
  return records;
}

describe('spool', () => {
  it('gives back what it took, in order, over many files and a restart', () =>
    withTemporaryFolder(async (folder) => {
      const limits = { totalBytes: 100_000, fileBytes: 200 };
      const first = await Spool.open(folder, SILENT, limits);
      const texts = Array.from({ length: 50 }, (_, i) => `record ${i} ünïcode`);
      for (const text of texts.slice(0, 25)) await first.append(text);
      await first.close();
      const second = await Spool.open(folder, SILENT, limits);
      expect(second.records).toBe(25);
      await Promise.all(texts.slice(25).map((text) => second.append(text)));
      expect((await readdir(folder)).length).toBeGreaterThan(5);
      expect(await drain(second)).toEqual(texts);
      expect([second.records, second.bytes, await readdir(folder)]).toEqual([0, 0, []]);
      await second.append('again');
      expect(await drain(second)).toEqual(['again']);
      await second.close();
    }));

  it('gives a file back again when it was not removed', () =>
    withTemporaryFolder(async (folder) => {
      const first = await Spool.open(folder, SILENT);
      await first.append('a');
      await first.oldest();
      await first.append('b');
      await first.close();
      const second = await Spool.open(folder, SILENT);
      expect(await drain(second)).toEqual(['a', 'b']);
      await second.close();
    }));

  it('leaves out a record that was torn at the end, wherever the tear is', () =>
    withTemporaryFolder(async (folder) => {
      const spool = await Spool.open(folder, SILENT);
      await spool.append('whole');
      await spool.append('torn');
      await spool.close();
      const path = await onlyFile(folder);
      const bytes = await readFile(path);
      for (let length = bytes.length - 1; length >= 17; length--) {
        await truncate(path, length);
        const again = await Spool.open(folder, SILENT);
        expect((await again.oldest())?.records).toEqual(['whole']);
        await again.close();
      }
      await appendFile(path, Buffer.alloc(4096));
      expect(readRecords(await readFile(path))).toEqual({ records: ['whole'], damage: 'end' });
    }));

  it('keeps a file with a damaged record aside and gives back the others', () =>
    withTemporaryFolder(async (folder) => {
      const spool = await Spool.open(folder, SILENT);
      for (const text of ['one', 'two', 'three']) await spool.append(text);
      await spool.close();
      const path = await onlyFile(folder);
      const bytes = await readFile(path);
      bytes[12 + 3 + 12] = 0x58;
      await writeFile(path, bytes);
      const again = await Spool.open(folder, SILENT);
      expect(await drain(again)).toEqual(['one', 'three']);
      expect(await readdir(folder)).toEqual([basename(`${path}.broken`)]);
      await again.close();
    }));

  it('refuses what goes beyond its size, and takes more when some was given back', () =>
    withTemporaryFolder(async (folder) => {
      const spool = await Spool.open(folder, SILENT, { totalBytes: 110, fileBytes: 55 });
      await spool.append('x'.repeat(40));
      await spool.append('y'.repeat(40));
      await expect(spool.append('z')).rejects.toMatchObject({ code: 'spool-full' });
      expect(await drain(spool)).toHaveLength(2);
      await spool.append('z');
      await spool.close();
    }));

  it('B12: loses a damaged record alone, wherever the damage is, and keeps the file', () => {
    const texts = ['one', 'two zwei', 'three'];
    const records = texts.map(encodeRecord);
    const bytes = Buffer.concat(records);
    const second = records[0]?.length ?? 0;
    const third = second + (records[1]?.length ?? 0);
    for (let at = second; at < third; at++) {
      for (const value of [0, 0xff, 0x58]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        if (damaged.equals(bytes)) continue;
        expect([at, value, readRecords(damaged)]).toEqual([
          at,
          value,
          { records: ['one', 'three'], damage: 'inside' },
        ]);
      }
    }
    const zeroed = Buffer.from(bytes).fill(0, second, third);
    expect(readRecords(zeroed)).toEqual({ records: ['one', 'three'], damage: 'inside' });
    const headless = Buffer.from(bytes).fill(0x58, 0, second);
    expect(readRecords(headless)).toEqual({ records: ['two zwei', 'three'], damage: 'inside' });
    for (let at = 0; at < 12; at++) {
      const alone = Buffer.from(records[0] ?? []);
      alone[at] = 0x58 ^ (alone[at] ?? 0);
      expect(readRecords(alone).records).toEqual([]);
    }
  });

  it('B12: keeps a file of its own that ends too soon', () =>
    withTemporaryFolder(async (folder) => {
      const { log, said } = sayingLog();
      const spool = await Spool.open(folder, log, { totalBytes: 1000, fileBytes: 40 });
      for (const text of ['first', 'second', 'third']) await spool.append(text);
      const [name = ''] = (await readdir(folder)).sort();
      await truncate(join(folder, name), 20);
      expect(await drain(spool)).toEqual(['first', 'third']);
      expect(await readdir(folder)).toEqual([`${name}.broken`]);
      expect(said).toMatchObject([{ words: expect.stringContaining('damaged') }]);
      await spool.close();
    }));

  it('B12: reads what version 0.1 left', () => {
    const bytes = Buffer.concat([oldRecord('a'), oldRecord('b')]);
    expect(readRecords(bytes)).toEqual({ records: ['a', 'b'], damage: 'none' });
    expect(readRecords(bytes.subarray(0, -1))).toEqual({ records: ['a'], damage: 'end' });
    expect(readRecords(bytes.subarray(0, 6))).toEqual({ records: [], damage: 'end' });
  });

  it('X11: keeps every broken file under a name of its own', () =>
    withTemporaryFolder(async (folder) => {
      for (let round = 1; round <= 3; round++) {
        const spool = await Spool.open(folder, SILENT, undefined, () => 1);
        await spool.append(`round ${round}`);
        await spool.append('good');
        const path = join(folder, '000001.spool');
        const bytes = await readFile(path);
        await writeFile(path, bytes.fill(0x58, 12, 14));
        expect(await drain(spool)).toEqual(['good']);
        await spool.append('later');
        expect(await readdir(folder)).toContain('000002.spool');
        await drain(spool);
        await spool.close();
      }
      const names = ['000001.spool.broken', '000001.spool.broken-2', '000001.spool.broken-3'];
      expect((await readdir(folder)).sort()).toEqual(names);
      for (const [i, name] of names.entries())
        expect(await readFile(join(folder, name), 'latin1')).toContain(`und ${i + 1}`);
    }));

  it('X3: writes what a removed file held into a new one before it says that it is kept', () =>
    withTemporaryFolder(async (folder) => {
      const { log, said } = sayingLog();
      const spool = await Spool.open(folder, log);
      await spool.append('one');
      await rm(folder, { recursive: true });
      await spool.append('two');
      expect(said).toMatchObject([{ entries: 2, words: expect.stringContaining('removed by somebody') }]);
      const next = await Spool.open(folder, SILENT);
      expect(await drain(next)).toEqual(['one', 'two']);
      await spool.close();
    }));

  it('X3: loses nothing that a removed file held while the disk takes no new one', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'spool');
      const spool = await Spool.open(folder, SILENT);
      await spool.append('one');
      await rm(folder, { recursive: true });
      await writeFile(folder, 'in the way');
      for (const text of ['two', 'three'])
        await expect(spool.append(text)).rejects.toMatchObject({ code: 'spool-broken' });
      expect(spool.records).toBe(1);
      expect((await spool.oldest())?.records).toEqual(['one']);
      await rm(folder);
      await spool.append('four');
      const next = await Spool.open(folder, SILENT);
      expect(await drain(next)).toEqual(['one', 'four']);
      await spool.close();
    }));

  it('X3: writes at its end what was removed since', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'spool');
      const { log, said } = sayingLog();
      const spool = await Spool.open(folder, log);
      await spool.append('one');
      await rm(folder, { recursive: true });
      await spool.close();
      const next = await Spool.open(folder, log);
      expect(await drain(next)).toEqual(['one']);
      await next.append('two');
      await rm(folder, { recursive: true });
      await writeFile(folder, 'in the way');
      await next.close();
      expect(said).toMatchObject([{ entries: 1, words: expect.stringContaining('its shares are lost') }]);
    }));

  it('X3: says that a file is missing, leaves it out and goes on', () =>
    withTemporaryFolder(async (folder) => {
      const { log, said } = sayingLog();
      const spool = await Spool.open(folder, log, { totalBytes: 1000, fileBytes: 20 });
      for (const text of ['first', 'second', 'third']) await spool.append(text);
      const names = (await readdir(folder)).sort();
      for (const name of names) await rm(join(folder, name));
      // The one that is open is read whatever became of its name.
      expect(await drain(spool)).toEqual(['third']);
      expect(said.map(({ entries }) => entries)).toEqual([1, 1]);
      expect([spool.records, spool.bytes]).toEqual([0, 0]);
      await spool.close();
    }));

  it.skipIf(process.platform === 'win32')('A10: lets nobody else look into its folder', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'spool');
      await mkdir(folder, { mode: 0o755 });
      await (await Spool.open(folder, SILENT)).close();
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }),
  );

  it('reads any bytes without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readRecords(Buffer.from(bytes)).records.length).toBeLessThanOrEqual(25);
      }),
    );
  });
});
