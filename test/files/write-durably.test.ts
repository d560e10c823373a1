/** Files that are there whole, or not at all. */
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lockBridgeFolder } from '../../src/files/bridge-folders.js';
import { writeDurably } from '../../src/files/write-durably.js';
import { temporaryFolder } from '../helpers/folder.js';

it('what was being written when a bridge was killed is gone at its next start, and nothing else', async () => {
  await using folder = await temporaryFolder();
  await writeDurably(join(folder.path, 'orders.json'), '{}');
  for (const name of ['orders.json.4711.new', 'brand.new']) await writeFile(join(folder.path, name), 'half');
  lockBridgeFolder(folder.path).release();
  const left = readdirSync(folder.path);
  expect(left).toEqual(expect.arrayContaining(['brand.new', 'orders.json']));
  expect(left.filter((name) => name.endsWith('.new'))).toEqual(['brand.new']);
});
