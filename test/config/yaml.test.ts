/** Files of settings that `config` writes: read again, they say the same. */

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECKED_SETTINGS } from '../../src/commands/config/settings.js';
import { NODE_SETTINGS } from '../../src/commands/node/settings.js';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { environmentName } from '../../src/config/names.js';
import { EVERY_SETTING } from '../../src/config/settings.js';
import { defaultsAsYaml, minimalAsYaml } from '../../src/config/show/yaml.js';
import { KNOWN_AGENTS } from '../../src/stratum/settings/known-agents.js';
import type { Setting } from '../../src/values/setting.js';
import { temporaryFolder } from '../helpers/folder.js';
import { type LineInput, loadConfig } from '../helpers/stories/load-config.js';

const COMMITTED = new URL('../../config/stratum-bridge.yaml', import.meta.url);

/** As every command reads it. */
async function read(content: string, env: NonNullable<LineInput['env']> = {}) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'written.yaml');
  await writeFile(path, content);
  const input = { argv: ['--config', path], env };
  return [CHECKED_SETTINGS, RIG_COMMAND_SETTINGS, NODE_SETTINGS].map(
    (table) => loadConfig(table, input).config,
  );
}

describe('a file of defaults', () => {
  const yaml = defaultsAsYaml(EVERY_SETTING);

  it('is read as exactly the defaults, by each command', async () => {
    expect(await read(yaml)).toEqual(
      [CHECKED_SETTINGS, RIG_COMMAND_SETTINGS, NODE_SETTINGS].map((table) => loadConfig(table, {}).config),
    );
  });

  it('is nested to the last word of each key, each with its help', () => {
    const tree = parse(yaml) as Record<string, unknown>;
    expect(tree).toMatchObject({
      stratum: { limits: { profile: 'farm', connections: 'auto' }, vardiff: { min: 65_536 } },
    });
    expect(yaml).not.toMatch(/^ *[\w-]+\.[\w.-]+:/m);
    const text = yaml.replace(/\n *# /g, ' ');
    expect(text).toContain('Where rigs connect over TCP, or off. A bare port uses the default host.');
    expect(text).toContain('How long a ban lasts. auto: as the profile has it. (live)');
  });

  it('is the committed one', () => {
    expect(readFileSync(COMMITTED, 'utf8')).toBe(yaml);
  });
});

describe('a file of what differs', () => {
  const minimal = (input: LineInput) => {
    const loaded = loadConfig(CHECKED_SETTINGS, input);
    return { loaded, yaml: minimalAsYaml(EVERY_SETTING, loaded) };
  };

  it('is a comment where nothing does', async () => {
    const { yaml, loaded } = minimal({
      argv: ['--queue-recorder', '--queue-entries', '10000', '--stratum-tcp', '1917'],
    });
    expect(yaml).toBe('# What differs from the defaults. Use it with --config FILE.\n');
    expect((await read(yaml))[0]).toEqual(loaded.config);
  });

  it('holds values of every kind as a file has them, and no secret', async () => {
    const SECRETS = {
      STRATUM_BRIDGE_LEDGER_DATABASE_URL: 'postgres://pool:S3cret@db/books',
      STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS: '{"alice":"S3cret"}',
      STRATUM_BRIDGE_RIG_PASSWORD: 'S3cret',
    };
    const argv = [
      ...[
        '--stratum-tcp',
        '3333',
        '--stratum-ws',
        'off',
        '--no-queue-recorder',
        '--rewards-fee',
        '1.5%',
        '--cpu-block-delay',
        '10s',
      ],
      ...['--node-urls', 'a:1', '--node-urls', 'https://b:2', '--instance', '7'],
      ...[
        '--stratum-agents',
        'KD=1T',
        '--rewards-schedule',
        '0=2.5',
        '--stratum-share-difficulty',
        '1e30',
        '--stratum-accounts-mode',
        'password',
      ],
    ];
    const env = {
      ...SECRETS,
      STRATUM_BRIDGE_RIG_URLS: 'ws://a:1,tcp://b:2',
      STRATUM_BRIDGE_DEVNODE_MINING: 'true',
    };
    const { yaml, loaded } = minimal({ argv, env });
    expect(yaml).not.toContain('S3cret');
    expect(yaml).toMatch(
      /^# ledger\.databaseUrl: set elsewhere, .* STRATUM_BRIDGE_LEDGER_DATABASE_URL or STRATUM_BRIDGE_LEDGER_DATABASE_URL_FILE\.$/m,
    );
    expect(yaml).toMatch(/^# stratum\.accounts\.passwords: set elsewhere/m);
    expect(parse(yaml)).toMatchObject({
      node: { urls: ['http://a:1', 'https://b:2'] },
      queue: { recorder: false },
      stratum: { agents: [{ agent: 'KD', floor: 1e12 }, ...KNOWN_AGENTS], tcp: 3333 },
      rewards: { fee: '1.5%' },
      cpu: { blockDelay: '10s' },
      instance: 7,
      rig: { urls: ['ws://a:1', 'tcp://b:2'] },
      devnode: { mining: true },
    });
    expect(parse(yaml)).not.toHaveProperty('web');
    const [again, rig, devnode] = await read(yaml, SECRETS);
    expect(again).toEqual(loaded.config);
    expect(rig).toMatchObject({ 'rig.urls': ['ws://a:1', 'tcp://b:2'], 'rig.password': 'S3cret' });
    expect(devnode).toMatchObject({ 'devnode.mining': true });
  });

  it('says the same again of every setting, given as a variable in another way than by default', async () => {
    const given = Object.entries(EVERY_SETTING).map(([key, setting]) => ({
      key,
      setting,
      text: another(setting),
    }));
    expect(given.filter(({ text }) => text === undefined).map(({ key }) => key)).toEqual([]);
    const env = Object.fromEntries(given.map(({ key, text }) => [environmentName(key), text]));
    const loaded = loadConfig(CHECKED_SETTINGS, { env });
    const yaml = minimalAsYaml(EVERY_SETTING, loaded);
    const hidden = given.filter(({ key }) => yaml.includes(`# ${key}: set elsewhere`));
    expect(hidden.map(({ key }) => key)).toEqual([
      'stratum.accounts.passwords',
      'web.tokens',
      'alerts.targets',
      'rig.password',
    ]);
    const apart = Object.fromEntries(hidden.map(({ key, text }) => [environmentName(key), text]));
    expect((await read(yaml, apart))[0]).toEqual(loaded.config);
  });
});

/** Of what settings take, one for each kind at least. */
const WRITTEN = [
  'someone=3%',
  '[{"name":"ops","type":"slack","url":"https://hooks.example/S3cret"}]',
  '{"ops":{"access":"read","secret":"S3cret-S3cret-S3cret"}}',
  'diskLow',
  'name=high,listen=3334,start=1P',
  ...[
    '7',
    '2026-11-01',
    './own.json',
    '1234567',
    '70000',
    '7s',
    '150MiB',
    '3%',
    '4T',
    '127.0.0.1:7',
    '192.0.2.7',
    'localhost:7',
    'ab'.repeat(32),
    `k:${'ab'.repeat(32)}=5`,
    '2.5x',
    '0=1.5',
    '40d',
    '2h',
  ],
  ...[
    'https://a.example',
    'http://a:7,http://b:8',
    'ws://a:7,tcp://b:8',
    'redis://a:7',
    'postgres://a:7/x',
    'miner --gpu "a b"',
    'every 2h',
    'alice=7',
    'a,b',
  ],
];

/** A text that the setting takes and that is not its default. */
function another({ type, default: byDefault, choices = [] }: Setting): string | undefined {
  const reader = type(byDefault);
  const usual = reader.parse(byDefault);
  return [...choices, ...WRITTEN, 'true', 'false'].find((text) => {
    const read = reader.safeParse(text);
    return read.success && !isDeepStrictEqual(read.data, usual);
  });
}
