import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command as keygen } from '../../src/commands/keygen.js';
import { RIG_SETTINGS, command as rig } from '../../src/commands/rig.js';
import { loadConfig } from '../../src/config/load.js';
import { poolName } from '../../src/rig/wire.js';
import { runHere } from '../helpers/command.js';
import { temporaryFolder } from '../helpers/folder.js';

it('C15: keygen keeps the secret key in a file for nobody else, and never over another', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'account.json');
  const made = await runHere('keygen', keygen, ['--out', file]);
  const kept = await readFile(file, 'utf8');
  const { account, secretKey } = JSON.parse(kept) as Record<string, string>;
  expect([made.code, JSON.parse(made.text)]).toEqual([0, { account, file }]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(made.text).not.toContain(secretKey);
  const again = await runHere('keygen', keygen, ['--out', file]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')]);
  expect(await readFile(file, 'utf8')).toBe(kept);
  expect(keygen.help()).toContain('keygen --out account.json');
});

it.each(['ws', 'wss', 'tcp', 'tls', 'ssl', 'stratum+tcp', 'stratum+tls', 'stratum+ssl'])(
  'C15: a rig takes %s:// for a pool',
  (scheme) => {
    const urls = [`${scheme}://pool:1917`];
    expect(loadConfig(RIG_SETTINGS, { argv: ['--url', ...urls] }).config.urls).toEqual(urls);
  },
);

it('C18: a rig names a pool without who logs in, and refuses what is no pool', async () => {
  expect(poolName(new URL('ws://me:S3cret@pool:1918/x'))).toBe('ws://pool:1918/x');
  expect(poolName(new URL('stratum+tcp://me:S3cret@pool:1917'))).toBe('stratum+tcp://pool:1917');
  const { code, stderr } = await runHere('rig', rig, ['--url', 'http://me:S3cret@pool', '--user', 'a']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('urls: "http://me:***@pool/" (flag --url)')]);
});
