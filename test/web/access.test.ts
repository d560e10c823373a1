/** Who may ask the web, and who may order: real requests over real sockets, as they come from anywhere. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { ACCESS, type Access, may } from '../../src/operations/enums.js';
import type { Session } from '../../src/operations/rigs.js';
import { addGuard, NOBODY } from '../../src/web/access/guard.js';
import type { Document } from '../../src/web/api/document/document.js';
import { DOCUMENT_FILE } from '../helpers/tools/api-document.js';
import { ELSEWHERE, guardOf, startGuarded } from '../helpers/web/guarded-web.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { ADMIN, bearer, READ, RULES, TOKENS } from '../helpers/web/operators.js';

const DOCUMENT = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as Document;
const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { 'x-access': access = 'admin' }]) => ({
    path: path.replace(/\{\w+\}/g, 'x'),
    method: method.toUpperCase() as 'GET' | 'POST',
    access,
  })),
);
/** What never ends is asked for elsewhere. */
const READS = OPERATIONS.filter(({ method, path }) => method === 'GET' && path !== '/api/v1/stream');

/** The status of a request as these bytes. */
function statusOf(url: string, text: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text)).on('error', reject);
    socket.once('data', (bytes: Buffer) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString())?.[1]));
      socket.destroy();
    });
  });
}

describe('reads', () => {
  const SESSIONS = '/api/v1/sessions';

  it.each([
    {},
    { host: 'localhost' },
    ELSEWHERE,
    { authorization: `Basic ${Buffer.from(`admin:${ADMIN}`).toString('base64')}` },
    { cookie: `token=${ADMIN}; authorization=Bearer ${ADMIN}` },
  ])('WB1: take a token, also from this machine: %j', async (headers) => {
    await using web = await startGuarded();
    const { status, headers: given, text } = await web.ask(SESSIONS, { headers });
    expect([status, given['www-authenticate']]).toEqual([401, 'Bearer realm="stratum-bridge"']);
    expect(JSON.parse(text)).toEqual({ error: expect.stringContaining('web-admin-token') });
    if ('authorization' in headers) return;
    for (const token of [READ, ADMIN])
      expect(await web.status(SESSIONS, { headers: { ...headers, ...bearer(token) } })).toBe(200);
  });

  it('WB6: are refused to pages from elsewhere, and to those of other ports, but where somebody follows a link', async () => {
    await using web = await startGuarded();
    const status = (path: string, headers: Record<string, string>) =>
      web.status(path, { headers: { ...headers, ...bearer(READ) } });
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', origin: 'http://127.0.0.1:1' },
    ])
      for (const path of ['/healthz', SESSIONS])
        expect([headers, await status(path, headers)]).toEqual([headers, 403]);
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', origin: 'https://by.a.proxy.example' },
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ])
      expect([headers, await status(SESSIONS, headers)]).toEqual([headers, 200]);
  });

  it('are of their moment, are what they say they are, and are nothing for pages from elsewhere', async () => {
    await using web = await startGuarded();
    for (const path of [
      '/metrics',
      '/api/v1/sessions',
      '/api/v1/nothing',
      '/api/v1/sessions?limit=x',
      '/api',
    ])
      for (const headers of [{}, ELSEWHERE])
        expect((await web.ask(path, { headers })).headers).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
        });
  });

  it('take none out of a URL', async () => {
    await using web = await startGuarded();
    for (const name of ['token', 'access_token', 'authorization'])
      expect(await web.status(`/metrics?${name}=${ADMIN}`, { headers: ELSEWHERE })).toBe(401);
    const { text } = await web.ask(`/nothing?token=${ADMIN}`);
    expect(text).toBe('{"error":"there is nothing at /nothing"}');
    expect(JSON.stringify(web.said)).not.toContain(ADMIN);
  });

  it('show whole addresses to operators alone', async () => {
    const peer = '192.0.2.77:5000';
    const { sources } = idleBridge();
    const session: Session = {
      ...{
        id: 1,
        transport: 'tcp',
        port: 'tcp',
        peer,
        bridge: null,
        agent: '',
        logins: [],
        openedAt: new Date(0).toISOString(),
      },
      ...{ chainId: null, difficulty: null, hashRates: [], accepted: 0, rejected: {}, bestShare: null },
    };
    const rigs = { ...sources.rigs, sessions: async () => ({ total: 1, items: [session] }) };
    await using web = await startGuarded({ sources: { ...sources, rigs } });
    const headers = bearer(READ);
    expect((await web.ask('/api/v1/sessions', { headers })).text).toContain(peer);
    web.state.rules = { ...web.state.rules, isPublic: true };
    expect((await web.ask('/api/v1/sessions', { headers: ELSEWHERE })).text).not.toContain('192.0.2');
  });
});

describe('readiness', () => {
  it('is told to everyone, and why not to operators', async () => {
    await using web = await startGuarded();
    const told = async (headers: Readonly<Record<string, string>>) => {
      const { status, text } = await web.ask('/readyz', { headers });
      return [status, JSON.parse(text)];
    };
    const whole = [503, { status: 'waiting', missing: expect.stringContaining('10.1.2.3') }];
    expect(await told(bearer(READ))).toEqual(whole);
    expect(await told({})).toEqual([503, { status: 'waiting' }]);
  });
});

describe('anonymous users', () => {
  const ALWAYS = ['/healthz', '/readyz', '/', '/api', '/api/openapi.json', '/api/reference.css'];
  const OTHERS = ['/metrics'];

  it('see what is for everyone, and with web.public what is for miners, of all that is there', async () => {
    await using web = await startGuarded();
    const open = async (): Promise<string[]> => {
      const paths = [...ALWAYS, ...OTHERS, ...READS.map(({ path }) => path)];
      const statuses = await Promise.all(paths.map((path) => web.status(path, { headers: ELSEWHERE })));
      return paths.filter((_, i) => statuses[i] !== 401);
    };
    const readBy = (...levels: readonly Access[]): string[] =>
      READS.filter(({ access }) => levels.includes(access)).map(({ path }) => path);
    expect(readBy('anonymous')).toEqual(['/api/v1/standing']);
    expect(await open()).toEqual([...ALWAYS, ...readBy('anonymous')]);
    expect(await web.status('/api/v1/stream', { headers: ELSEWHERE })).toBe(401);
    web.state.rules = { ...web.state.rules, isPublic: true };
    expect(await open()).toEqual([...ALWAYS, ...readBy('anonymous', 'miner')]);
    expect(readBy('miner')).toContain('/api/v1/summary');
    expect(await web.status('/api/v1/stream', { headers: ELSEWHERE })).toBe(401);
  });

  it('are told that they are some, and others what their token is', async () => {
    await using web = await startGuarded();
    const told = async (headers: Record<string, string>): Promise<unknown> =>
      JSON.parse((await web.ask('/api/v1/standing', { headers })).text);
    expect(await told(ELSEWHERE)).toEqual({ standing: 'anonymous' });
    expect(await told({ ...ELSEWHERE, ...bearer(READ) })).toEqual({ standing: 'read' });
    expect(await told({ ...ELSEWHERE, ...bearer(ADMIN) })).toEqual({ standing: 'admin' });
    expect(await web.status('/api/v1/standing', { headers: bearer('another') })).toBe(401);
  });

  it('see the totals of a summary and nothing of nodes, parts and instances', async () => {
    await using web = await startGuarded();
    web.state.rules = { ...web.state.rules, isPublic: true };
    const { text } = await web.ask('/api/v1/summary', { headers: ELSEWHERE });
    expect(Object.keys(JSON.parse(text))).toEqual([
      ...['version', 'works', 'sessions', 'hashesPerSecond', 'hashRates', 'submits', 'solutions'],
    ]);
    expect(text).not.toMatch(/secret|10\.1\.2\.3/);
    const whole = await web.ask('/api/v1/summary', { headers: { ...ELSEWHERE, ...bearer(READ) } });
    expect(whole.text).toContain('node.secret.example');
  });

  it('get 404 for what is not there, whatever it is called', async () => {
    await using web = await startGuarded();
    for (const path of ['/nothing', '/api/v1/nothing', '/favicon.ico'])
      expect(await web.status(path, { headers: ELSEWHERE })).toBe(404);
    expect(await web.status('/nothing', { method: 'POST', headers: ELSEWHERE })).toBe(404);
  });
});

describe('a route', () => {
  it('that says nothing is for operators alone, and is an order when it is no read', async () => {
    const app = Fastify();
    addGuard(app, guardOf({ ...RULES, isPublic: true }));
    const say = async (): Promise<object> => ({});
    app.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/plain', handler: say });
    app.get('/miners', { config: { access: 'miner' } }, say);
    app.post('/miners', { config: { access: 'miner' } }, say);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const status = async (method: string, path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { method, headers })).status;
    try {
      expect(await status('GET', '/plain', ELSEWHERE)).toBe(401);
      expect(await status('HEAD', '/plain', ELSEWHERE)).toBe(401);
      expect(await status('GET', '/miners', ELSEWHERE)).toBe(200);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        expect([method, await status(method, '/plain')]).toEqual([method, 401]);
        expect([method, await status(method, '/plain', bearer(READ))]).toEqual([method, 403]);
        expect([method, await status(method, '/plain', { ...ELSEWHERE, ...bearer(ADMIN) })]).toEqual([
          method,
          200,
        ]);
      }
      // What a miner may order is for everybody where the pool is public.
      expect(await status('POST', '/miners')).toBe(200);
    } finally {
      await app.close();
    }
  });
});

describe('orders', () => {
  it('take the admin token from wherever they come, and are logged with who gave them', async () => {
    await using web = await startGuarded();
    for (const headers of [{}, ELSEWHERE]) {
      const without = await web.order(headers);
      expect([without.status, without.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="stratum-bridge"',
      ]);
      expect(without.text).toContain('web-admin-token');
      const read = await web.order({ ...headers, ...bearer(READ) });
      expect([read.status, read.headers['www-authenticate']]).toEqual([
        403,
        'Bearer realm="stratum-bridge", error="insufficient_scope"',
      ]);
      expect(JSON.parse(read.text).error).toMatch(/^this takes access operate, and yours is read/);
    }
    expect(web.state.reloads).toBe(0);
    expect((await web.order(bearer(ADMIN))).status).toBe(200);
    expect((await web.order({ ...ELSEWHERE, authorization: `bearer ${ADMIN}` })).status).toBe(200);
    expect(web.state.reloads).toBe(2);
    const orders = web.said.filter(({ event }) => event === 'order');
    expect(orders).toMatchObject([
      { level: 'info', order: 'POST /api/v1/reload', by: 'admin token', address: '127.0.0.1' },
      { order: 'POST /api/v1/reload', by: 'admin token', address: '192.0.2.7' },
    ]);
  });

  it('are refused to whom there is no token, with empty ones too', async () => {
    await using web = await startGuarded();
    web.state.rules = NOBODY;
    for (const authorization of ['Bearer ', 'Bearer', 'Bearer  ', 'Bearer undefined'])
      expect((await web.order({ authorization })).status).toBe(401);
    expect((await web.order({})).status).toBe(401);
    expect(web.state.reloads).toBe(0);
  });

  it('are taken of no page from elsewhere, also with the token, but of those in web.origins', async () => {
    await using web = await startGuarded();
    const own = `http://${new URL(web.url).host}`;
    const elsewhere = ['https://evil.example', 'null', 'http://127.0.0.1:1', 'nonsense'];
    for (const origin of elsewhere) {
      const { status, text } = await web.order({ origin, ...bearer(ADMIN) });
      expect([origin, status, text]).toEqual([origin, 403, expect.stringContaining('web.origins')]);
    }
    expect((await web.order({ 'sec-fetch-site': 'cross-site', ...bearer(ADMIN) })).status).toBe(403);
    expect(web.state.reloads).toBe(0);
    expect((await web.order({ origin: own, 'sec-fetch-site': 'same-origin', ...bearer(ADMIN) })).status).toBe(
      200,
    );
    web.state.rules = { ...web.state.rules, origins: ['https://evil.example'] };
    const named = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await web.order(named)).status).toBe(401);
    expect((await web.order({ ...named, ...bearer(ADMIN) })).status).toBe(200);
  });
});

describe('every operation', () => {
  const asked = OPERATIONS.filter(({ path }) => path !== '/api/v1/stream');

  it.each([
    ['anonymous', {}, false],
    ['miner', {}, true],
    ...TOKENS.map(({ access, secret }) => [access, bearer(secret), true] as const),
  ] as const)('answers whose access is %s as its entry says', async (standing, headers, isPublic) => {
    await using web = await startGuarded();
    web.state.rules = { ...RULES, isPublic };
    expect(new Set(asked.map(({ access }) => access))).toEqual(new Set(ACCESS));
    for (const { path, method, access } of asked) {
      const status = await web.status(path, { method, headers });
      const isRefused = status === (may(standing, 'read') ? 403 : 401);
      // Signing in is refused to who shows nothing, and a miner's wish to who has no key.
      if (access === 'anonymous' && method !== 'GET') continue;
      expect([method, path, access, isRefused]).toEqual([method, path, access, !may(standing, access)]);
    }
  });
});

describe('POST /make-blocks', () => {
  it('WB1: takes the admin token, also of programs on this machine', async () => {
    await using web = await startGuarded();
    const status = (headers: Readonly<Record<string, string>>) =>
      web.status('/make-blocks', { method: 'POST', headers });
    expect([await status({}), await status(ELSEWHERE), await status(bearer(READ))]).toEqual([401, 401, 403]);
    expect(await status({ origin: 'http://evil.example', ...bearer(ADMIN) })).toBe(403);
    expect(web.state.blocks).toBe(0);
    expect(await status(bearer(ADMIN))).toBe(200);
    expect(web.state.blocks).toBe(1);
  });
});

describe('a request that is none', () => {
  it('WB15: with two names is refused, and a wrong path is looked at as any other', async () => {
    await using web = await startGuarded({ limits: { requestBurst: 2, requestsPerSecond: 1 } });
    const get = (path: string, ...hosts: string[]) =>
      statusOf(web.url, `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`);
    expect(await get('/healthz', 'localhost', 'evil.example')).toBe(400);
    expect(await get('/%zz', 'evil.example')).toBe(403);
    expect([await get('/%zz', 'localhost'), await get('/%zz', 'localhost')]).toEqual([400, 400]);
    expect(await get('/%zz', 'localhost')).toBe(429);
    expect((await web.ask('/%zz', { headers: bearer(READ) })).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('names', () => {
  it('WB7: that are not its own get no answer, whatever is asked and whoever asks', async () => {
    await using web = await startGuarded();
    // WB7: nor is a name without a dot, which anybody in a network may answer.
    for (const host of ['evil.example', 'evil.example.:80', '127.0.0.1.evil.example', 'evilbox'])
      for (const path of ['/healthz', '/metrics', '/api/v1/summary', '/api', '/nothing']) {
        const { status, text } = await web.ask(path, { headers: { host, ...bearer(ADMIN) } });
        expect([path, status, text]).toEqual([path, 403, expect.stringContaining('web.hosts')]);
      }
    expect((await web.order({ host: 'evil.example', ...bearer(ADMIN) })).status).toBe(403);
    expect(web.state.reloads).toBe(0);
  });

  it('WB7: of this machine, and in web.url and web.hosts, get one', async () => {
    await using web = await startGuarded();
    web.state.rules = { ...web.state.rules, hosts: ['pool.example'], url: 'https://page.example:8443' };
    const own = ['127.0.0.1:1', '[::1]', 'localhost', 'a.localhost', hostname(), 'page.example'];
    for (const host of [...own, 'pool.example', 'POOL.example:443', 'pool.example.']) {
      expect(await web.status('/healthz', { headers: { host } })).toBe(200);
      expect(await web.status('/metrics', { headers: { host } })).toBe(401);
      expect(await web.status('/metrics', { headers: { host, ...bearer(READ) } })).toBe(200);
    }
  });
});

describe('pages from elsewhere', () => {
  const origin = 'https://pool.example';
  const preflight = {
    ...{ origin, 'access-control-request-method': 'GET' },
    'access-control-request-headers': 'authorization',
  };
  const corsOf = (headers: object): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control'));

  it('may read no answer unless they are named', async () => {
    await using web = await startGuarded();
    const asked = await web.ask('/api/v1/summary', { headers: { origin, ...bearer(READ) } });
    expect([asked.status, corsOf(asked.headers)]).toEqual([403, []]);
    const before = await web.ask('/api/v1/summary', { method: 'OPTIONS', headers: preflight });
    expect([before.status, corsOf(before.headers)]).toEqual([403, []]);
  });

  it('may read with a token where they are named, and nothing without', async () => {
    await using web = await startGuarded();
    for (const [origins, allowed] of [
      [[origin], origin],
      [['*'], '*'],
    ] as const) {
      web.state.rules = { ...web.state.rules, origins };
      const before = await web.ask('/api/v1/summary', { method: 'OPTIONS', headers: preflight });
      expect([before.status, before.text, before.headers]).toMatchObject([
        204,
        '',
        {
          'access-control-allow-origin': allowed,
          'access-control-allow-headers': expect.stringContaining('authorization'),
          'access-control-allow-methods': expect.stringContaining('DELETE'),
        },
      ]);
      const without = await web.ask('/api/v1/summary', { headers: { origin } });
      expect([without.status, without.headers['access-control-allow-origin']]).toEqual([401, allowed]);
      const asked = await web.ask('/api/v1/summary', { headers: { origin, ...bearer(READ) } });
      expect([asked.status, asked.headers['access-control-allow-origin'], asked.headers['vary']]).toEqual([
        200,
        allowed,
        'Origin',
      ]);
      expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    }
    web.state.rules = { ...web.state.rules, origins: ['https://other.example'] };
    expect(corsOf((await web.ask('/healthz', { headers: { origin } })).headers)).toEqual([]);
  });
});
