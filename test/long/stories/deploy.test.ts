/** What lies in config/deploy, asked by the programs that will read it, and by a real bridge. */

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { STOP_LIMIT_MS } from '../../../src/cli/service/stop.js';
import { environmentName, fileVariableName } from '../../../src/config/names.js';
import { BRIDGE_SETTINGS } from '../../../src/config/settings.js';
import type { Setting } from '../../../src/values/setting.js';
import { alertTests, UNWELL } from '../../helpers/alerts/alert-series.js';
import { asGrafanaAsks, asQuestion, panelsIn, rulesIn } from '../../helpers/alerts/expressions.js';
import type { TestPrometheus } from '../../helpers/alerts/prometheus.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { findPrograms, run } from '../../helpers/processes/debian.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { MAIN, startProgram } from '../../helpers/processes/program.js';
import { startActivated } from '../../helpers/processes/socket-activation.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { TEST_PAIR } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';
import { startWatched } from '../../helpers/web/watched-bridge.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEPLOY = join(ROOT, 'config/deploy');
const ACCOUNT = `k:${'cd'.repeat(32)}`;
/** Nobody answers there: rigs are served all the same. */
const NO_DATABASE = ['--ledger-database-url', 'postgres://127.0.0.1:1/x'];

const noSystemd = await findPrograms(
  'tests of the systemd units',
  ['systemd-analyze', 'systemd-socket-activate'],
  'systemd',
);
const noCompose = await findPrograms('tests of compose.yaml', ['docker-compose'], 'docker-compose');
const noPrometheus = await findPrograms(
  'tests of alerts and board',
  ['prometheus', 'promtool'],
  'prometheus',
);

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);
if (!hasIpv6) process.stderr.write('LEFT OUT: a rig by IPv6, because this machine has no ::1\n');
const EVERYWHERE = hasIpv6 ? '[::]' : '0.0.0.0';

const read = (name: string): Promise<string> => readFile(join(DEPLOY, name), 'utf8');

describe('all deployment files', () => {
  it('name settings and commands that exist', async () => {
    const names = await readdir(DEPLOY, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    const variables = new Set(text.match(/STRATUM_BRIDGE_[A-Z0-9_]+/g));
    const keys = new Set(
      text.match(/(?<![-\w])(?:stratum|web|node|ledger|queue|cpu|miner|log)\.[a-z]\w*(?:\.\w+)*/g),
    );
    // After `-u` it is the user's name.
    const commands = Array.from(
      text.matchAll(/(?<!-u )stratum-bridge ([a-z]+)\b/g),
      ([, word]) => `${word}.ts`,
    );
    const ours = await readdir(join(ROOT, 'src/commands'));
    expect(variables.size).toBeGreaterThan(5);
    expect([...variables].filter((name) => !isVariable(name))).toEqual([]);
    expect([...keys].filter((key) => !isKey(key))).toEqual([]);
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter((file) => !ours.includes(file))).toEqual([]);
  });
});

function isVariable(name: string): boolean {
  if (name === 'STRATUM_BRIDGE_CONFIG') return true;
  return Object.entries<Setting>(BRIDGE_SETTINGS).some(
    ([key, setting]) => name === environmentName(key) || name === fileVariableName(key, setting),
  );
}

/** What is cut off by the end of a process comes again. */
const healthOf = (port: number): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status,
    () => undefined,
  );

/** Of a data directory that several bridges share. */
async function bridgesIn(folder: string): Promise<number[]> {
  const locks = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('bridge.lock'));
  return Promise.all(
    locks.map(async (name) => Number.parseInt(await readFile(join(folder, name), 'utf8'), 10)),
  );
}

/** Or the beginning of some, as in `stratum.limits.*`. */
function isKey(key: string): boolean {
  return Object.keys(BRIDGE_SETTINGS).some((one) => one === key || one.startsWith(`${key}.`));
}

describe.skipIf(noSystemd !== undefined)('systemd units', () => {
  it('are understood whole, with their drop-in, and give the bridge no right that it does not need', async () => {
    await using folder = await temporaryFolder();
    const units = (await readdir(join(DEPLOY, 'systemd'))).filter((name) => /\.(service|socket)$/.test(name));
    for (const unit of units) {
      // Units name the program that `npm install --global` makes; here it is the one that was built.
      const text = (await read(`systemd/${unit}`)).replace(
        /^ExecStart=stratum-bridge\b/m,
        `ExecStart=${process.execPath} ${MAIN}`,
      );
      await writeFile(join(folder.path, unit), text);
    }
    await mkdir(join(folder.path, 'stratum-bridge.service.d'));
    const dropIn = 'database.conf';
    await copyFile(join(DEPLOY, 'systemd', dropIn), join(folder.path, 'stratum-bridge.service.d', dropIn));
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder.path}:` };
    const verified = await run('systemd-analyze', ['verify', '--man=no', ...units], {
      env,
      cwd: folder.path,
    });
    expect([units.length, verified.stderr]).toEqual([4, '']);
    // Fails when the exposure is over the threshold, of 100.
    const exposed = ['security', '--offline=true', '--no-pager', '--threshold=20'];
    await run('systemd-analyze', [...exposed, join(folder.path, 'stratum-bridge.service')]);
  });

  it('stop the bridge no sooner than it stops itself, and let V8 compile', async () => {
    const service = await read('systemd/stratum-bridge.service');
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(service) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(STOP_LIMIT_MS);
    expect(service).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });

  it('listen where the bridge does without them', async () => {
    const wanted = { tcp: 'stratum.tcp', ws: 'stratum.ws', web: 'web.listen' } as const;
    for (const [name, key] of Object.entries(wanted)) {
      const socket = await read(`systemd/stratum-bridge-${name}.socket`);
      const [, stream] = /^ListenStream=(.+)$/m.exec(socket) ?? [];
      expect(BRIDGE_SETTINGS[key as (typeof wanted)[keyof typeof wanted]].default).toBe(
        name === 'web' ? stream : `0.0.0.0:${stream}`,
      );
      expect(socket).toMatch(new RegExp(`^FileDescriptorName=${name}$`, 'm'));
    }
  });

  it.each([
    ['a bridge', [...NO_DATABASE, '--instance', '0']],
    ['one bridge behind a primary', ['--processes', '1']],
    ['two bridges behind a primary', ['--processes', '2']],
  ])('hand sockets over to %s that serves rigs on them, and to the one after it', async (_, how) => {
    await using folder = await temporaryFolder();
    await using node = startProgram(['node', '--mining', '--listen', '127.0.0.1:0']);
    const { url } = await node.ready();
    const [tcp = 0, ws = 0, web = 0] = await freePorts(3);
    const [certificate, key] = [join(folder.path, 'certificate.pem'), join(folder.path, 'key.pem')];
    await writeFile(certificate, TEST_PAIR.certificate);
    await writeFile(key, TEST_PAIR.privateKey, { mode: 0o600 });
    const settings = [
      '--stratum-tls-certificate',
      certificate,
      '--stratum-tls-key',
      key,
      '--stratum-balancers',
      '127.0.0.1',
    ];
    await using service = await startActivated(
      folder.path,
      [`127.0.0.1:${tcp}`, `${EVERYWHERE}:${ws}`, `127.0.0.1:${web}`],
      [...serveIn(folder.path, String(url), how), ...settings],
    );
    // The first connection starts the bridge. This one comes from a balancer, and speaks TLS.
    const preamble = Buffer.from('PROXY TCP4 203.0.113.9 203.0.113.1 40000 1917\r\n');
    const connectRig = () => WireRig.connect('tls', tcp, { ca: TEST_PAIR.certificate, preamble });
    const first = await connectRig();
    expect((await first.request(1, 'mining.subscribe', ['test/1', null])).error).toBeNull();
    const ready = await service.program.ready();
    expect(ready).toMatchObject({
      tcp: `127.0.0.1:${tcp}`,
      ws: `${EVERYWHERE}:${ws}`,
      web: `http://127.0.0.1:${web}`,
    });
    if (hasIpv6) expect(await subscribeOverIpv6(ws)).toMatchObject({ id: 1, error: null });
    expect((await fetch(`http://127.0.0.1:${web}/healthz`)).status).toBe(200);

    // Bridges that die go on with the sockets of their primary.
    for (const pid of how.includes('--processes') ? await bridgesIn(folder.path) : [])
      process.kill(pid, 'SIGKILL');
    const subscribed = async () => {
      const one = await connectRig();
      const { error } = await one.request(1, 'mining.subscribe', ['test/1', null]);
      one.close();
      return error;
    };
    const again = until('a rig is served', () => subscribed().catch(() => undefined)); // what dies cuts it off
    expect(await again).toBeNull();
    expect(await until('the web answers', () => healthOf(web))).toBe(200);

    // Sockets that were handed over are no change of settings.
    await service.tellBridge('SIGHUP');
    expect(await until('it has read them again', () => service.program.last('reload'))).toMatchObject({
      state: 'unchanged',
    });

    await service.stopBridge();
    await first.untilClosed();
    // Nobody listens but systemd: rigs wait for the next bridge.
    const waiting = connect({ host: '127.0.0.1', port: tcp });
    await new Promise((resolve, reject) => waiting.once('connect', resolve).once('error', reject));
    waiting.destroy();
    const second = connectRig();
    await service.startAgain();
    const rig = await second;
    expect((await rig.request(1, 'mining.subscribe', ['test/1', null])).error).toBeNull();
    // Rigs are served a moment before the bridge says so.
    const areReady = (): boolean =>
      service.program.lines.filter(({ event }) => event === 'ready').length === 2;
    await until('the second bridge is ready', areReady);
    rig.close();
    await service.stopBridge();
  });

  it('are refused with a sentence when they hand over what the bridge cannot listen on', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'socket');
    const activate = ['systemd-socket-activate', '-l', path, '--fdname=tcp'];
    await using program = startProgram(serveIn(folder.path), {}, undefined, activate);
    await until('it listens', () => program.stderr().includes('Listening on'));
    const client = connect(path);
    client.on('error', () => undefined); // it is closed without an answer
    expect(await program.ended).toBe(2);
    expect(program.stderr()).toContain('socket 3 of LISTEN_FDNAMES, "tcp", is no TCP socket that listens');
    client.destroy();
  });
});

function serveIn(dataDir: string, nodeUrl = 'http://127.0.0.1:1', how = NO_DATABASE): string[] {
  const settings = ['--node-urls', nodeUrl, '--miner-account', ACCOUNT, '--data-dir', dataDir];
  return ['serve', ...settings, '--cpu-mode', 'off', ...how];
}

async function subscribeOverIpv6(port: number): Promise<unknown> {
  const socket = new WebSocket(`ws://[::1]:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      socket.once('open', () => socket.send('{"id":1,"method":"mining.subscribe","params":["test/1",null]}'));
      socket.once('message', (data) => resolve(JSON.parse(String(data))));
      socket.once('error', reject);
    });
  } finally {
    socket.terminate();
  }
}

describe('the image', () => {
  it('is built from what is there and is sent along, in stages that it names', async () => {
    const dockerfile = await read('Dockerfile');
    const stages = Array.from(dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm), ([, stage]) => stage);
    const copies = Array.from(dockerfile.matchAll(/^COPY (?:--from=(\S+) )?(.+) \S+$/gm));
    const sources = copies.flatMap(([, from, names = '']) => (from === undefined ? names.split(' ') : []));
    const sentAlong = (await read('Dockerfile.dockerignore')).match(/(?<=^!).+$/gm) ?? [];
    expect(stages).toEqual(expect.arrayContaining(['embedded', 'external']));
    expect(copies.flatMap(([, from = 'build']) => from).filter((from) => !stages.includes(from))).toEqual([]);
    expect(sources.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect([...new Set(sources)].sort()).toEqual(sentAlong.sort());
    expect(dockerfile.match(/^USER .+$/gm)).toEqual(['USER node']);
  });

  it('has all that `npm run build` wants, and what is built runs', async () => {
    await using folder = await temporaryFolder();
    const sentAlong = (await read('Dockerfile.dockerignore')).match(/(?<=^!).+$/gm) ?? [];
    for (const name of sentAlong) await cp(join(ROOT, name), join(folder.path, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
    await run('npm', ['run', 'build'], { cwd: folder.path });
    const versionOf = async (main: string) => (await run('node', [main, '--version'])).stdout;
    expect(await versionOf(join(folder.path, 'dist/src/main.js'))).toBe(await versionOf(MAIN));
  });
});

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
}

describe.skipIf(noCompose !== undefined)('compose.yaml', () => {
  it('is understood, publishes the ports of rigs alone, and finds every file that it names', async () => {
    await using folder = await temporaryFolder();
    await run('cp', ['-r', DEPLOY, folder.path]);
    const copy = join(folder.path, 'deploy');
    await copyFile(join(copy, 'env.example'), join(copy, '.env'));
    await run(join(copy, 'make-secrets.sh'));
    await run('docker-compose', ['config', '--quiet'], { cwd: copy });
    const { services, secrets } = parse(await read('compose.yaml')) as {
      services: Record<string, Service>;
      secrets: Record<string, { file: string }>;
    };
    const all = Object.values(services);
    const published = all.flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['1917:1917', '1918:1918']);
    const made = await readdir(join(copy, 'secrets'));
    expect(
      Object.entries(secrets).filter(
        ([name, { file }]) => file !== `./secrets/${name}` || !made.includes(name),
      ),
    ).toEqual([]);
    expect(new Set(all.flatMap(({ secrets: used = [] }) => used))).toEqual(new Set(Object.keys(secrets)));
    const mounted = all.flatMap(({ volumes = [] }) => volumes).filter((volume) => volume.startsWith('./'));
    for (const volume of mounted)
      await expect(run('ls', [join(copy, volume.split(':')[0] ?? '')])).resolves.toBeDefined();
  });

  it('has passwords that are made once, in a folder that is closed to others', async () => {
    await using folder = await temporaryFolder();
    const script = join(folder.path, 'make-secrets.sh');
    await copyFile(join(DEPLOY, 'make-secrets.sh'), script);
    const make = async () => {
      await run('sh', [script]);
      const { stdout } = await run('sh', ['-c', 'stat -c %a secrets && cat secrets/*'], { cwd: folder.path });
      return stdout;
    };
    const first = await make();
    expect(first).toMatch(
      /^700\npostgres:\/\/bridge:([0-9a-f]{48})@postgres\/bridge\n[0-9a-f]{48}\n\1\nrequirepass ([0-9a-f]{48})\n\2\nredis:\/\/:\2@redis\n$/,
    );
    expect(await make()).toBe(first);
  });
});

describe.skipIf(noPrometheus !== undefined)('Prometheus and Grafana', () => {
  const rulesFile = join(DEPLOY, 'prometheus/rules.yml');
  const rules = rulesIn(rulesFile);
  const panels = panelsIn(join(DEPLOY, 'grafana/stratum-bridge.json'));

  it('promtool understands both files', async () => {
    await using folder = await temporaryFolder();
    const [config, token] = [join(folder.path, 'prometheus.yml'), join(folder.path, 'token')];
    // It looks for the files that are named.
    await writeFile(token, 'x');
    const text = await read('prometheus/prometheus.yml');
    await writeFile(config, text.replace('/run/stratum-bridge/token', token));
    await copyFile(rulesFile, join(folder.path, 'rules.yml'));
    await run('promtool', ['check', 'config', config]);
    const { stdout } = await run('promtool', ['check', 'rules', rulesFile]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  it('each alert is raised by what it is about, and none by a bridge that is well', async () => {
    await using folder = await temporaryFolder();
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    expect(alerts).toEqual(Object.keys(UNWELL));
    const file = join(folder.path, 'tests.yml');
    await writeFile(file, alertTests(rulesFile));
    await run('promtool', ['test', 'rules', file]);
  });

  it('the board has what an operator asks, in this order, and each panel a number of its own', () => {
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Are we mining?',
      'Are blocks found?',
      'Are shares kept?',
      'Who is rejected?',
      'Is the process well?',
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const charts = panels.filter(({ type }) => type !== 'row');
    expect(charts.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
  });

  describe('beside a bridge with a node and a rig', () => {
    const open: AsyncDisposable[] = [];
    let prometheus: TestPrometheus;
    let web: string;

    beforeAll(async () => {
      ({ prometheus, web } = await startWatched(open, join(DEPLOY, 'prometheus')));
    });
    afterAll(async () => {
      for (const part of open.reverse()) await part[Symbol.asyncDispose]();
    });

    it('every expression has a value', async () => {
      const asked = [
        ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => asGrafanaAsks(expr))),
        ...rules.map(({ expr, alert }) => (alert ? asQuestion(expr) : expr)),
        ...rules.flatMap(({ record }) => record ?? []),
      ];
      expect(asked.length).toBeGreaterThan(60);
      const left = new Set(asked);
      const withoutValue = async (): Promise<string[]> => {
        for (const expr of left) if (hasValue(await prometheus.ask(expr))) left.delete(expr);
        return [...left];
      };
      await expect.poll(withoutValue, { interval: 500 }).toEqual([]);
    });

    it('an expression without series has none', async () => {
      expect(hasValue(await prometheus.ask('sum(stratum_bridge_misspelt)'))).toBe(false);
      await expect(prometheus.ask('sum(stratum_bridge_sessions')).rejects.toThrow(/parse error/);
    });

    it("the image's health check finds it well, and its absence ill", async () => {
      const [, words = ''] =
        /HEALTHCHECK [^[]*(\[.*\])/.exec((await read('Dockerfile')).replaceAll('\\\n', '')) ?? [];
      const [, ...args] = JSON.parse(words) as string[];
      const check = (url: string) =>
        run(
          process.execPath,
          args.map((word) =>
            word
              .replace("'http://127.0.0.1:1920'", `'${url}'`)
              .replace("'https://127.0.0.1:1920'", `'${url}'`),
          ),
        );
      await expect(check(web)).resolves.toBeDefined();
      await expect(check('http://127.0.0.1:1')).rejects.toMatchObject({ code: 1 });
    });
  });
});

/** Numbers, of which at least one is no NaN. */
function hasValue(samples: readonly { readonly value: readonly [number, string] }[]): boolean {
  return samples.some(({ value: [, text] }) => text !== 'NaN');
}
