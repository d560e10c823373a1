import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Places } from '../../src/assembly/fleet/places.js';
import type { Site } from '../../src/assembly/site.js';
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { temporaryFolder } from '../helpers/folder.js';

it('gives fronts their places all or none: one that cannot be had takes no other with it', async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  // Nobody is there: numbers come later.
  const away = { connectionString: 'postgres://127.0.0.1:1/none', waits: true };
  const ledger = await openLedger({ ...away, log: SILENT });
  const places = new Places({ config: { dataDir }, log: SILENT } as Site, {
    ledger,
    numbered: () => undefined,
  });
  const inTheWay = join(dataDir, 'fronts', '2', 'instance.json');
  await mkdir(inTheWay, { recursive: true });
  await expect(places.take(2)).rejects.toThrow('EISDIR');
  expect(places.has(1)).toBe(false);
  await rm(inTheWay, { recursive: true });
  expect(await places.take(2)).toEqual([1, 2]);
  await places.close();
  await ledger.close();
});
