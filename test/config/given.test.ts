/** What operators write: secrets that hold any character, names that are none, files that are no settings. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { NODE_SETTINGS } from '../../src/commands/node/settings.js';
import { RECORDER_SETTINGS } from '../../src/commands/recorder/settings.js';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { ConfigError } from '../../src/config/layers/config-error.js';
import { withoutSecrets } from '../../src/config/layers/secrets.js';
import { flagName } from '../../src/config/names.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { effectiveAsJson } from '../../src/config/show/show.js';
import { withDefaults } from '../../src/values/setting.js';
import { type LineInput, loadConfig } from '../helpers/stories/load-config.js';

const folder = mkdtempSync(join(tmpdir(), 'config-given-'));
afterAll(() => rmSync(folder, { recursive: true }));

const load = (input: Partial<LineInput>) => loadConfig(BRIDGE_SETTINGS, { argv: [], ...input });

function fromFile(content: string) {
  const path = join(folder, 'bridge.yaml');
  writeFileSync(path, content);
  return { path, load: () => load({ argv: ['--config', path] }) };
}

function problemsOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return expect.fail('no problem was found');
}

/** What objects of JavaScript have of their own is no name of an account. */
const NAME = fc.string({ minLength: 1 }).filter((name) => !(name in {}));

describe('C9: passwords hold any character', () => {
  const passwordsOf = (input: Partial<LineInput>) => load(input).config['stratum.accounts.passwords'];
  const VARIABLE = 'STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS';

  it('C9: a flag is parted at its first =, and not at commas', () => {
    const flags = ['alice=c2VjcmV0=', 'bob=a=b', 'k:ab*=x,y', 'eve= a %b '];
    const argv = flags.flatMap((flag) => ['--stratum-accounts-passwords', flag]);
    expect(passwordsOf({ argv })).toEqual({
      alice: 'c2VjcmV0=',
      bob: 'a=b',
      'k:ab*': 'x,y',
      eve: ' a %b ',
    });
  });

  it('C9: so is a variable, in which JSON says what commas cannot', () => {
    const plain = { [VARIABLE]: 'alice=c2VjcmV0=,bob=a,b,eve=c%' };
    expect(passwordsOf({ env: plain })).toEqual({ alice: 'c2VjcmV0=', bob: 'a,b', eve: 'c%' });
    fc.assert(
      fc.property(fc.dictionary(NAME, fc.string({ minLength: 1 })), (passwords) => {
        expect(passwordsOf({ env: { [VARIABLE]: JSON.stringify(passwords) } })).toEqual({ ...passwords });
      }),
    );
  });

  it('C9: nobody gets an empty password', () => {
    expect(problemsOf(() => passwordsOf({ argv: ['--stratum-accounts-passwords', 'alice='] }))).toContain(
      'has an empty password',
    );
  });

  it.each(['node.urls', 'queue.redisUrl', 'ledger.databaseUrl'] as const)(
    'C9: a password in %s may hold %%, = and commas',
    (key) => {
      const scheme = { 'node.urls': 'http', 'queue.redisUrl': 'redis', 'ledger.databaseUrl': 'postgres' }[
        key
      ];
      for (const password of ['100%', '%zz', 'a=b', 'a,b', 'a%,=%']) {
        const given = `${scheme}://me:${password}@host:1000/x`;
        const { config } = load({ env: { [`STRATUM_BRIDGE_${envOf[key]}`]: given } });
        const [url] = [config[key]].flat();
        expect(decodeURIComponent(new URL(url ?? '').password)).toBe(password);
      }
      // Written as URLs want it, it is left as it is.
      const { config } = load({ argv: [`--${flagName(key)}`, `${scheme}://me:a%25b@host:1/x`] });
      expect([config[key]].flat()).toEqual([`${scheme}://me:a%25b@host:1/x`]);
    },
  );
});

it.each([
  ['http://S3cret@node:1848', 'http://***@node:1848/'],
  ['https://S3cret:@node', 'https://***@node/'],
  ['https://me:S3cret@node', 'https://me:***@node/'],
  ['http://node:1848', 'http://node:1848'],
  ['postgres://pool@db/books', 'postgres://pool@db/books'],
  [
    'postgres:///books?host=/run/pg&user=me&password=S3cret',
    'postgres:///books?host=%2Frun%2Fpg&user=me&password=***',
  ],
  ['host=db user=me password=S3cret', '***'],
  ['S3cret', '***'],
])('%s is shown as %s', (url, shown) => {
  expect(withoutSecrets({ secret: 'url' }, url)).toBe(shown);
});

it.each([
  ['node,other:1848,http://third:1848', 'node,other:1848,http://third:1848'],
  ['node,http://me:S3,cret@other', '***@other'],
])('several, %s, are shown as %s', (urls, shown) => {
  expect(withoutSecrets({ secret: 'urls' }, [urls])).toEqual([shown]);
});

const envOf = {
  'node.urls': 'NODE_URLS',
  'queue.redisUrl': 'QUEUE_REDIS_URL',
  'ledger.databaseUrl': 'LEDGER_DATABASE_URL',
} as const;

describe('C10: what is misspelt never shows its value', () => {
  it.each([
    ['ledger.databaseurl: postgres://pool:S3cret@db/x', 'did you mean ledger.databaseUrl?'],
    ['stratum.accounts.password: {alice: S3cret}', 'stratum.accounts.password.alice'],
    ['database-url: S3cret', 'did you mean ledger.databaseUrl?'],
    ['stratum.accounts.passwords: {alice: *S3cret}', 'needs quotes'],
    ['stratum.accounts.passwords: {alice: !S3cret}', 'needs quotes'],
    ['ledger.databaseUrl: "://me:S3cret@db"', 'ledger.databaseUrl: "***@db"'],
    ['ledger.databaseUrl: ["postgres://me:S3cret@db"]', 'is no text'],
  ])('C10: %s', (content, expected) => {
    const said = problemsOf(fromFile(content).load);
    expect(said).toContain(expected);
    expect(said).not.toContain('S3cret');
  });
});

describe('C11: variables', () => {
  it('C11: those that Kubernetes and Docker set for a service of this name are passed over', () => {
    const env = {
      STRATUM_BRIDGE_SERVICE_HOST: '10.0.0.1',
      STRATUM_BRIDGE_SERVICE_PORT: '1917',
      STRATUM_BRIDGE_SERVICE_PORT_STRATUM: '1917',
      STRATUM_BRIDGE_PORT: 'tcp://10.0.0.1:1917',
      STRATUM_BRIDGE_PORT_1917_TCP: 'tcp://10.0.0.1:1917',
      STRATUM_BRIDGE_PORT_1917_TCP_PROTO: 'tcp',
      STRATUM_BRIDGE_PORT_1917_TCP_PORT: '1917',
      STRATUM_BRIDGE_PORT_1917_TCP_ADDR: '10.0.0.1',
      STRATUM_BRIDGE_METRICS_SERVICE_HOST: '10.0.0.2',
    };
    expect(() => load({ env })).not.toThrow();
  });

  it.each([
    ['DATABASE_URL', 'LEDGER_DATABASE_URL'],
    ['REDIS_URL', 'QUEUE_REDIS_URL'],
    ['NODE_URL', 'NODE_URLS'],
    ['MINER_ACOUNT', 'MINER_ACCOUNT'],
    ['FEE', 'REWARDS_FEE'],
    ['CONFIG_FILE', 'CONFIG'],
    ['STRATUM_VARDIF_MIN', 'STRATUM_VARDIFF_MIN'],
    ['RETENTION_RIG', 'LEDGER_RETENTION_RIGS'],
  ])('C11: STRATUM_BRIDGE_%s is refused, with what was meant', (given, meant) => {
    expect(() => load({ env: { [`STRATUM_BRIDGE_${given}`]: 'secret' } })).toThrow(
      `variable STRATUM_BRIDGE_${given} is no setting; did you mean STRATUM_BRIDGE_${meant}?`,
    );
  });

  it('C11: no advice is better than a wrong one', () => {
    expect(() => load({ env: { STRATUM_BRIDGE_GREETING: 'hello' } })).toThrow(
      'variable STRATUM_BRIDGE_GREETING is no setting; `stratum-bridge config` lists all',
    );
  });
});

describe('C13: addresses', () => {
  it('C13: host:port is a node', () => {
    const urls = (...nodes: string[]) =>
      load({ argv: nodes.flatMap((node) => ['--node-urls', node]) }).config['node.urls'];
    expect(urls('localhost:1848', '10.0.0.1:80', '[::1]:1848', 'node.example')).toEqual([
      'http://localhost:1848',
      'http://10.0.0.1:80',
      'http://[::1]:1848',
      'http://node.example',
    ]);
    expect(urls('a:1,https://b:2')).toEqual(['http://a:1', 'https://b:2']);
  });

  it.each([
    [
      ['--node-urls', 'http://a:1', '--node-urls', 'ftp://me:S3cret@b'],
      'node.urls: "ftp://me:***@b/" (flag --node-urls) is no URL of a node',
    ],
    [
      ['--ledger-database-url', 'mysql://me:S3cret@db'],
      'ledger.databaseUrl: "mysql://me:***@db" (flag --ledger-database-url) is no URL that begins with postgres:// or postgresql://',
    ],
    [
      ['--queue-redis-url', 'localhost:6379'],
      'queue.redisUrl: "localhost:6379" (flag --queue-redis-url) is no URL that begins with redis://',
    ],
  ])('C13: %j is told with its value', (argv, expected) => {
    const said = problemsOf(() => load({ argv }));
    expect(said).toContain(expected);
    expect(said).not.toContain('S3cret');
  });

  it.each([
    ['::1:1917', 'an IPv6 address stands in brackets, [::1]:1917'],
    ['fe80::1:2:1917', 'an IPv6 address stands in brackets, [fe80::1:2]:1917'],
    ['::1', 'an IPv6 address stands in brackets, [::1]:PORT'],
    ['*:1917', 'all of this machine are 0.0.0.0:1917, and those of IPv6 [::]:1917'],
    ['localhost', 'host:port, for example 0.0.0.0:1917, or off'],
    [':::', 'host:port, for example 0.0.0.0:1917, or off'],
  ])('X14: %s is no address to listen at, and is told which is', (given, expected) => {
    const said = problemsOf(() => load({ argv: ['--stratum-tcp', given] }));
    expect(said).toBe(`stratum.tcp: "${given}" (flag --stratum-tcp) is no address: ${expected}`);
    expect(load({ argv: ['--stratum-tcp', '[::1]:1917'] }).config['stratum.tcp']).toEqual({
      host: '::1',
      port: 1917,
    });
  });

  it('a port alone is where the default of its setting is, also where a command has one of its own', () => {
    const { config } = load({
      argv: ['--stratum-tcp', '3333', '--stratum-ws', ':3334', '--web-listen', '9000'],
    });
    expect(config['stratum.tcp']).toEqual({ host: '0.0.0.0', port: 3333 });
    expect(config['stratum.ws']).toEqual({ host: '0.0.0.0', port: 3334 });
    expect(config['web.listen']).toEqual({ host: '127.0.0.1', port: 9000 });
    const demo = loadConfig(withDefaults(BRIDGE_SETTINGS, { 'stratum.tcp': '127.0.0.1:1917' }), {
      argv: ['--stratum-tcp', '3333'],
    });
    expect(demo.config['stratum.tcp']).toEqual({ host: '127.0.0.1', port: 3333 });
    const recorder = loadConfig(RECORDER_SETTINGS, { argv: ['--web-listen', '9000'] });
    expect(recorder.config['web.listen']).toEqual({ host: '127.0.0.1', port: 9000 });
    const { path } = fromFile('stratum: {tcp: 3333}\n');
    const inFile = load({ argv: ['--config', path] });
    expect(inFile.config['stratum.tcp']).toEqual({ host: '0.0.0.0', port: 3333 });
  });

  it('C7: no node at all is a mistake', () => {
    expect(problemsOf(() => load({ env: { STRATUM_BRIDGE_NODE_URLS: '' } }))).toBe(
      'node.urls: "" (variable STRATUM_BRIDGE_NODE_URLS) names no node',
    );
  });
});

describe('C18: files', () => {
  it('C18: one key twice is a mistake, whichever way it is written', () => {
    const { path, load: loaded } = fromFile('stratum.tcp: "off"\nstratum: {tcp: "127.0.0.1:1"}\n');
    expect(problemsOf(loaded)).toBe(`stratum.tcp (file ${path}) is set twice: keep one of them`);
  });

  it.each(['[]', 'hello', '7'])('C18: %s holds no settings', (content) => {
    expect(problemsOf(fromFile(content).load)).toMatch(/^file .* holds no settings: each is a line/);
  });

  it.each(['constructor', 'toString', '__proto__'])('C18: %s is no setting, at any depth', (key) => {
    const quoted = JSON.stringify(key);
    expect(problemsOf(fromFile(`${quoted}: x`).load)).toContain(`${key} (file `);
    expect(problemsOf(fromFile(`stratum: {${quoted}: {tcp: x}}`).load)).toContain(
      `stratum.${key}.tcp (file `,
    );
    expect(problemsOf(() => load({ env: { [`STRATUM_BRIDGE_${key}`]: 'x' } }))).toContain(
      `STRATUM_BRIDGE_${key} is no setting`,
    );
  });

  it.each(['constructor', 'toString', '__proto__'])('nothing in a map is called %s', (key) => {
    const says = `has the name ${key}, which programs keep for themselves: choose another`;
    const variable = 'STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS';
    const inFile = fromFile(`alerts.rigHashRates: {${JSON.stringify(key)}: 5}`);
    expect(problemsOf(inFile.load)).toContain(says);
    expect(problemsOf(() => load({ argv: ['--alerts-rig-hash-rates', `${key}=5`] }))).toContain(says);
    expect(problemsOf(() => load({ env: { [variable]: `${key}=S3cret` } }))).toContain(says);
    expect(problemsOf(() => load({ env: { [variable]: `{"${key}": "S3cret"}` } }))).toContain(says);
  });

  it('an empty file sets nothing', () => {
    expect(effectiveAsJson(BRIDGE_SETTINGS, fromFile('# nothing\n').load())).toEqual(
      effectiveAsJson(BRIDGE_SETTINGS, load({})),
    );
  });
});

describe('settings of other commands', () => {
  const loadFew = (input: LineInput) => loadConfig({ 'log.level': BRIDGE_SETTINGS['log.level'] }, input);

  it('are passed over in a file and in variables', () => {
    const { path } = fromFile('stratum: {tcp: "off"}\nlog.level: warn\n');
    const env = { STRATUM_BRIDGE_CONFIG: path, STRATUM_BRIDGE_LOG_FORMAT: 'json' };
    expect(loadFew({ env }).config).toEqual({ 'log.level': 'warn' });
  });

  it('one file serves all commands, and a recorder has no address of it', () => {
    const { path } = fromFile(
      'web.listen: "9000"\nrig: {user: me.1, threads: 2}\ndevnode: {mining: true}\nlog.level: warn\n',
    );
    const input = { argv: ['--config', path] };
    expect(load(input).config['web.listen']).toEqual({ host: '127.0.0.1', port: 9000 });
    expect(loadConfig(RIG_COMMAND_SETTINGS, input).config).toMatchObject({
      'rig.threads': 2,
      'log.level': 'warn',
    });
    expect(loadConfig(NODE_SETTINGS, input).config).toMatchObject({ 'devnode.mining': true });
    expect(loadConfig(RECORDER_SETTINGS, input).config['web.listen']).toBe('off');
    const env = { STRATUM_BRIDGE_WEB_LISTEN: '9001' };
    expect(loadConfig(RECORDER_SETTINGS, { ...input, env }).config['web.listen']).toMatchObject({
      port: 9001,
    });
  });

  it('what is of one run stays a flag', () => {
    const { path } = fromFile('benchmark: 5\n');
    expect(problemsOf(() => loadConfig(RIG_COMMAND_SETTINGS, { argv: ['--config', path] }))).toContain(
      'benchmark (file',
    );
    const env = { STRATUM_BRIDGE_BENCHMARK: '5' };
    expect(problemsOf(() => loadConfig(RIG_COMMAND_SETTINGS, { env }))).toContain('BENCHMARK is no setting');
  });

  it('are told from what is a setting of none', () => {
    expect(problemsOf(() => loadFew({ env: { STRATUM_BRIDGE_NOISE: '1' } }))).toContain(
      'STRATUM_BRIDGE_NOISE is no setting',
    );
    const { path } = fromFile('stratum: {noise: 1}\n');
    const told = problemsOf(() => loadFew({ argv: ['--config', path] }));
    expect(told).toContain(`stratum.noise (file ${path}) is no setting`);
  });
});
