/** The command line as a person meets it: help, errors that say what to do, exit codes. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/commands.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { runProgram, startProgram } from '../helpers/processes/program.js';
import { serveHttp } from '../helpers/web/http.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const OFF = ['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', 'off'];
/** Nobody answers there, so that no PostgreSQL has to be made for what is not about it. */
const NO_DATABASE = ['--ledger-database-url', 'postgres://127.0.0.1:1/x'];

describe('help', () => {
  it('lists the commands, and has a page for each', async () => {
    const { text, code } = await runProgram(['--help']);
    expect(code).toBe(0);
    const names = Object.keys(COMMANDS);
    expect(Array.from(text.matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name)).toEqual(names);
    for (const name of names) {
      const { code, text } = await runHere(name, ['--help']);
      expect([code, text]).toEqual([0, expect.stringContaining(`Usage: stratum-bridge ${name}`)]);
    }
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await runProgram(['--version'])).text).toBe(version);
  });
});

describe('bad input', () => {
  it.each([
    [
      ['dance'],
      /no command "dance"; there are demo, serve, .*\n.*`stratum-bridge --help` lists the commands/,
    ],
    [['config', '--nonsense', '1'], /--nonsense/],
  ])('%j is told what is wrong, with exit code 2 of the process', async (args, expected) => {
    const { code, stderr } = await runProgram(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
  });

  it.each([
    [
      ['serve', '--cpu-mode', 'fast'],
      /cpu\.mode: "fast" \(flag --cpu-mode\) is none of fallback, always, off, simulation/,
    ],
    [['serve'], /miner\.account is not set: give --miner-account/],
    [['serve', '--miner-account', 'bob'], /miner\.publicKeys: none is known for the account "bob"/],
    [['rig', '--user', 'a.b'], /--urls is needed/],
    [['rig', '--urls', 'ws://127.0.0.1:1'], /--user is needed/],
    [
      ['rig', '--urls', 'http://x', '--user', 'a'],
      /urls: "http:\/\/x" \(flag --urls\) is no URL that begins with ws:/,
    ],
    [['node', '--listen', 'nowhere'], /listen: "nowhere" \(flag --listen\) is no address/],
  ] as const)('%j is told what is wrong, with exit code 2', async ([name, ...args], expected) => {
    const { code, stderr } = await runHere(name, args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
  });

  it('C11: refuses a variable that is no setting, and none of what a cluster sets', async () => {
    const { code, stderr } = await runHere('config', [], {
      STRATUM_BRIDGE_TCP: '1',
      STRATUM_BRIDGE_SERVICE_HOST: '10.0.0.1',
    });
    expect(stderr).toContain(
      'variable STRATUM_BRIDGE_TCP is no setting; did you mean STRATUM_BRIDGE_STRATUM_TCP?',
    );
    expect(code).toBe(2);
  });

  it.each(['constructor', 'toString', '__proto__'])('C18: %s is no command', async (name) => {
    const { code, stderr } = await runHere(name, []);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no command "${name}"`)]);
  });
});

describe('what cannot be started', () => {
  it('says which port is taken', async () => {
    await using folder = await temporaryFolder();
    await using server = await serveHttp(() => {});
    const { host } = new URL(server.url);
    const settings = [
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      '--cpu-mode',
      'off',
      '--stratum-ws',
      'off',
    ];
    const common = ['serve', ...settings, ...NO_DATABASE];
    const stratum = await runProgram([...common, '--web-listen', 'off', '--stratum-tcp', host]);
    expect(stratum.stderr).toContain(
      `cannot listen for rigs (port tcp, ${host}): another program uses this port`,
    );
    const web = await runProgram([...common, '--stratum-tcp', 'off', '--web-listen', host]);
    expect(web.stderr).toMatch(/EADDRINUSE.*another program uses this port/);
    const node = await runProgram(['node', '--listen', host]);
    expect(node.stderr).toMatch(/EADDRINUSE.*another program uses this port/);
    expect([stratum.code, web.code, node.code]).toEqual([1, 1, 1]);
  });

  it('C13: says when the data directory is in use, is no directory, or cannot be written', async () => {
    await using folder = await temporaryFolder();
    const inUse = join(folder.path, 'used');
    const serveIn = (dataDir: string) => [
      'serve',
      ...['--miner-account', ACCOUNT, '--data-dir', dataDir, '--cpu-mode', 'off', ...OFF, ...NO_DATABASE],
    ];
    await using first = startProgram(serveIn(inUse));
    await first.ready();
    const second = await runProgram(serveIn(inUse));
    expect(second.stderr).toContain(
      `dataDir: "${inUse}" (flag --data-dir) cannot be used: ${join(inUse, '0')} is in use`,
    );
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const noFolder = await runProgram(serveIn(join(file, 'x')));
    expect(noFolder.stderr).toMatch(/^stratum-bridge: .*file/);
    expect(noFolder.stderr).not.toMatch(/^\s+at /m);
    expect([second.code, noFolder.code]).toEqual([1, 1]);
    const node = await runProgram(['node', '--listen', '127.0.0.1:0', '--data-dir', '/proc/x/data']);
    expect(node.stderr).toContain('/proc/x cannot be made: /proc takes no new folder');
    if (process.getuid?.() === 0) return; // root writes everywhere
    const locked = join(folder.path, 'locked');
    await mkdir(locked);
    await chmod(locked, 0o500);
    const refused = await runProgram(serveIn(locked));
    expect(refused.stderr).toMatch(/may not be written/);
  });

  it('says when the database is away, to who does not wait for it', async () => {
    const database = ['--ledger-database-url', 'postgres://me:secret@127.0.0.1:1/x'];
    const { stderr, code } = await runHere('ledger', ['accounts', ...database]);
    expect(stderr).toMatch(/ECONNREFUSED.*does the database run/);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(1);
  });
});

describe('keygen', () => {
  it('makes a key pair whose parts belong together, another one each time', async () => {
    const make = async () => JSON.parse((await runHere('keygen', [])).text) as Record<string, string>;
    const [one, other] = [await make(), await make()];
    const { account, publicKey, secretKey } = one;
    expect(account).toBe(`k:${publicKey}`);
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/);
    const pkcs8 = Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      Buffer.from(secretKey ?? '', 'hex'),
    ]);
    const { x } = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).export({
      format: 'jwk',
    });
    expect(Buffer.from(x ?? '', 'base64url').toString('hex')).toBe(publicKey);
    expect(other['secretKey']).not.toBe(secretKey);
  });
});

describe('config', () => {
  it('shows each value with its source, and hides passwords', async () => {
    const { text, code } = await runHere('config', ['--queue-redis-url', 'redis://:hunter2@r'], {
      STRATUM_BRIDGE_LOG_LEVEL: 'warn',
    });
    expect(code).toBe(0);
    expect(text).not.toContain('hunter2');
    const shown = JSON.parse(text.replaceAll('\n', ''));
    expect(shown['log.level']).toEqual({ value: 'warn', source: 'variable STRATUM_BRIDGE_LOG_LEVEL' });
    expect(shown['queue.redisUrl']).toEqual({ value: 'redis://:***@r', source: 'flag --queue-redis-url' });
  });

  it('writes a commented file', async () => {
    const { text } = await runHere('config', ['--defaults']);
    expect(text).toBe(
      readFileSync(new URL('../../config/stratum-bridge.yaml', import.meta.url), 'utf8').trimEnd(),
    );
  });
});

describe('doctor', () => {
  const ports = ['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--web-listen', 'off'];

  it('finds a good setup good', async () => {
    await using folder = await temporaryFolder();
    const node = await startDevNode();
    const { code, text } = await runProgram([
      'doctor',
      '--node-urls',
      node.url,
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      // Fewer than this process may open files, wherever the test runs.
      ...['--stratum-limits-connections', '100', '--stratum-limits-connections-per-address', '100'],
      ...ports,
    ]);
    const { works, findings } = JSON.parse(text);
    expect(findings.filter((finding: { state: string }) => finding.state !== 'good')).toEqual([]);
    expect([works, code]).toEqual([true, 0]);
    await node.close();
  });

  it('says what to do about each fault', async () => {
    await using folder = await temporaryFolder();
    await using server = await serveHttp((request, response) => {
      const info = { nodeVersion: 'mainnet01', nodeApiVersion: '0.0', nodeNumberOfChains: 20 };
      if (request.url === '/info')
        return void response.setHeader('x-server-timestamp', '1000').end(JSON.stringify(info));
      if (request.url?.endsWith('/info'))
        return void response.setHeader('x-server-timestamp', '1000').end(JSON.stringify(info));
      response.writeHead(403).end('Unauthorized Miner: k:cd');
    });
    const args = [
      '--node-urls',
      server.url,
      '--node-urls',
      'http://127.0.0.1:1',
      '--queue-redis-url',
      'redis://127.0.0.1:1',
      '--stratum-tcp',
      new URL(server.url).host,
    ];
    const { code, text } = await runHere('doctor', [
      ...args,
      '--stratum-ws',
      'off',
      '--web-listen',
      'off',
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
    ]);
    expect(code).toBe(1);
    const said = JSON.parse(text)
      .findings.map(
        ({ state, what, detail, advice }: Record<string, string>) =>
          `${state} ${what}: ${detail} ${advice ?? ''}`,
      )
      .join('\n');
    expect(said).toMatch(
      /^fault .*mining for k:cd.*not authorised \(Unauthorized Miner: k:cd\): add the account/m,
    );
    expect(said).toMatch(/^warning .*clock: this machine is \d+ s ahead keep both clocks right/m);
    expect(said).toMatch(/^fault node http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.* is the node running/m);
    expect(said).toMatch(/^fault stratum\.tcp: .*EADDRINUSE.* stop what uses it/m);
    expect(said).toMatch(/^fault queue \(Redis\): .*ECONNREFUSED.* is this URL right, and does Redis run/m);
    expect(said).toMatch(/^good database \(embedded\)/m);
  });
});
