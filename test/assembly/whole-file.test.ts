import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeDurably } from '../../src/files/write-durably.js';
import { withSmallDisk } from '../helpers/processes/small-disk.js';

it('X2: a file that does not fit on the disk is no file, and the one of before stays', async () => {
  const reason = await withSmallDisk(async (folder) => {
    const path = join(folder, 'payout.csv');
    await writeDurably(path, ['before']);
    await expect(writeDurably(path, ['x'.repeat(100_000)])).rejects.toMatchObject({ code: 'ENOSPC' });
    expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['payout.csv'], 'before']);
  });
  if (reason !== undefined) process.stderr.write(`LEFT OUT: a file on a full disk, because ${reason}\n`);
});
