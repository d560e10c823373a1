/** Where the certificates of rigs and web come from. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { certificateFiles } from '../../src/assembly/rigs/certificate.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { SILENT } from '../../src/core/names/log.js';
import { temporaryFolder } from '../helpers/folder.js';
import { loadConfig } from '../helpers/stories/load-config.js';

it('makes one self-signed pair for rigs and web, and only where it is asked for', async () => {
  await using folder = await temporaryFolder();
  const load = (...argv: string[]) =>
    loadConfig(BRIDGE_SETTINGS, { argv: ['--data-dir', folder.path, ...argv] }).config;
  const ofRigs = load('--stratum-tls-self-signed');
  expect(await certificateFiles('web', ofRigs, SILENT)).toBeUndefined();
  expect(readdirSync(folder.path)).toEqual([]);
  const ofWeb = load('--web-tls-self-signed');
  const pair = await certificateFiles('web', ofWeb, SILENT);
  expect(pair?.certificateFile).toBe(join(folder.path, 'tls', 'certificate.pem'));
  expect(await certificateFiles('stratum', ofRigs, SILENT)).toEqual(pair);
  expect(await certificateFiles('stratum', ofWeb, SILENT)).toBeUndefined();
});
