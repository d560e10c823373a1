/** What `doctor` finds is what `serve` would refuse, and beside a running bridge it finds that. */

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../src/assembly/finding.js';
import { checkKeyFiles, checkPorts, checkWeb } from '../../src/commands/doctor/checks.js';
import { checkPayer } from '../../src/commands/doctor/payer.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { runProgram, startProgram } from '../helpers/processes/program.js';
import { loadConfig } from '../helpers/stories/load-config.js';
import { until } from '../helpers/until.js';
import { serveHttp } from '../helpers/web/http.js';

const ACCOUNT = ['--miner-account', `k:${'cd'.repeat(32)}`];
const NOBODY = ['--node-urls', '127.0.0.1:1', '--ledger-database-url', 'postgres://127.0.0.1:1/x'];

async function run(name: string, argv: readonly string[]) {
  const { code, text, stderr } = await runHere(name, argv);
  const { works, findings } = JSON.parse(text || '{}') as { works?: boolean; findings?: Finding[] };
  return { code, stderr, works, findings: findings ?? [] };
}

it.each([
  [['--stratum-accounts-mode', 'list'], 'stratum.accounts.list: '],
  [
    ['--stratum-tls-certificate', '/nope', '--stratum-tls-key', '/nope2'],
    'stratum.tls.certificate: "/nope" (flag --stratum-tls-certificate) cannot be used: there is no file /nope',
  ],
  [['--node-ca', '/nope'], 'node.ca: "/nope" (flag --node-ca) cannot be used'],
  [['--cpu-mode', 'external'], 'cpu.command: '],
  [['--rewards-scheme', 'pps'], 'rewards.schedule: '],
  [['--miner-account', ''], 'miner.account is not set'],
])('C8: serve refuses %j before it starts anything, and doctor says the same', async (wrong, expected) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const argv = [
    ...ACCOUNT,
    ...NOBODY,
    '--data-dir',
    dataDir,
    '--stratum-tcp',
    '0',
    '--stratum-ws',
    '0',
    '--web-listen',
    '0',
    ...wrong,
  ];
  const refused = await run('serve', argv);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(expected)]);
  expect(await readdir(folder.path)).toEqual([]);
  const { code, works, findings } = await run('doctor', argv);
  expect([code, works]).toEqual([1, false]);
  expect(findings).toContainEqual({
    state: 'fault',
    what: 'settings',
    detail: expect.stringContaining(expected),
  });
  // C3: it only looks.
  expect(await readdir(folder.path)).toEqual([]);
});

it('CU20: doctor looks at the mode of the key files of TLS', async () => {
  await using folder = await temporaryFolder();
  const [open, closed] = [join(folder.path, 'open.pem'), join(folder.path, 'closed.pem')];
  await writeFile(open, '', { mode: 0o644 });
  await writeFile(closed, '', { mode: 0o640 });
  const argv = ['--stratum-tls-key', open, '--web-tls-key', closed];
  expect(checkKeyFiles(loadConfig(BRIDGE_SETTINGS, { argv }).config)).toEqual([
    {
      state: 'warning',
      what: 'stratum.tls.key',
      detail: `everybody on this machine may use ${open} (mode 0644)`,
      advice: `chmod 600 ${open}`,
    },
    { state: 'good', what: 'web.tls.key', detail: `${closed} has the mode 0640` },
  ]);
});

it('doctor says who would pay on chain, and why nobody could', async () => {
  await using folder = await temporaryFolder();
  const payer = `k:${'ab'.repeat(32)}`;
  const found = async (...argv: string[]) => {
    const { config } = loadConfig(BRIDGE_SETTINGS, { argv: [...ACCOUNT, ...argv] });
    return (await checkPayer(config)).map(({ state, detail, advice = '' }) => [state, detail, advice]);
  };
  expect(await found()).toEqual([]);
  const nodes = (...urls: string[]) => urls.flatMap((url) => ['--node-urls', url]);
  // PA19: they are one node.
  expect(await found('--payouts-account', payer, ...nodes('localhost:1848', '127.0.0.1:1848'))).toEqual([
    ['good', expect.stringContaining(`from ${payer}, `), expect.stringContaining('name two nodes')],
  ]);
  expect(await found('--payouts-account', payer, ...nodes('127.0.0.1:1848', '127.0.0.1:1849'))).toEqual([
    ['good', expect.stringContaining(`from ${payer}, `), ''],
  ]);
  expect(await found('--payouts-key', join(folder.path, 'none'))).toEqual([
    ['fault', expect.stringContaining('none'), expect.stringContaining('key check')],
  ]);
});

it('C8: doctor tries each port by its name, in place of the two of the default', async () => {
  await using holder = await serveHttp((_request, response) => void response.end());
  const taken = `127.0.0.1:${new URL(holder.url).port}`;
  const argv = [
    '--stratum-ports',
    `name=high,listen=${taken}`,
    '--stratum-ports',
    'name=low,listen=127.0.0.1:0',
    '--web-listen',
    'off',
  ];
  const findings = await checkPorts(loadConfig(BRIDGE_SETTINGS, { argv }).config, false);
  expect(findings).toMatchObject([
    { state: 'fault', what: 'stratum.ports, high', detail: expect.stringContaining(`${taken}: `) },
    { state: 'good', what: 'stratum.ports, low', detail: '127.0.0.1:0 is free' },
    { state: 'good', what: 'web.listen', detail: 'off' },
  ]);
});

it('C3: where there are no books doctor says that they will be made, and makes nothing', async () => {
  await using folder = await temporaryFolder();
  const common = [
    ...ACCOUNT,
    '--node-urls',
    '127.0.0.1:1',
    '--stratum-tcp',
    '0',
    '--stratum-ws',
    '0',
    '--web-listen',
    '0',
  ];
  for (const [dataDir, can] of [
    [folder.path, 'can be written'],
    [join(folder.path, 'a', 'b'), 'will be made at the first start'],
  ] as const) {
    const { findings } = await run('doctor', [...common, '--data-dir', dataDir]);
    const said = findings.map(({ state, what, detail }) => `${state} ${what}: ${detail}`).join('\n');
    expect(said).toMatch(new RegExp(`^(good|warning) dataDir: ${dataDir} ${can}, \\d+ MB are free$`, 'm'));
    expect(said).toMatch(/^good database \(embedded\): no books yet: they will be made at the first start$/m);
    expect(said).toMatch(/^good queue: in the database of the ledger: no books yet/m);
    expect(await readdir(folder.path)).toEqual([]);
  }
});

it('C13: a data directory that cannot be used is told by serve and doctor with setting, value and source', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const [stands, says] = [
    /a file stands where a folder should be; choose another path\n$/,
    `${file} is no folder`,
  ];
  const closed = '/proc/x cannot be made: /proc takes no new folder; choose another one';
  for (const [dataDir, serves, finds] of [
    [file, stands, says],
    [join(file, 'x'), stands, says],
    ['/proc/x/data', new RegExp(closed), closed],
  ] as const) {
    const argv = [
      ...ACCOUNT,
      ...NOBODY,
      '--stratum-tcp',
      'off',
      '--stratum-ws',
      'off',
      '--web-listen',
      'off',
      '--data-dir',
      dataDir,
    ];
    const setting = `dataDir: "${dataDir}" (flag --data-dir) `;
    const started = await runProgram(['serve', ...argv]);
    expect(started.code).toBe(1);
    expect(started.stderr).toContain(`stratum-bridge: ${setting}`);
    expect(started.stderr).toMatch(serves);
    const { findings } = await run('doctor', argv);
    expect(findings).toContainEqual({
      state: 'fault',
      what: 'dataDir',
      detail: `${setting}cannot be used: ${finds}`,
      advice: expect.stringContaining('choose another with --data-dir'),
    });
  }
});

it('C8: a certificate that is none is told by both', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'cert.pem');
  await writeFile(file, 'nothing');
  const argv = [
    ...ACCOUNT,
    ...NOBODY,
    '--stratum-tls-certificate',
    file,
    '--stratum-tls-key',
    file,
    '--data-dir',
    folder.path,
  ];
  const expected = `stratum.tls.certificate: "${file}" (flag --stratum-tls-certificate) is no PEM certificate`;
  expect((await run('serve', argv)).stderr).toContain(expected);
  const { findings } = await run('doctor', argv);
  expect(findings).toContainEqual(expect.objectContaining({ detail: expect.stringContaining(expected) }));
});

it.each([
  ['log.file', '--log-file'],
  ['events.file', '--events-file'],
])('%s that cannot be written is told by both', async (what, flag) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'none', 'bridge.log');
  const argv = [...ACCOUNT, ...NOBODY, flag, path, '--data-dir', join(folder.path, 'data')];
  const expected = `${path} cannot be written: there is no folder ${join(folder.path, 'none')}: make it, or name another file`;
  const started = await runProgram(['serve', ...argv]);
  expect([started.code, started.stderr]).toEqual([1, `stratum-bridge: ${what}: ${expected}\n`]);
  const { findings } = await run('doctor', argv);
  expect(findings).toContainEqual({ state: 'fault', what, detail: expected });
  expect(await readdir(folder.path)).toEqual([]);
});

it('C8: beside a running bridge doctor says that it runs, and finds no faults', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode();
  const argv = [...ACCOUNT, '--node-urls', node.url, '--data-dir', folder.path, '--cpu-mode', 'off'];
  await using bridge = startProgram([
    'serve',
    ...argv,
    '--stratum-tcp',
    '127.0.0.1:0',
    '--stratum-ws',
    'off',
    '--web-listen',
    '127.0.0.1:0',
  ]);
  const { tcp, web } = await bridge.ready();
  await until('jobs flow', async () => (await fetch(`${web}/readyz`)).status === 200);
  const ports = [
    '--stratum-tcp',
    String(tcp),
    '--stratum-ws',
    'off',
    '--web-listen',
    new URL(String(web)).host,
  ];
  const asked = [...argv, ...ports, '--stratum-limits-connections', '100'];
  let told = await run('doctor', asked);
  // On a busy machine a part may answer too late, twice.
  const isGood = (): boolean => told.findings.every(({ state }) => state === 'good');
  for (let i = 0; i < 5 && !isGood(); i++) told = await run('doctor', asked);
  const { code, findings } = told;
  expect(findings.filter(({ state }) => state !== 'good')).toEqual([]);
  expect(code).toBe(0);
  const said = findings.map(({ what, detail }) => `${what}: ${detail}`).join('\n');
  expect(said).toMatch(/^bridge: .* is in use.*by a bridge that runs$/m);
  expect(said).toMatch(/^bridge, state: ready: version \S+, instance 0, up .*$/m);
  expect(said).toMatch(
    /^bridge, node http:\/\/127\.0\.0\.1:\S+: network development, in use, chains with work: [1-9]\d*$/m,
  );
  expect(said).toMatch(/^bridge, rigs: none is connected \(open ports: tcp\)$/m);
  expect(said).toMatch(/^bridge, queue: \d+ entries wait, 0 shares wait on disk, 0 set aside$/m);
  expect(said).toMatch(/^bridge, ledger: 0 shares, /m);
  // The node was asked by the bridge alone.
  expect(said).not.toMatch(/mining for/);
  expect(said).toMatch(/^stratum\.tcp: .* is in use, as it should be while a bridge runs$/m);
  expect(said).toMatch(/^database \(embedded\): works, 0 shares in the ledger$/m);
  // WB55: the folder alone is enough, as the bridge says its settings itself.
  const bare = await run('doctor', ['--data-dir', folder.path, ...ports]);
  expect(bare.findings.filter(({ state }) => state === 'fault')).toEqual([]);
  expect(bare.findings).toContainEqual({
    state: 'good',
    what: 'settings',
    detail: expect.stringMatching(/^those of the bridge that runs here, but for its secrets \(web\.tokens\)/),
  });
  expect(bare.code).toBe(0);
  await node.close();
  await until('the bridge has no node', async () => (await fetch(`${web}/readyz`)).status === 503);
  const without = await run('doctor', [...argv, ...ports, '--stratum-limits-connections', '100']);
  expect([without.code, without.works]).toEqual([1, false]);
  expect(without.findings).toContainEqual(
    expect.objectContaining({
      state: 'fault',
      what: 'bridge, state',
      detail: expect.stringMatching(/^not ready, node \w+: /),
    }),
  );
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
});

it.each([
  [
    ['--web-listen', '127.0.0.1:0', '--web-public'],
    'good',
    /by token or session, from this machine alone; anonymous users see what miners/,
  ],
  [
    ['--web-listen', '0.0.0.0:0'],
    'warning',
    /takes plain HTTP from other machines, tokens too; anonymous users see nothing/,
  ],
  [
    ['--web-listen', '0.0.0.0:0', '--web-public'],
    'warning',
    /takes plain HTTP .* anonymous users see what miners may see/,
  ],
  [
    ['--web-listen', '[::]:0', '--web-public', '--web-tls-certificate', 'x'],
    'good',
    /by token or session, over TLS/,
  ],
])('doctor says who may ask the web as %j', (argv, state, detail) => {
  const { config } = loadConfig(BRIDGE_SETTINGS, { argv: [...argv, '--web-hosts', 'pool.example'] });
  expect(checkWeb(config)).toMatchObject([{ state, detail: expect.stringMatching(detail) }]);
  expect(checkWeb({ ...config, 'web.listen': 'off' })).toEqual([]);
  const unnamed = { state: 'warning', what: 'web.hosts', detail: expect.stringContaining('it is empty') };
  const nameless = checkWeb({ ...config, 'web.hosts': [] }).slice(1);
  expect(nameless).toMatchObject(config['web.public'] ? [unnamed] : []);
});
