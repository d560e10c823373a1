/** What operators write: secrets that hold any character, names that are none, files that are no settings. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, type LoadInput, loadConfig } from '../../src/config/load.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { effectiveAsJson } from '../../src/config/show.js';

const folder = mkdtempSync(join(tmpdir(), 'config-given-'));
afterAll(() => rmSync(folder, { recursive: true }));

const load = (input: Partial<LoadInput>) => loadConfig(BRIDGE_SETTINGS, { argv: [], ...input });

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
  const passwordsOf = (input: Partial<LoadInput>) => load(input).config['stratum.accounts.passwords'];
  const VARIABLE = 'STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS';

  it('C9: a flag is parted at its first =, and not at commas', () => {
    const flags = ['alice=c2VjcmV0=', 'bob=a=b', 'k:ab*=x,y', 'eve= a %b '];
    const argv = flags.flatMap((flag) => ['--account-password', flag]);
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
    expect(problemsOf(() => passwordsOf({ argv: ['--account-password', 'alice='] }))).toContain(
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
      const { config } = load({ argv: [`--${BRIDGE_SETTINGS[key].flag}`, `${scheme}://me:a%25b@host:1/x`] });
      expect([config[key]].flat()).toEqual([`${scheme}://me:a%25b@host:1/x`]);
    },
  );
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
    expect(load({ env }).warnings).toEqual([]);
  });

  it.each([
    ['DATABASE_URL', 'LEDGER_DATABASE_URL'],
    ['REDIS_URL', 'QUEUE_REDIS_URL'],
    ['NODE_URL', 'NODE_URLS'],
    ['MINER_ACOUNT', 'MINER_ACCOUNT'],
    ['FEE', 'REWARDS_FEE_BASIS_POINTS'],
    ['STRATUM_VARDIF_MIN_DIFFICULTY', 'STRATUM_VARDIFF_MIN_DIFFICULTY'],
  ])('C11: STRATUM_BRIDGE_%s is warned of, with what was meant', (given, meant) => {
    const { warnings } = load({ env: { [`STRATUM_BRIDGE_${given}`]: 'secret' } });
    expect(warnings).toEqual([
      `variable STRATUM_BRIDGE_${given} is no setting, so it is not read; did you mean STRATUM_BRIDGE_${meant}?`,
    ]);
  });

  it('C11: no advice is better than a wrong one', () => {
    const { warnings } = load({ env: { STRATUM_BRIDGE_GREETING: 'hello' } });
    expect(warnings).toEqual([expect.not.stringContaining('did you mean')]);
  });
});

describe('C13: addresses', () => {
  it('C13: host:port is a node', () => {
    const urls = (...nodes: string[]) =>
      load({ argv: nodes.flatMap((node) => ['--node', node]) }).config['node.urls'];
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
      ['--node', 'http://a:1', '--node', 'ftp://me:S3cret@b'],
      'node.urls: "ftp://me:***@b/" (flag --node) is no URL of a node',
    ],
    [
      ['--database-url', 'mysql://me:S3cret@db'],
      'ledger.databaseUrl: "mysql://me:***@db" (flag --database-url) is no URL that begins with postgres:// or postgresql://',
    ],
    [
      ['--redis-url', 'localhost:6379'],
      'queue.redisUrl: "localhost:6379" (flag --redis-url) is no URL that begins with redis://',
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
    const said = problemsOf(() => load({ argv: ['--tcp', given] }));
    expect(said).toBe(`stratum.tcp: "${given}" (flag --tcp) is no address: ${expected}`);
    expect(load({ argv: ['--tcp', '[::1]:1917'] }).config['stratum.tcp']).toEqual({
      host: '::1',
      port: 1917,
    });
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

  it.each(['constructor', 'toString', '__proto__'])('C18: %s is no setting', (key) => {
    expect(problemsOf(fromFile(`${JSON.stringify(key)}: x`).load)).toContain(`${key} (file `);
  });

  it('an empty file sets nothing', () => {
    expect(effectiveAsJson(BRIDGE_SETTINGS, fromFile('# nothing\n').load())).toEqual(
      effectiveAsJson(BRIDGE_SETTINGS, load({})),
    );
  });
});
