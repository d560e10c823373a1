import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/layers/config-error.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { effectiveAsJson, showEffective } from '../../src/config/show/show.js';
import { KNOWN_AGENTS } from '../../src/stratum/settings/known-agents.js';
import { parseListenAddress } from '../../src/values/addresses.js';
import { parseDifficulty } from '../../src/values/numbers.js';
import { type LineInput, loadConfig } from '../helpers/stories/load-config.js';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(input: Partial<LineInput>) {
  return loadConfig(BRIDGE_SETTINGS, { argv: [], ...input });
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(input: Partial<LineInput>): readonly string[] {
  try {
    load(input);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return expect.fail('no problem was found');
}

describe('merging', () => {
  it('prefers flags over environment over file over defaults, and names each source', () => {
    const path = file('a.yaml', 'dataDir: /file\nlog:\n  level: warn\nstratum.tcp: off\ncpu: {threads: 3}\n');
    const env = { STRATUM_BRIDGE_DATA_DIR: '/env', STRATUM_BRIDGE_LOG_LEVEL: 'error', PATH: '/bin' };
    const { config, sources } = load({ argv: ['--config', path, '--data-dir', '/flag'], env });
    expect(config).toMatchObject({
      dataDir: '/flag',
      'log.level': 'error',
      'stratum.tcp': 'off',
      'cpu.threads': 3,
    });
    expect(sources).toMatchObject({
      dataDir: 'flag --data-dir',
      'log.level': 'variable STRATUM_BRIDGE_LOG_LEVEL',
      'cpu.threads': `file ${path}`,
      'web.listen': 'default',
    });
    expect(config['web.listen']).toEqual({ host: '127.0.0.1', port: 1920 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('takes lists from repeated flags, from commas and from files', () => {
    const urls = ['http://a:1848', 'http://b:1848'];
    expect(
      load({ argv: ['--node-urls', urls[0] ?? '', '--node-urls', urls[1] ?? ''] }).config['node.urls'],
    ).toEqual(urls);
    expect(load({ env: { STRATUM_BRIDGE_NODE_URLS: urls.join(',') } }).config['node.urls']).toEqual(urls);
    const path = file('list.json', JSON.stringify({ node: { urls } }));
    expect(load({ env: { STRATUM_BRIDGE_CONFIG: path } }).config['node.urls']).toEqual(urls);
  });

  it('reads names, origins and addresses of the web', () => {
    const read = (...argv: string[]) => load({ argv }).config;
    expect(read('--web-hosts', 'Pool.Example', '--web-hosts', 'a')['web.hosts']).toEqual([
      'pool.example',
      'a',
    ]);
    const origins = ['https://pool.example', 'http://127.0.0.1:3000', '*'];
    expect(read(...origins.flatMap((each) => ['--web-origins', each]))['web.origins']).toEqual(origins);
    const proxies = ['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', '::1'];
    expect(read(...proxies.flatMap((each) => ['--web-proxies', each]))['web.proxies']).toEqual(proxies);
    for (const none of ['10.0.0.0/0', '10.0.0/8', 'loopback', '10.0.0.0/8/8', 'fe80::1%eth0', '::/129'])
      expect(() => read('--web-proxies', none)).toThrow('is no address or prefix');
  });

  it('tells what is wrong with tokens, and shows none', () => {
    const problemOf = (tokens: object | string) => {
      const text = typeof tokens === 'string' ? tokens : JSON.stringify(tokens);
      const [problem = ''] = problemsOf({ env: { STRATUM_BRIDGE_WEB_TOKENS: text } });
      expect(problem).toMatch(/^web\.tokens\b.* \(variable STRATUM_BRIDGE_WEB_TOKENS\) /);
      expect(problem).not.toContain('hunter');
      return problem;
    };
    const secret = 'hunter2hunter2hunter2';
    for (const none of ['hunter2', 'hunter2 hunter2 hunter2', `hunter${'2'.repeat(600)}`])
      expect(problemOf({ a: { access: 'read', secret: none } })).toContain('has a secret that is none');
    expect(problemOf({ a: { access: 'all', secret } })).toContain('none of read, operate, approve, admin');
    expect(problemOf({ 'a b': { access: 'read', secret } })).toContain('has the name "a b"');
    expect(problemOf({ admin: { access: 'read', secret } })).toContain('choose another name');
    expect(problemOf({ a: { access: 'read', secret }, b: { access: 'admin', secret } })).toContain(
      'one secret for a and b',
    );
    expect(problemOf(`a=${secret}`)).toContain('is no map with access and secret');
    const tokens = { prometheus: { access: 'read', secret: 'A.b-c_d~e+f/0123==' } };
    const env = { STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify(tokens) };
    expect(load({ env }).config['web.tokens']).toEqual(tokens);
  });

  it('reads a share difficulty in each of its forms', () => {
    const of = (text: string) =>
      load({ argv: ['--stratum-share-difficulty', text] }).config['stratum.shareDifficulty'];
    expect([of('vardiff'), of('block'), of('4e12'), of('1000')]).toEqual([
      'vardiff',
      'block',
      4_000_000_000_000n,
      1000n,
    ]);
  });
});

describe('bad input', () => {
  it('names key, value and source of each fault at once', () => {
    const path = file('bad.yaml', 'stratum:\n  tpc: 1\ncpu:\n  mode: fast\n');
    const problems = problemsOf({ argv: ['--config', path, '--stratum-tcp', 'nowhere'] });
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).toContain(
      `stratum.tpc (file ${path}) is no setting; did you mean stratum.tcp?`,
    );
    expect(problems.join('\n')).toContain('stratum.tcp: "nowhere" (flag --stratum-tcp) is no address');
    expect(problems.join('\n')).toContain(
      `cpu.mode: "fast" (file ${path}) is none of fallback, always, off, simulation`,
    );
  });

  it.each([
    [
      ['--cpu-threads', '2000'],
      /cpu\.threads: "2000" \(flag --cpu-threads\) is no whole number from 0 to 1024/,
    ],
    [
      ['--node-urls', 'http://x/?apikey=a'],
      /node\.urls: "http:\/\/x\/\?apikey=\*+" .* has a part behind \? or #/,
    ],
    [
      ['--node-urls', 'ftp://x'],
      /node\.urls: "ftp:\/\/x" \(flag --node-urls\) is no URL of a node: host:port, or one/,
    ],
    [['--miner-public-keys', 'AB'], /miner\.publicKeys: "AB".* is no public key of 64/],
    [['--stratum-share-difficulty', '0'], /is none of vardiff, block, or a number/],
    [
      ['--web-hosts', 'https://pool.example'],
      /web\.hosts: "https:.*" .* is no host name such as pool\.example/,
    ],
    [['--web-origins', 'https://pool.example/'], /web\.origins: "https:.*" .* is no origin such as https:/],
    [['--web-proxies', '10.0.0.0/40'], /web\.proxies: "10\.0\.0\.0\/40" .* is no address or prefix/],
    [['--data-dir', ''], /dataDir: "".* is empty/],
    [['--nonsense'], /--nonsense/],
    [
      ['--config', '/does/not/exist'],
      /file \/does\/not\/exist cannot be read: there is no file \/does\/not\/exist: is the path right\?/,
    ],
  ])('refuses %j', (argv, expected) => {
    expect(problemsOf({ argv }).join('\n')).toMatch(expected);
  });

  it('knows addresses and difficulties', () => {
    expect(parseListenAddress('[::1]:80')).toEqual({ host: '::1', port: 80 });
    expect(parseListenAddress(':80')).toEqual({ host: '127.0.0.1', port: 80 });
    expect(parseListenAddress('80', '0.0.0.0')).toEqual({ host: '0.0.0.0', port: 80 });
    for (const text of ['a:b:80', 'x', '1:70000', '']) expect(parseListenAddress(text)).toBeUndefined();
    for (const text of ['0', '-1', '1.5', 'x', '1e99']) expect(parseDifficulty(text)).toBeUndefined();
  });
});

describe('what is written twice', () => {
  it('reads quirks of agents before those that are known, as a list, as JSON or as floors', () => {
    const mine = { agent: 'Kdaminer/2', floor: '2T', alwaysClean: false, authorizeAnswer: [], note: 'ours' };
    const read = [{ ...mine, floor: 2e12 }, ...KNOWN_AGENTS];
    const path = file('agents.json', JSON.stringify({ 'stratum.agents': [mine] }));
    const STRATUM_BRIDGE_STRATUM_AGENTS = JSON.stringify([mine, ...KNOWN_AGENTS]);
    for (const input of [{ argv: ['--config', path] }, { env: { STRATUM_BRIDGE_STRATUM_AGENTS } }])
      expect(load(input).config['stratum.agents']).toEqual(read);
    expect(load({}).config['stratum.agents']).toEqual(KNOWN_AGENTS);
  });

  it.each([
    ['[{"floor": 5}]', 'has a fault in agent 1: agent is missing, or no text'],
    ['[{"agent": "a"}, {"agent": "b", "clean": true}]', 'has a fault in agent 2: it has no key clean'],
    ['[{"agent": "a", "alwaysClean": "x"}]', 'alwaysClean is neither true nor false'],
    ['[{"agent": "a", "authorizeAnswer": false}]', 'authorizeAnswer is neither true nor []'],
    ['[{"agent": "a", "floor": "5x"}]', 'has a fault in agent 1: floor is no number'],
    ['[5]', 'has a fault in agent 1: it is no map of names to values'],
    ['[{', 'is no list of agents'],
    ['kd', 'has a fault in agent 1: it is no map of names to values'],
  ])('stratum.agents says what is wrong with %s', (STRATUM_BRIDGE_STRATUM_AGENTS, says) => {
    expect(problemsOf({ env: { STRATUM_BRIDGE_STRATUM_AGENTS } }).join()).toContain(says);
  });

  it('reads maps and commands', () => {
    const argv = [
      '--stratum-agents',
      'KD=1e12',
      '--stratum-agents',
      'x=5',
      '--cpu-command',
      'miner --gpu "a b"',
    ];
    expect(load({ argv }).config).toMatchObject({
      'stratum.agents': [{ agent: 'KD', floor: 1e12 }, { agent: 'x', floor: 5 }, ...KNOWN_AGENTS],
      'cpu.command': ['miner', '--gpu', 'a b'],
    });
    const path = file(
      'map.yaml',
      'stratum:\n  accounts:\n    mode: password\n    passwords:\n      k:ab*: hunter2\n',
    );
    const loaded = load({ argv: ['--config', path] });
    expect(loaded.config['stratum.accounts.passwords']).toEqual({ 'k:ab*': 'hunter2' });
    expect(showEffective(BRIDGE_SETTINGS, loaded)).not.toContain('hunter2');
    expect(problemsOf({ argv: ['--stratum-accounts-passwords', 'hunter2'] }).join()).not.toContain('hunter2');
  });
});

describe('showing', () => {
  it('WB51: fits a terminal, says each key and source, and cuts nothing without one', () => {
    const loaded = load({ argv: ['--ledger-database-url', `postgres://db/${'x'.repeat(200)}`] });
    const [narrow, whole] = [
      showEffective(BRIDGE_SETTINGS, loaded, 80),
      showEffective(BRIDGE_SETTINGS, loaded),
    ];
    const lines = narrow.split('\n');
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(lines.map((line) => line.split(' = ', 1)[0])).toEqual(Object.keys(BRIDGE_SETTINGS));
    expect(narrow).toMatch(/^ledger\.databaseUrl = "postgres:.*x… {2}\(flag --ledger-database-url\)$/m);
    expect(narrow).toMatch(/^stratum\.tcp = "0\.0\.0\.0:1917" {2}\(default\)$/m);
    expect(whole).toContain(
      `ledger.databaseUrl = "postgres://db/${'x'.repeat(200)}"  (flag --ledger-database-url)`,
    );
    expect(whole).not.toContain('…');
  });

  it('hides passwords', () => {
    const argv = [
      '--ledger-database-url',
      'postgres://me:secret@db/books',
      '--queue-redis-url',
      'redis://:secret@r:6379',
    ];
    const loaded = load({ argv });
    const shown =
      showEffective(BRIDGE_SETTINGS, loaded) + JSON.stringify(effectiveAsJson(BRIDGE_SETTINGS, loaded));
    expect(shown).not.toContain('secret');
    expect(shown).toContain('postgres://me:***@db/books');
    expect(problemsOf({ argv: ['--ledger-database-url', 'mysql://me:secret@db'] }).join()).not.toContain(
      'secret',
    );
  });
});
