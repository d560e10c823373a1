/** How people and Prometheus get to the page and the metrics of a real bridge: links, sessions and the token that reads. */
import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { freePort } from '../helpers/processes/ports.js';
import { MAIN, type Program, startCommand } from '../helpers/processes/program.js';
import { noTerminals, startOnTerminal } from '../helpers/processes/pty.js';
import { until } from '../helpers/until.js';

/** Neither node nor database: the web is up all the same. */
const ALONE = [
  ...['serve', '--miner-account', `k:${'cd'.repeat(32)}`, '--node-urls', 'http://127.0.0.1:1'],
  ...[
    '--ledger-database-url',
    'postgres://127.0.0.1:1/x',
    '--cpu-mode',
    'off',
    '--stratum-tcp',
    '127.0.0.1:0',
    '--stratum-ws',
    'off',
  ],
];
const SECRET = /#link=([\w-]{43})/;

async function signIn(web: string, link: string) {
  const answer = await fetch(`${web}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link }),
  });
  return { status: answer.status, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

describe('a bridge that nobody watches', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let bridge: Program;
  let web: string;
  let serve: () => Promise<void>;
  const dataDir = () => join(folder.path, 'data');
  const read = async (path: string, headers: Record<string, string>) =>
    (await fetch(web + path, { headers })).status;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const place = ['--data-dir', dataDir(), '--web-listen', `127.0.0.1:${await freePort()}`];
    serve = async () => {
      bridge = startCommand([process.execPath, MAIN, ...ALONE, ...place]);
      web = String((await bridge.ready())['web']);
    };
    await serve();
  });
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it('WB1: says by which command a link is had, which works once, for a session that outlives a restart', async () => {
    await until('it says so', () => bridge.lines.some(({ msg }) => msg?.includes('`stratum-bridge web`')));
    const { code, text } = await runHere('web', ['--data-dir', dataDir()]);
    const [, link = ''] = SECRET.exec(text) ?? [];
    expect([code, text]).toEqual([0, expect.stringContaining(`${web}/#link=${link}`)]);
    const { port } = new URL(web);
    expect(text).toContain(`ssh -N -L ${port}:127.0.0.1:${port} `);
    const { status, cookie } = await signIn(web, link);
    expect([status, await read('/api/v1/sessions', { cookie })]).toEqual([200, 200]);
    expect((await signIn(web, link)).status).toBe(401);
    const key = await stat(join(dataDir(), 'web-session-key'));
    expect(key.mode & 0o777).toBe(0o600);

    const said = JSON.stringify(bridge.lines) + bridge.stderr();
    await bridge[Symbol.asyncDispose]();
    await serve();
    expect(await read('/api/v1/sessions', { cookie })).toBe(200);
    expect(await read('/api/v1/sessions', {})).toBe(401);
    for (const secret of [link, cookie, cookie.split('.').at(-1) ?? '']) expect(said).not.toContain(secret);
  });

  it('WB1: takes the token that reads once it is made, and a copy of it is for its group alone', async () => {
    const out = join(folder.path, 'token');
    const groups = process.getuid?.() === 0 ? 'nogroup' : execFileSync('id', ['-gn']).toString().trim();
    const run = () =>
      runHere('web', ['token', 'read', '--out', out, '--group', groups, '--data-dir', dataDir()]);
    const { code, text } = await run();
    const token = (await readFile(out, 'utf8')).trim();
    expect([code, text.includes(out), text.includes(token)]).toEqual([0, true, false]);
    const own = join(dataDir(), 'web-read-token');
    expect(await readFile(own, 'utf8')).toBe(`${token}\n`);
    const modes = [(await stat(out)).mode & 0o777, (await stat(own)).mode & 0o777];
    expect(modes).toEqual([0o640, 0o600]);
    const gid = Number(execFileSync('stat', ['-c', '%g', out]));
    expect(execFileSync('getent', ['group', String(gid)]).toString()).toMatch(new RegExp(`^${groups}:`));
    const authorization = `Bearer ${token}`;
    expect(await read('/metrics', { authorization })).toBe(200);
    expect((await fetch(`${web}/api/v1/reload`, { method: 'POST', headers: { authorization } })).status).toBe(
      403,
    );
    // The same again, over a copy that somebody spoilt.
    await chmod(out, 0o666);
    await run();
    expect([(await readFile(out, 'utf8')).trim(), (await stat(out)).mode & 0o777]).toEqual([token, 0o640]);
  });

  it('WB1: no token is written without a place for it, nor for a group that is none', async () => {
    expect(await runHere('web', ['token', 'read', '--data-dir', dataDir()])).toMatchObject({ code: 2 });
    const out = join(folder.path, 'other');
    const wrong = await runHere('web', [
      'token',
      'read',
      '--out',
      out,
      '--group',
      'no-such',
      '--data-dir',
      dataDir(),
    ]);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/could not be written: chgrp: .*no-such/),
    ]);
    await expect(stat(out)).rejects.toThrow();
  });
});

it('WB1: no link is had of a bridge that does not run, nor of one without a page', async () => {
  await using folder = await temporaryFolder();
  const ask = () => runHere('web', ['--data-dir', folder.path]);
  expect(await ask()).toMatchObject({ code: 1, stderr: expect.stringContaining('no bridge runs') });
  await using bridge = startCommand([
    process.execPath,
    MAIN,
    ...ALONE,
    '--web-listen',
    'off',
    '--data-dir',
    folder.path,
  ]);
  await bridge.ready();
  expect(await ask()).toMatchObject({ code: 1, stderr: expect.stringContaining('web.listen is off') });
});

it.skipIf(noTerminals)('WB1: who watches a start sees a link, and no log has it', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'log');
  const args = [
    ...ALONE,
    '--web-listen',
    '127.0.0.1:0',
    '--data-dir',
    join(folder.path, 'data'),
    '--log-file',
    file,
  ];
  await using terminal = startOnTerminal([300, 40], [process.execPath, MAIN, ...args]);
  const [, link = ''] = await until(
    'the link is shown',
    () => SECRET.exec(terminal.emulator.rows().join('\n')) ?? undefined,
  );
  const kept = await until('the log is kept', async () => {
    // Its file has a number.
    const names = (await readdir(folder.path)).filter((name) => name.startsWith('log'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder.path, name), 'utf8')));
    return texts.join().includes('"ready"') && texts.join();
  });
  expect(kept).not.toContain(link);
  terminal.kill('SIGTERM');
  expect(await terminal.ended).toBe(0);
});
