/** The socket of `ctl`: the same routes for its owner alone, on a real bridge's side of it. */
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { controlFault, controlSocketIn } from '../../src/web/control-socket.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startControlServer } from '../../src/web/server.js';
import { temporaryFolder } from '../helpers/folder.js';
import { startGuarded } from '../helpers/web/guarded-web.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { READ } from '../helpers/web/operators.js';
import { rigAs, startSteeredWeb } from '../helpers/web/steered-web.js';

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

interface Wanted {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function askBy(socketPath: string, path: string, { method = 'GET', headers = {}, body }: Wanted = {}) {
  const client = new Client('http://ctl', { socketPath });
  try {
    const json = { 'content-type': 'application/json', ...headers };
    const sent = body ? { headers: json, body: JSON.stringify(body) } : { headers, body: null };
    const answer = await client.request({ method: method as 'GET', path, ...sent });
    return { status: answer.statusCode, text: await answer.body.text() };
  } finally {
    await client.destroy();
  }
}

async function startAt(path: string, more: Parameters<typeof startGuarded>[0] = {}) {
  const failures: string[] = [];
  const control = { path, failed: (why: string) => void failures.push(why) };
  return { ...(await startGuarded({ control, ...more })), failures };
}

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe('the socket of ctl', () => {
  it('answers as the web does, without a token, whatever name it is asked by, and as often as it is asked', async () => {
    const path = controlSocketIn(await newFolder());
    await using web = await startAt(path, { limits: { requestBurst: 1, requestsPerSecond: 1 } });
    expect([web.failures, modeOf(path), lstatSync(path).isSocket()]).toEqual([[], 0o600, true]);
    for (const host of ['ctl', 'evil.example', 'x'.repeat(300)])
      for (const read of ['/api/v1/summary', '/metrics', '/api/v1/bans'])
        expect([host, read, (await askBy(path, read, { headers: { host } })).status]).toEqual([
          host,
          read,
          200,
        ]);
    const reload = { method: 'POST' };
    expect((await askBy(path, '/api/v1/reload', reload)).status).toBe(200);
    expect((await askBy(path, '/nothing')).status).toBe(404);
    // What opens the web to none opens it to ctl, and a token of another kind changes nothing.
    web.state.rules = { ...web.state.rules, tokens: [] };
    for (const authorization of ['Bearer wrong', `Bearer ${READ}`])
      expect((await askBy(path, '/api/v1/reload', { ...reload, headers: { authorization } })).status).toBe(
        200,
      );
    expect(web.state.reloads).toBe(3);
    expect((await web.order({})).status).toBe(401);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-real-ip': '192.0.2.7' },
    { via: '1.1 proxy' },
  ])('answers no page, and no proxy for others: %j', async (headers) => {
    const path = controlSocketIn(await newFolder());
    await using web = await startAt(path);
    for (const asked of [{ headers }, { headers, method: 'POST' }]) {
      const { status, text } = await askBy(path, '/api/v1/reload', asked);
      expect([status, text]).toEqual([403, expect.stringContaining('for `stratum-bridge ctl`')]);
    }
    expect(web.state.reloads).toBe(0);
  });

  it('answers no HTTP/1.0, by which nginx asks for others', async () => {
    const path = controlSocketIn(await newFolder());
    await using _web = await startAt(path);
    const answer = new Promise<string>((resolve, reject) => {
      const socket = connect(path, () => socket.write('GET /metrics HTTP/1.0\r\n\r\n'));
      socket.once('data', (bytes: Buffer) => resolve(bytes.toString())).once('error', reject);
    });
    expect(await answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('names the user who gives an order in the timeline and the log, and takes no name over the web', async () => {
    const path = controlSocketIn(await newFolder());
    await using web = await startSteeredWeb({}, { control: { path, failed: (why) => expect.fail(why) } });
    const message = { method: 'POST', body: { to: 'all', text: 'tea' } };
    const by = async (headers: Record<string, string>) => {
      expect((await askBy(path, '/api/v1/messages', { ...message, headers })).status).toBe(200);
      return web.lines.at(-1)?.by;
    };
    expect(await by({ 'x-ctl-user': 'ann' })).toBe('ctl (user ann)');
    expect(await by({ 'x-ctl-user': encodeURIComponent('DOMAIN\\Jörg') })).toBe('ctl (user DOMAIN\\Jörg)');
    for (const user of ['', '%0Aroot', '%', 'x'.repeat(65)])
      expect(await by({ 'x-ctl-user': user })).toBe('ctl');
    await askBy(path, '/api/v1/reload', { method: 'POST', headers: { 'x-ctl-user': 'ann' } });
    expect(web.lines.at(-1)).toMatchObject({ kind: 'reloaded', by: 'ctl (user ann)' });
    await web.ask('POST', '/api/v1/reload', undefined, {
      ...{ 'x-ctl-user': 'ann', authorization: 'Bearer admin-token-of-this-test' },
    });
    expect(web.lines.at(-1)).toMatchObject({ kind: 'reloaded', by: 'admin token' });
    const rig = await rigAs(web.bridge, 'tcp', 'a.r');
    const ban = { kind: 'login', account: 'a', rig: 'r', reason: 'dust' };
    await askBy(path, '/api/v1/bans', { method: 'POST', body: ban });
    await rig.untilClosed();
  });

  it('is open to nobody else at any moment of its making', async () => {
    const folder = await newFolder();
    const path = controlSocketIn(folder);
    const seen = new Set<string>();
    const look = (): void => {
      for (const name of readdirSync(folder)) {
        const mode = modeOf(join(folder, name));
        seen.add(`${name} ${mode.toString(8)}`);
      }
    };
    for (let i = 0; i < 20; i++) {
      let isDone = false;
      const starting = startAt(path).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        try {
          look();
        } catch (error) {
          // It went between the list and the look.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        }
        await turn();
      }
      await (await starting)[Symbol.asyncDispose]();
    }
    // The folder that it is made in is its owner's alone, and it comes out of there closed.
    expect([...seen].sort()).toEqual(['.ctl 700', 'ctl.sock 600']);
  });

  it('takes the place of what a killed process left there, and goes with its bridge', async () => {
    const folder = await newFolder();
    const path = controlSocketIn(folder);
    const former = createServer().listen(path);
    await new Promise((resolve) => former.once('listening', resolve));
    mkdirSync(join(folder, '.ctl'));
    writeFileSync(join(folder, '.ctl', 's'), '');
    {
      await using web = await startAt(path);
      expect([web.failures, (await askBy(path, '/healthz')).status]).toEqual([[], 200]);
      expect(readdirSync(folder)).toEqual(['ctl.sock']);
    }
    expect(readdirSync(folder)).toEqual([]);
    former.close();
  });

  it('is done without where there can be none, which is told', async () => {
    const folder = await newFolder();
    const deep = join(folder, 'x'.repeat(100));
    mkdirSync(deep);
    mkdirSync(join(folder, 'taken', 'ctl.sock', 'x'), { recursive: true });
    for (const [place, why] of [
      [deep, /has \d+ bytes, and that of a Unix socket at most 10[37]: choose a shorter data directory/],
      [join(folder, 'taken'), /EISDIR|ENOTEMPTY|EEXIST/],
      [join(folder, 'nowhere'), /ENOENT/],
    ] as const) {
      await using web = await startAt(controlSocketIn(place));
      expect(web.failures).toEqual([expect.stringMatching(why)]);
      expect(await web.status('/healthz')).toBe(200);
    }
    expect(controlFault(controlSocketIn(deep))).toMatch(/^the path .* has \d+ bytes/);
    // A shorter name of the same folder will do.
    symlinkSync(deep, join(folder, 'short'));
    const path = controlSocketIn(join(folder, 'short'));
    await using web = await startAt(path);
    expect([web.failures, (await askBy(path, '/healthz')).status]).toEqual([[], 200]);
  });

  it('is there also where the web is off', async () => {
    const path = controlSocketIn(await newFolder());
    const { events, sources } = idleBridge();
    const control = { path, failed: (why: string) => expect.fail(why) };
    const metrics = createMetrics(events, sources);
    const web = await startControlServer({ sources, metrics, log: SILENT, control });
    expect((await askBy(path, '/api/v1/summary')).status).toBe(200);
    // An answer that never ends is no reason to go on.
    const stream = new Client('http://ctl', { socketPath: path });
    const { body } = await stream.request({ method: 'GET', path: '/api/v1/stream' });
    const cut = body.text().catch(() => 'cut');
    await web.close();
    await cut;
    await stream.destroy();
    expect(existsSync(path)).toBe(false);
  });
});
