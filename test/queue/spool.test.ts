import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { readRecords, Spool } from '../../src/queue/spool.js';
import { withTemporaryFolder } from '../helpers/postgres.js';

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
      const path = join(folder, '000001.spool');
      const bytes = await readFile(path);
      for (let length = bytes.length - 1; length >= 13; length--) {
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
      const path = join(folder, '000001.spool');
      const bytes = await readFile(path);
      bytes[8 + 3 + 8] = 0x58;
      await writeFile(path, bytes);
      const again = await Spool.open(folder, SILENT);
      expect(await drain(again)).toEqual(['one', 'three']);
      expect(await readdir(folder)).toEqual(['000001.spool.broken']);
      await again.close();
    }));

  it('refuses what goes beyond its size, and takes more when some was given back', () =>
    withTemporaryFolder(async (folder) => {
      const spool = await Spool.open(folder, SILENT, { totalBytes: 100, fileBytes: 50 });
      await spool.append('x'.repeat(40));
      await spool.append('y'.repeat(40));
      await expect(spool.append('z')).rejects.toMatchObject({ code: 'spool-full' });
      expect(await drain(spool)).toHaveLength(2);
      await spool.append('z');
      await spool.close();
    }));

  it('reads any bytes without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readRecords(Buffer.from(bytes)).records.length).toBeLessThanOrEqual(25);
      }),
    );
  });
});
