/** Tokens, settings and reload over HTTP, of the real command. */
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../helpers/folder.js';
import {
  MAIN,
  type Program,
  runProgram,
  startCommand,
  startProgram,
} from '../../helpers/processes/program.js';
import { TEST_PAIR } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
/** Nobody answers there: the web is up all the same. */
const ALONE = [
  ...[
    'serve',
    '--miner-account',
    ACCOUNT,
    '--node-urls',
    'http://127.0.0.1:1',
    '--ledger-database-url',
    'postgres://127.0.0.1:1/x',
  ],
  ...[
    '--cpu-mode',
    'off',
    '--stratum-tcp',
    '127.0.0.1:0',
    '--stratum-ws',
    'off',
    '--web-listen',
    '127.0.0.1:0',
    '--log-level',
    'debug',
  ],
];
const READ = 'read-token-of-this-test';
const readBy = (secret: string) => ({ test: { access: 'read', secret } });
const READ_TOKEN = readBy(READ);

interface Started extends AsyncDisposable {
  readonly program: Program;
  readonly web: string;
  ask(
    path: string,
    token?: string,
    method?: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Everything that it wrote. */
  said(): string;
}

async function startBridge(
  dataDir: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Started> {
  // As an operator starts it: with no token but those that a test gives.
  const program = startCommand([process.execPath, MAIN, ...ALONE, '--data-dir', dataDir, ...args], env);
  const web = String((await program.ready())['web']);
  return {
    ...{ program, web },
    async ask(path, token, method = 'GET') {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await fetch(web + path, { method, headers });
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
    },
    said: () => JSON.stringify(program.lines) + program.stderr(),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

describe('the admin token', () => {
  it('is made at the first start, for its owner alone, and kept; the log names its file and never the token', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'web-admin-token');
    const tokens: string[] = [];
    for (const isFirst of [true, false]) {
      await using bridge = await startBridge(folder.path);
      const token = (await readFile(file, 'utf8')).trim();
      tokens.push(token);
      expect([token, (await stat(file)).mode & 0o777]).toEqual([expect.stringMatching(/^[\w-]{43}$/), 0o600]);
      const made = bridge.program.lines.filter(({ event }) => event === 'admin-token');
      expect(made).toMatchObject(isFirst ? [{ level: 'info', file }] : []);
      expect((await bridge.ask('/api/v1/reload', undefined, 'POST')).status).toBe(401);
      expect((await bridge.ask('/api/v1/reload', `${token}x`, 'POST')).status).toBe(401);
      expect((await bridge.ask('/api/v1/reload', token, 'POST')).status).toBe(200);
      expect((await bridge.ask('/api/v1/nodes', token)).status).toBe(200);
      bridge.program.kill('SIGTERM');
      expect(await bridge.program.ended).toBe(0);
      expect(bridge.said()).not.toContain(token);
    }
    expect(tokens[0]).toBe(tokens[1]);
    const made = (await readdir(folder.path)).filter((name) => name.startsWith('web-'));
    expect(made.sort()).toEqual(['web-admin-token', 'web-session-key']);
  });

  it('that others may read is told of, and a file without one ends the start', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'web-admin-token');
    await writeFile(file, 'a-token-of-an-operator\n');
    await chmod(file, 0o644);
    {
      await using bridge = await startBridge(folder.path);
      expect((await bridge.ask('/api/v1/reload', 'a-token-of-an-operator', 'POST')).status).toBe(200);
      expect(bridge.program.lines).toContainEqual(
        expect.objectContaining({ level: 'warn', file, mode: '644' }),
      );
      expect(bridge.said()).not.toContain('a-token-of');
    }
    await writeFile(file, 'short-one\n');
    const { code, stderr } = await runProgram([...ALONE, '--data-dir', folder.path]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} holds no token`)]);
    expect(stderr).not.toContain('short-one');
  });

  it('is that of the settings where they have one, and no command prints it', async () => {
    await using folder = await temporaryFolder();
    const [file, token] = [join(folder.path, 'tokens'), 'admin-token-of-this-test'];
    await writeFile(file, `${JSON.stringify({ ...READ_TOKEN, ann: { access: 'admin', secret: token } })}\n`);
    const env = { STRATUM_BRIDGE_WEB_TOKENS_FILE: file };
    const dataDir = join(folder.path, 'data');
    await using bridge = await startBridge(dataDir, [], env);
    expect((await readdir(dataDir)).filter((name) => name.includes('token'))).toEqual([]);
    expect((await bridge.ask('/api/v1/reload', token, 'POST')).status).toBe(200);
    expect((await bridge.ask('/api/v1/reload', READ, 'POST')).status).toBe(403);
    const { status, body } = await bridge.ask('/api/v1/settings', READ);
    const settings = body['settings'] as { key: string }[];
    expect([status, settings.find(({ key }) => key === 'web.tokens')]).toMatchObject([
      200,
      {
        ...{ key: 'web.tokens', value: '***', isLive: true, waiting: null },
        source: `file ${file} (variable STRATUM_BRIDGE_WEB_TOKENS_FILE)`,
      },
    ]);
    const printed = await Promise.all(
      [
        ['config'],
        ['config', '--json'],
        ['config', '--minimal'],
        ['config', 'check'],
        ['doctor', '--node-urls', 'http://127.0.0.1:1'],
      ].map((words) => runProgram([...words, '--data-dir', dataDir], env)),
    );
    const all =
      bridge.said() + JSON.stringify(body) + printed.map(({ text, stderr }) => text + stderr).join();
    expect(all).not.toMatch(/-token-of-this-test/);
    const tokens = { ann: { access: 'admin', secret: 'hunter2hunter2' } };
    const short = { STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify(tokens) };
    const refused = await runProgram([...ALONE, '--data-dir', dataDir], short);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/web\.tokens.* \(variable STRATUM_BRIDGE_WEB_TOKENS\) has a secret that is none/),
    ]);
    expect(refused.stderr).not.toContain('hunter');
  });

  it('stands in no list of processes: there is no flag for it', async () => {
    const { code, stderr } = await runProgram([...ALONE, '--web-tokens', 'admin-token-of-this-test']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--web-tokens')]);
  });
});

describe('a bridge that runs', () => {
  const FIRST = { 'web.tokens': READ_TOKEN, 'stratum.limits.ban': '5m' };

  async function startWith(settings: object) {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'settings.yaml');
    const write = (values: object) => writeFile(path, stringify(values));
    await write(settings);
    const bridge = await startBridge(join(folder.path, 'data'), ['--config', path]);
    const admin = (await readFile(join(folder.path, 'data/web-admin-token'), 'utf8')).trim();
    const settingsOf = async (key: string) => {
      const { body } = await bridge.ask('/api/v1/settings', admin);
      return (body['settings'] as { key: string }[]).find((each) => each.key === key);
    };
    return {
      ...{ ...bridge, folder, path, write, admin, settingsOf },
      reload: () => bridge.ask('/api/v1/reload', admin, 'POST'),
      async [Symbol.asyncDispose]() {
        await bridge[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  it('takes settings by an order as by SIGHUP, and shows what is in force and what waits', async () => {
    await using bridge = await startWith(FIRST);
    const file = `file ${bridge.path}`;
    expect(await bridge.settingsOf('stratum.limits.ban')).toMatchObject({
      ...{ key: 'stratum.limits.ban', value: '5m', source: file, isLive: true, waiting: null },
    });
    await bridge.write({ ...FIRST, 'stratum.limits.ban': '7m', 'queue.entries': 30 });
    expect(await bridge.reload()).toEqual({
      status: 200,
      body: { tookEffect: ['stratum.limits.ban'], wantsRestart: ['queue.entries'], ports: [] },
    });
    expect(await bridge.settingsOf('stratum.limits.ban')).toMatchObject({ value: '7m', waiting: null });
    expect(await bridge.settingsOf('queue.entries')).toMatchObject({
      ...{ key: 'queue.entries', value: 10_000, source: 'default', isLive: false },
      waiting: { value: 30, source: file },
    });
    await bridge.write({ ...FIRST, 'stratum.limits.ban': 'never', 'stratum.accounts.mode': 'list' });
    expect(await bridge.reload()).toEqual({
      status: 409,
      body: {
        error: 'the settings were not taken',
        refused: [expect.stringMatching(/^stratum\.limits\.ban: "never" .* is no time/)],
        wantsRestart: ['queue.entries'],
        ports: [],
      },
    });
    expect(await bridge.settingsOf('stratum.limits.ban')).toMatchObject({ value: '7m' });
    await bridge.write(FIRST);
    expect((await bridge.reload()).body).toEqual({
      tookEffect: ['stratum.limits.ban'],
      wantsRestart: [],
      ports: [],
    });
    expect(await bridge.settingsOf('queue.entries')).toMatchObject({ value: 10_000, waiting: null });
  });

  it('tells what a reload would change, without secrets, and changes nothing', async () => {
    await using bridge = await startWith(FIRST);
    const look = async () => (await bridge.ask('/api/v1/reload', READ)).body;
    expect(await look()).toEqual({ changes: [], refused: [] });
    const next = {
      'web.tokens': readBy('another-token-to-read'),
      'stratum.limits.ban': '7m',
      'queue.entries': 30,
    };
    await bridge.write(next);
    const source = `file ${bridge.path}`;
    const told = await until('it was read anew', async () => {
      const { changes, refused } = (await look()) as { changes: { key: string }[]; refused: string[] };
      return changes.length > 0 && { changes, refused };
    });
    expect(told.refused).toEqual([]);
    expect([...told.changes].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
      { key: 'queue.entries', value: 30, source, isLive: false },
      { key: 'stratum.limits.ban', value: '7m', source, isLive: true },
      { key: 'web.tokens', value: { test: { access: 'read', secret: '***' } }, source, isLive: true },
    ]);
    expect(await bridge.settingsOf('stratum.limits.ban')).toMatchObject({ value: '5m', waiting: null });
    await bridge.write({ ...next, 'stratum.limits.ban': 'never' });
    const refused = await until('the fault is seen', async () => {
      const { refused } = (await look()) as { refused: string[] };
      return refused.length > 0 && refused;
    });
    expect(refused).toEqual([expect.stringMatching(/^stratum\.limits\.ban: "never" .* is no time/)]);
    // None of it was taken.
    expect((await bridge.ask('/api/v1/summary', READ)).status).toBe(200);
  });

  it('takes other tokens, names, pages and strangers at once', async () => {
    await using bridge = await startWith(FIRST);
    const status = async (path: string, token?: string) => (await bridge.ask(path, token)).status;
    const named = async () =>
      (await fetch(`${bridge.web}/healthz`, { headers: { origin: 'https://p.example' } })).headers;
    expect([await status('/metrics', READ), await status('/api/v1/summary')]).toEqual([200, 401]);
    expect((await named()).get('access-control-allow-origin')).toBeNull();
    const next = 'another-token-to-read';
    await bridge.write({
      ...{ 'web.tokens': readBy(next), 'web.public': true, 'web.hosts': ['pool.example'] },
      ...{ 'web.origins': ['https://p.example'], 'stratum.limits.ban': '5m' },
    });
    expect((await bridge.reload()).body).toEqual({
      tookEffect: ['web.public', 'web.tokens', 'web.hosts', 'web.origins'],
      wantsRestart: [],
      ports: [],
    });
    expect([await status('/metrics', READ), await status('/metrics', next)]).toEqual([401, 200]);
    expect([await status('/api/v1/summary'), await status('/api/v1/nodes')]).toEqual([200, 401]);
    expect((await named()).get('access-control-allow-origin')).toBe('https://p.example');
    // Whoever removes the file wants another token.
    await rm(join(bridge.folder.path, 'data/web-admin-token'));
    bridge.program.kill('SIGHUP');
    const made = await until('another one is made', async () => {
      const token = await readFile(join(bridge.folder.path, 'data/web-admin-token'), 'utf8').catch(() => '');
      return token !== '' && token.trim();
    });
    expect(made).not.toBe(bridge.admin);
    await until('it is in force', async () => (await status('/metrics', made)) === 200);
    expect(await status('/metrics', bridge.admin)).toBe(401);
    expect(bridge.said()).not.toMatch(new RegExp(`${next}|${READ}|${made}|${bridge.admin}`));
  });

  it('serves TLS where it has a certificate, which is looked at before the start', async () => {
    await using folder = await temporaryFolder();
    const [certificate, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    await writeFile(certificate, TEST_PAIR.certificate);
    await writeFile(key, TEST_PAIR.privateKey);
    const tls = ['--web-tls-certificate', certificate, '--web-tls-key', key];
    const dataDir = ['--data-dir', join(folder.path, 'data')];
    {
      await using program = startProgram([...ALONE, ...dataDir, ...tls]);
      expect((await program.ready())['web']).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    }
    await writeFile(key, 'nonsense');
    const { code, stderr } = await runProgram([...ALONE, ...dataDir, ...tls]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        `web.tls.certificate: "${certificate}" (flag --web-tls-certificate) is no PEM certificate`,
      ),
    ]);
  });
});

describe('a recorder', () => {
  it('WB1: shows its metrics by token alone, takes another token by SIGHUP, and makes none', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'settings.yaml');
    await writeFile(path, stringify({ 'web.tokens': READ_TOKEN }));
    const args = [
      '--ledger-database-url',
      'postgres://127.0.0.1:1/x',
      '--web-listen',
      '127.0.0.1:0',
      '--config',
      path,
    ];
    await using recorder = startCommand([process.execPath, MAIN, 'recorder', ...args], {}, folder.path);
    const web = String((await recorder.ready())['web']);
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(web + path, { headers })).status;
    const by = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await status('/metrics', {})).toBe(401);
    expect([await status('/metrics', by(READ)), await status('/healthz', {})]).toEqual([200, 200]);
    await writeFile(path, stringify({ 'web.tokens': readBy('another-token-to-read') }));
    recorder.kill('SIGHUP');
    await until('it took effect', () => recorder.lines.some(({ state }) => state === 'took effect'));
    expect(await status('/metrics', by('another-token-to-read'))).toBe(200);
    expect(await status('/metrics', by(READ))).toBe(401);
    expect((await readdir(folder.path)).filter((name) => name.includes('token'))).toEqual([]);
  });
});
