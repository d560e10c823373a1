/** What `doctor` finds is what `serve` would refuse, and beside a running bridge it finds that. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Command } from '../../src/commands/command.js';
import { command as doctor } from '../../src/commands/doctor.js';
import type { Finding } from '../../src/commands/doctor-checks.js';
import { command as serve } from '../../src/commands/serve.js';
import { startDevNode } from '../../src/devnode/server.js';
import { runHere } from '../helpers/command.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runProgram, startProgram } from '../helpers/program.js';

const ACCOUNT = ['--account', `k:${'cd'.repeat(32)}`];
const NOBODY = ['--node', '127.0.0.1:1', '--database-url', 'postgres://127.0.0.1:1/x'];

async function run(command: Command, argv: readonly string[]) {
  const { code, text, stderr } = await runHere('x', command, argv);
  const { works, findings } = JSON.parse(text || '{}') as { works?: boolean; findings?: Finding[] };
  return { code, stderr, works, findings: findings ?? [] };
}

it.each([
  [['--accounts', 'list'], 'stratum.accounts.list: '],
  [
    ['--tls-cert', '/nope', '--tls-key', '/nope2'],
    'stratum.tls.certificateFile: "/nope" (flag --tls-cert) cannot be used: there is no file /nope',
  ],
  [['--node-ca', '/nope'], 'node.ca: "/nope" (flag --node-ca) cannot be used'],
  [['--cpu', 'external'], 'cpu.command: '],
  [['--reward-scheme', 'pps'], 'rewards.schedule: '],
  [['--account', ''], 'miner.account is not set'],
])('C8: serve refuses %j before it starts anything, and doctor says the same', async (wrong, expected) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const argv = [
    ...ACCOUNT,
    ...NOBODY,
    '--data-dir',
    dataDir,
    '--tcp',
    '0',
    '--ws',
    '0',
    '--web',
    '0',
    ...wrong,
  ];
  const refused = await run(serve, argv);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(expected)]);
  expect(await readdir(folder.path)).toEqual([]);
  const { code, works, findings } = await run(doctor, argv);
  expect([code, works]).toEqual([1, false]);
  expect(findings).toContainEqual({
    state: 'fault',
    what: 'settings',
    detail: expect.stringContaining(expected),
  });
  // C3: it only looks.
  expect(await readdir(folder.path)).toEqual([]);
});

it('C3: where there are no books doctor says that they will be made, and makes nothing', async () => {
  await using folder = await temporaryFolder();
  const common = [...ACCOUNT, '--node', '127.0.0.1:1', '--tcp', '0', '--ws', '0', '--web', '0'];
  for (const [dataDir, can] of [
    [folder.path, 'can be written'],
    [join(folder.path, 'a', 'b'), 'will be made at the first start'],
  ] as const) {
    const { findings } = await run(doctor, [...common, '--data-dir', dataDir]);
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
  for (const dataDir of [file, join(file, 'x')]) {
    const argv = [
      ...ACCOUNT,
      ...NOBODY,
      '--tcp',
      'off',
      '--ws',
      'off',
      '--web',
      'off',
      '--data-dir',
      dataDir,
    ];
    const setting = `dataDir: "${dataDir}" (flag --data-dir) `;
    const started = await runProgram(['serve', ...argv]);
    expect(started.code).toBe(1);
    expect(started.stderr).toContain(`stratum-bridge: ${setting}`);
    expect(started.stderr).toMatch(/a file stands where a folder should be; choose another path\n$/);
    const { findings } = await run(doctor, argv);
    expect(findings).toContainEqual({
      state: 'fault',
      what: 'dataDir',
      detail: `${setting}cannot be used: ${file} is no folder`,
      advice: expect.stringContaining('choose another with --data-dir'),
    });
  }
});

it('C8: a certificate that is none is told by both', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'cert.pem');
  await writeFile(file, 'nothing');
  const argv = [...ACCOUNT, ...NOBODY, '--tls-cert', file, '--tls-key', file, '--data-dir', folder.path];
  const expected = `stratum.tls.certificateFile: "${file}" (flag --tls-cert) is no PEM certificate`;
  expect((await run(serve, argv)).stderr).toContain(expected);
  const { findings } = await run(doctor, argv);
  expect(findings).toContainEqual(expect.objectContaining({ detail: expect.stringContaining(expected) }));
});

it('C8: beside a running bridge doctor says that it runs, and finds no faults', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ listen: { host: '127.0.0.1', port: 0 } });
  const argv = [...ACCOUNT, '--node', node.url, '--data-dir', folder.path, '--cpu', 'off'];
  await using bridge = startProgram([
    'serve',
    ...argv,
    '--tcp',
    '127.0.0.1:0',
    '--ws',
    'off',
    '--web',
    '127.0.0.1:0',
  ]);
  const { tcp, web } = await bridge.ready();
  const ports = ['--tcp', String(tcp), '--ws', 'off', '--web', new URL(String(web)).host];
  const { code, findings } = await run(doctor, [...argv, ...ports, '--limit-connections', '100']);
  expect(findings.filter(({ state }) => state !== 'good')).toEqual([]);
  expect(code).toBe(0);
  const said = findings.map(({ what, detail }) => `${what}: ${detail}`).join('\n');
  expect(said).toMatch(/^bridge: .* is in use.*by a bridge that runs$/m);
  expect(said).toMatch(/^stratum\.tcp: .* is in use, as it should be while a bridge runs$/m);
  expect(said).toMatch(/^database \(embedded\): works, 0 shares in the ledger$/m);
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  await node.close();
}, 120_000);
