/** What the page of the room shows is what the code does. */

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/layers/load.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { temporaryFolder } from '../helpers/folder.js';

const PAGE = readFileSync(new URL('../../src/config/README.md', import.meta.url), 'utf8');

describe('the page of the room', () => {
  it('walks with a value as the value goes', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'bridge.yaml');
    const load = async (value: string) => {
      await writeFile(path, `stratum: {limits: {ban: ${value}}}\n`);
      return loadConfig(BRIDGE_SETTINGS, { flags: { config: path } });
    };
    const { config, written } = await load('5m');
    expect([config['stratum.limits.ban'], written['stratum.limits.ban']]).toEqual([300_000, '5m']);
    expect(PAGE).toContain("`config['stratum.limits.ban'] === 300_000`");
    const fault = await load('5x').catch((error: Error) => error.message);
    expect(PAGE).toContain(`\n       ${String(fault).replace(path, 'bridge.yaml')}\n`);
  });

  it('names each of its folders', () => {
    for (const folder of ['layers', 'show']) expect(PAGE).toContain(`| \`${folder}/\` |`);
  });
});
