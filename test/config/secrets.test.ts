/** Secrets in files that variables name. */

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { ConfigError } from '../../src/config/layers/config-error.js';
import { environmentName, fileVariableName } from '../../src/config/names.js';
import { BRIDGE_SETTINGS, EVERY_SETTING } from '../../src/config/settings.js';
import { effectiveAsJson, showEffective } from '../../src/config/show/show.js';
import { temporaryFolder } from '../helpers/folder.js';
import { type LineInput, loadConfig } from '../helpers/stories/load-config.js';

const URL_VARIABLE = 'STRATUM_BRIDGE_LEDGER_DATABASE_URL';
const URL = 'postgres://pool:S3cret@db/books';

async function inFile(content: string, variable: string, env: NonNullable<LineInput['env']> = {}) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  await writeFile(path, content);
  const input = { env: { ...env, [`${variable}_FILE`]: path } };
  return { path, loaded: loadConfig(BRIDGE_SETTINGS, input), rig: loadConfig(RIG_COMMAND_SETTINGS, input) };
}

function problemsOf(env: NonNullable<LineInput['env']>): string {
  try {
    loadConfig(BRIDGE_SETTINGS, { env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return expect.fail('no problem was found');
}

it('WB8: of a command no argument is shown: passwords stand among them', () => {
  const key = 'cpu.command';
  const { config, ...loaded } = loadConfig(BRIDGE_SETTINGS, {
    env: { [environmentName(key)]: '/usr/bin/sign --password S3cret' },
  });
  expect(config[key]).toEqual(['/usr/bin/sign', '--password', 'S3cret']);
  const shown = showEffective(BRIDGE_SETTINGS, { config, ...loaded });
  expect(shown).toContain(`${key} = "/usr/bin/sign ***"`);
  expect(shown + JSON.stringify(effectiveAsJson(BRIDGE_SETTINGS, { config, ...loaded }))).not.toContain(
    'S3cret',
  );
});

describe('a secret in a file', () => {
  it('is read without the end of its line, shown with the file, and not shown itself', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const { path, loaded } = await inFile(`${URL}${end}`, URL_VARIABLE);
      expect(loaded.config['ledger.databaseUrl']).toBe(URL);
      expect(loaded.sources['ledger.databaseUrl']).toBe(`file ${path} (variable ${URL_VARIABLE}_FILE)`);
      const shown =
        showEffective(BRIDGE_SETTINGS, loaded) + JSON.stringify(effectiveAsJson(BRIDGE_SETTINGS, loaded));
      expect(shown).not.toContain('S3cret');
    }
  });

  it('keeps all else that it holds', async () => {
    const passwords = await inFile('{"alice": " a=b,c\\n"}\n\n', 'STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS');
    expect(passwords.loaded.config['stratum.accounts.passwords']).toEqual({ alice: ' a=b,c\n' });
    const nodes = await inFile('http://u:a,b@one:1,two:2\n', 'STRATUM_BRIDGE_NODE_URLS');
    expect(nodes.loaded.config['node.urls']).toEqual(['http://u:a,b@one:1', 'http://two:2']);
    const { rig } = await inFile('S3cret\n', 'STRATUM_BRIDGE_RIG_PASSWORD');
    expect(rig.config['rig.password']).toBe('S3cret');
  });

  it('is of every setting that is secret, and of no other', () => {
    const secret = Object.keys(EVERY_SETTING).filter((key) =>
      fileVariableName(key, EVERY_SETTING[key] ?? {}),
    );
    expect(secret.sort()).toEqual([
      'alerts.targets',
      'cpu.command',
      'ledger.databaseUrl',
      'node.urls',
      'payouts.signer.command',
      'queue.redisUrl',
      'rig.password',
      'rig.urls',
      'stratum.accounts.passwords',
      'stratum.ports',
      'web.tokens',
    ]);
    const env = { STRATUM_BRIDGE_STRATUM_TLS_CERTIFICATE: 'cert.pem' };
    expect(loadConfig(BRIDGE_SETTINGS, { env }).config['stratum.tls.certificate']).toBe('cert.pem');
    expect(problemsOf({ STRATUM_BRIDGE_DATA_DIR_FILE: '/x' })).toBe(
      'variable STRATUM_BRIDGE_DATA_DIR_FILE is none: only secrets are read from files, and dataDir is not one; give the value itself in STRATUM_BRIDGE_DATA_DIR',
    );
  });

  it('beside the variable itself is a mistake that names both', async () => {
    await expect(inFile(URL, URL_VARIABLE, { [URL_VARIABLE]: URL })).rejects.toThrow(
      `ledger.databaseUrl: variable ${URL_VARIABLE}_FILE is set by ${URL_VARIABLE}, too: keep one of them`,
    );
  });

  it('that cannot be had is said in a sentence', async () => {
    const variable = `${URL_VARIABLE}_FILE`;
    const says = (env: NonNullable<LineInput['env']>, expected: string) =>
      expect(problemsOf(env)).toBe(`ledger.databaseUrl: variable ${variable} cannot be used: ${expected}`);
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'secret');
    says({ [variable]: path }, `there is no file ${path}: is the path right?`);
    says({ [variable]: folder.path }, `${folder.path} is a folder, and a file is needed`);
    await writeFile(path, '\n');
    says({ [variable]: path }, `${path} is empty, and a secret is needed`);
    await writeFile(path, 'x'.repeat(1_000_001));
    says({ [variable]: path }, `${path} is too long for a secret`);
    await writeFile(path, 'mysql://me:S3cret@db');
    expect(problemsOf({ [variable]: path })).toMatch(
      /^ledger\.databaseUrl: "mysql:\/\/me:\*\*\*@db" \(file .*secret \(variable .*_FILE\)\) is no URL/,
    );
    if (process.getuid?.() === 0) return; // root may read everything
    await chmod(path, 0o000);
    says({ [variable]: path }, `${path} may not be read: give this user the right to`);
  });

  it('is none where the variable is empty', () => {
    const env = { [`${URL_VARIABLE}_FILE`]: '', [URL_VARIABLE]: URL };
    expect(loadConfig(BRIDGE_SETTINGS, { env }).config['ledger.databaseUrl']).toBe(URL);
  });

  it('is left alone by a command that does not take it', async () => {
    const { loaded } = await inFile('S3cret', environmentName('rig.password'));
    expect(loaded.sources['rig.password' as never]).toBeUndefined();
  });
});
