import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../src/files/make-folder.js';
import { temporaryFolder } from '../helpers/folder.js';

it('makes a folder with those above it, and leaves one that is there as it is', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'a/b/c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o755);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

it('says so where a file stands in the way', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'x'))).toThrow('ENOTDIR');
});

it.runIf(process.platform === 'linux')('refuses a folder below one that takes none', () => {
  expect(() => makeFolder('/proc/stratum-bridge/data')).toThrow(
    '/proc/stratum-bridge cannot be made: /proc takes no new folder; choose another one',
  );
});
