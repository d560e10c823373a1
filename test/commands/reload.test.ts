/** SIGHUP where there is no terminal: a service reads its settings again, and says what came of it. */
import { once } from 'node:events';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type DevNode, startDevNode } from '../../src/devnode/dev-node.js';
import { makeSelfSigned } from '../../src/tls/self-signed.js';
import { temporaryFolder } from '../helpers/folder.js';
import { type LogLine, type Program, startProgram } from '../helpers/processes/program.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { until } from '../helpers/until.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;

/** Nobody answers there: what is read again here needs no books. */
const NO_DATABASE = ['--ledger-database-url', 'postgres://127.0.0.1:1/x'];

let node: DevNode;
beforeAll(async () => {
  node = await startDevNode();
});
afterAll(() => node[Symbol.asyncDispose]());

interface Service extends AsyncDisposable {
  readonly program: Program;
  readonly ready: LogLine;
  readonly path: (name: string) => string;
  /** Writes the settings, and resolves with what is said of them, once there is so much. */
  reload(settings: object, lines?: number): Promise<readonly LogLine[]>;
}

/** Up, with these settings in its file. */
async function startService(args: readonly string[], settings: object): Promise<Service> {
  const folder = await temporaryFolder();
  const path = (name: string): string => join(folder.path, name);
  const write = (values: object) => writeFile(path('settings.yaml'), stringify(values));
  await write(settings);
  const program = startProgram([...args, '--config', path('settings.yaml')], {}, folder.path);
  const reloads = (): LogLine[] => program.lines.filter(({ event }) => event === 'reload');
  return {
    program,
    path,
    ready: await program.ready(),
    async reload(values, lines = 1) {
      const from = reloads().length;
      await write(values);
      program.kill('SIGHUP');
      return until('the reload is told of', () => reloads().length >= from + lines && reloads().slice(from));
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function statesOf(lines: readonly LogLine[]): object {
  return Object.fromEntries(lines.map(({ key, state }) => [key, state]));
}

describe('SIGHUP', () => {
  it.each([
    ['node', ['--listen', '127.0.0.1:0']],
    ['rig', ['--urls', 'ws://127.0.0.1:1', '--user', 'a.b', '--threads', '1']],
    ['recorder', NO_DATABASE],
  ])('%s takes another level of its log, and no fault', async (name, args) => {
    await using service = await startService([name, ...args], {});
    const refused = await service.reload({ 'log.level': 'loud' });
    expect(refused).toMatchObject([
      {
        level: 'error',
        state: 'refused',
        problem: expect.stringMatching(/^log\.level: "loud".* is none of/),
      },
    ]);
    // Of a bridge that shares the file.
    const next = { 'log.level': 'debug', 'stratum.limits.connections': 7 };
    expect(statesOf(await service.reload(next))).toEqual({ 'log.level': 'took effect' });
    expect(await service.reload(next)).toMatchObject([{ state: 'unchanged' }]);
    service.program.kill('SIGTERM');
    expect(await service.program.ended).toBe(0);
    expect(service.program.lines.filter(({ level }) => level === 'debug')).not.toEqual([]);
  });

  it('serve takes accounts, limits and bounds of difficulty, and says what wants a restart', async () => {
    const mode = { 'stratum.accounts.mode': 'list' };
    await using bridge = await startBridge({
      ...mode,
      'stratum.accounts.list': ['alice'],
      'log.level': 'debug',
    });
    const rig = await WireRig.connect('tcp', portOf(bridge.ready));
    await rig.request(1, 'mining.subscribe', ['test/1']);
    expect((await rig.request(2, 'mining.authorize', ['bob.r', 'x'])).error?.[0]).toBe(24);
    const next = {
      ...mode,
      'stratum.accounts.list': ['alice', 'bob'],
      'stratum.limits.connections': 7,
      'stratum.vardiff.min': 100_000,
      'queue.entries': 21,
      'log.level': 'info',
    };
    expect(statesOf(await bridge.reload(next, 5))).toEqual({
      'stratum.accounts.list': 'took effect',
      'stratum.limits.connections': 'took effect',
      'stratum.vardiff.min': 'took effect',
      'queue.entries': 'requires a restart',
      'log.level': 'took effect',
    });
    expect((await rig.request(3, 'mining.authorize', ['bob.r', 'x'])).result).toBe(true);
    expect(statesOf(await bridge.reload(next))).toEqual({ 'queue.entries': 'requires a restart' });

    // A fault between settings keeps all of them as they are.
    const refused = await bridge.reload({
      ...next,
      'stratum.accounts.list': [],
      'stratum.limits.connections': 8,
    });
    expect(refused).toMatchObject([
      { state: 'refused', problem: expect.stringMatching(/^stratum\.accounts\.list: .* is empty/) },
    ]);
    expect((await rig.request(4, 'mining.authorize', ['alice.r', 'x'])).result).toBe(true);
    rig.close();
    bridge.program.kill('SIGTERM');
    expect(await bridge.program.ended).toBe(0);
  });

  it('serve tells no secret that has changed', async () => {
    const passwords = (password: string) => ({
      'stratum.accounts.mode': 'password',
      'stratum.accounts.passwords': { alice: password },
      'ledger.databaseUrl': `postgres://me:${password}@127.0.0.1:1/x`,
    });
    await using bridge = await startBridge(passwords('hunter1'));
    const said = await bridge.reload(passwords('hunter2'), 2);
    expect(statesOf(said)).toEqual({
      'stratum.accounts.passwords': 'took effect',
      'ledger.databaseUrl': 'requires a restart',
    });
    expect(JSON.stringify(bridge.program.lines) + bridge.program.stderr()).not.toMatch(/hunter/);
  });

  it('serve reads its certificate again, whatever the time of the file and though no setting has changed', async () => {
    await using folder = await temporaryFolder();
    const files = ['certificate.pem', 'key.pem'].map((name) => join(folder.path, name));
    const [certificateFile = '', privateKeyFile = ''] = files;
    const longAgo = new Date('2020-01-01');
    const writePair = async (serial: number): Promise<void> => {
      const hosts = ['127.0.0.1'];
      const pair = makeSelfSigned({ hosts, nowMs: Date.now(), days: 2, serial: Buffer.alloc(16, serial) });
      await writeFile(certificateFile, pair.certificate);
      await writeFile(privateKeyFile, pair.privateKey, { mode: 0o600 });
      // Who only looks at the time of the files sees no change.
      for (const file of files) await utimes(file, longAgo, longAgo);
    };
    await writePair(1);
    const tls = { certificate: certificateFile, key: privateKeyFile };
    await using bridge = await startBridge({ 'stratum.tls': tls });
    expect(await serialAt(portOf(bridge.ready))).toBe(1);
    await writePair(2);
    expect(await bridge.reload({ 'stratum.tls': tls })).toMatchObject([{ state: 'unchanged' }]);
    expect(await serialAt(portOf(bridge.ready))).toBe(2);
  });
});

/** Without a database: it has a number, so that it lets rigs in. */
async function startBridge(settings: object): Promise<Service> {
  const database = 'ledger.databaseUrl' in settings ? [] : NO_DATABASE;
  return startService(
    [
      ...[
        'serve',
        '--miner-account',
        ACCOUNT,
        '--instance',
        '0',
        '--node-urls',
        node.url,
        '--cpu-mode',
        'off',
        '--web-listen',
        'off',
      ],
      ...['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', ...database],
    ],
    settings,
  );
}

function portOf({ tcp }: LogLine): number {
  return Number(String(tcp).split(':').at(-1));
}

/** The last byte of the serial number of the certificate that is shown there. */
async function serialAt(port: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return Number.parseInt(serialNumber.slice(-2), 16);
}
