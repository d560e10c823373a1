import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { poolName } from '../../src/rig/wire.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { loadConfig } from '../helpers/stories/load-config.js';

it('C15: keygen keeps the secret key in a file for nobody else, and never over another', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'account.json');
  const made = await runHere('keygen', ['--out', file]);
  const kept = await readFile(file, 'utf8');
  const { account, secretKey } = JSON.parse(kept) as Record<string, string>;
  expect([made.code, JSON.parse(made.text)]).toEqual([0, { account, file }]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(made.text).not.toContain(secretKey);
  const again = await runHere('keygen', ['--out', file]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')]);
  expect(await readFile(file, 'utf8')).toBe(kept);
  expect((await runHere('keygen', ['--help'])).text).toContain('keygen --out account.json');
  // Where a link stands nothing is written through it.
  const link = join(folder.path, 'link.json');
  await symlink(join(folder.path, 'elsewhere'), link);
  expect((await runHere('keygen', ['--out', link])).code).toBe(1);
  const nowhere = join(folder.path, 'none', 'account.json');
  const missing = await runHere('keygen', ['--out', nowhere]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    `stratum-bridge: there is no folder ${join(folder.path, 'none')}: make it, or name another with --out\n`,
  ]);
  expect((await readdir(folder.path)).sort()).toEqual(['account.json', 'link.json']);
});

it('C15: on a terminal keygen says what it wrote and where, or how to keep what it shows', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'account.json');
  const written = await runHere('keygen', ['--out', file], {}, { columns: 80 });
  const { account, secretKey } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  expect(written.text).toMatch(
    new RegExp(`^account  ${account}\n\nIts keys are in ${file}, which only you can read`),
  );
  expect(written.text).not.toContain(secretKey);
  const shown = await runHere('keygen', [], {}, { columns: 80 });
  expect(shown.text).toContain('`keygen --out FILE`');
  expect(shown.text).not.toContain(' > ');
});

it.each(['ws', 'wss', 'tcp', 'tls', 'ssl', 'stratum+tcp', 'stratum+tls', 'stratum+ssl'])(
  'C15: a rig takes %s:// for a pool',
  (scheme) => {
    const urls = [`${scheme}://pool:1917`];
    expect(loadConfig(RIG_COMMAND_SETTINGS, { argv: ['--urls', ...urls] }).config['rig.urls']).toEqual(urls);
  },
);

it('C18: a rig names a pool without who logs in, and refuses what is no pool', async () => {
  expect(poolName(new URL('ws://me:S3cret@pool:1918/x'))).toBe('ws://pool:1918/x');
  expect(poolName(new URL('stratum+tcp://me:S3cret@pool:1917'))).toBe('stratum+tcp://pool:1917');
  const { code, stderr } = await runHere('rig', ['--urls', 'http://me:S3cret@pool', '--user', 'a']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('urls: "http://me:***@pool/" (flag --urls)')]);
});
