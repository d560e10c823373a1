/** How often one address may ask, how many connections it may have, and what comes of wrong tokens. */
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { peerAt } from '../../src/core/names/peer.js';
import { ADDRESS_LIMITS, AddressCounts } from '../../src/web/access/address-counts.js';
import { bearerIn, tokenOf } from '../../src/web/access/tokens.js';
import { until } from '../helpers/until.js';
import { startGuarded } from '../helpers/web/guarded-web.js';
import { ADMIN, bearer, READ, TOKENS } from '../helpers/web/operators.js';

const from = (address: string) => ({ 'x-forwarded-for': address });
const WRONG = bearer('wrong-token-that-is-shown');

describe('wrong tokens', () => {
  it('are told as such, on this machine too', async () => {
    await using web = await startGuarded();
    for (const headers of [WRONG, { ...WRONG, ...from('192.0.2.7') }, { authorization: 'Bearer' }]) {
      const { status, headers: given, text } = await web.ask('/metrics', { headers });
      expect([status, given['www-authenticate']]).toEqual([
        401,
        'Bearer realm="stratum-bridge", error="invalid_token"',
      ]);
      expect(JSON.parse(text).error).toMatch(/^this token is not one of this bridge: .*web-admin-token/);
    }
  });

  it('WB4: keep no right one out, however many came from its address, and are counted in a line a minute', async () => {
    await using web = await startGuarded();
    const status = (headers: Readonly<Record<string, string>>) => web.status('/metrics', { headers });
    for (let i = 0; i < 40; i++) expect(await status(WRONG)).toBe(401);
    expect([await status(bearer(ADMIN)), await status(bearer(READ))]).toEqual([200, 200]);
    web.state.nowMs += 60_000;
    expect(await status({ ...from('192.0.2.7'), ...WRONG })).toBe(401);
    expect(web.said.filter(({ level }) => level === 'warn')).toMatchObject([
      { event: 'wrong-token', address: '127.0.0.1', count: 1 },
      { event: 'wrong-token', address: '192.0.2.7', count: 40 },
    ]);
    expect(JSON.stringify(web.said)).not.toMatch(/wrong-token-that|of-this-test/);
  });

  it('WB4: that wait for their answer are few, and the others hear that at once', async () => {
    await using web = await startGuarded({ limits: { refusalDelayMs: 3_600_000, refusalsWaiting: 2 } });
    const waiting = [0, 1].map(() => web.ask('/metrics', { headers: WRONG }).catch(() => undefined));
    await until('a third one is refused', async () => {
      const { status, headers } = await web.ask('/metrics', { headers: WRONG });
      return status === 429 && headers['retry-after'] === '1';
    });
    expect(await web.status('/metrics', { headers: bearer(ADMIN) })).toBe(200);
    await web[Symbol.asyncDispose]();
    await Promise.all(waiting);
  });

  it('are answered late, while others are answered', async () => {
    await using web = await startGuarded({ limits: { refusalDelayMs: 3_600_000 } });
    let isAnswered = false;
    const refused = web.ask('/metrics', { headers: WRONG }).then(
      () => {
        isAnswered = true;
      },
      () => undefined,
    );
    await until('it has come', () => web.said.some(({ event }) => event === 'wrong-token'));
    for (let i = 0; i < 20; i++) expect(await web.status('/metrics', { headers: bearer(READ) })).toBe(200);
    expect(isAnswered).toBe(false);
    await web[Symbol.asyncDispose]();
    await refused;
    expect(isAnswered).toBe(false);
  });
});

describe('requests', () => {
  it('of anonymous users are bounded by address; operators, health and others are not the worse for it', async () => {
    await using web = await startGuarded({ limits: { requestsPerSecond: 2, requestBurst: 3 } });
    web.state.rules = { ...web.state.rules, isPublic: true };
    const status = (address: string, path = '/api/v1/summary', more = {}) =>
      web.status(path, { headers: { ...from(address), ...more } });
    for (let i = 0; i < 3; i++) expect(await status('192.0.2.7')).toBe(200);
    const {
      status: refused,
      headers,
      text,
    } = await web.ask('/api/v1/summary', { headers: from('192.0.2.7') });
    expect([refused, headers['retry-after'], JSON.parse(text).error]).toEqual([
      429,
      '1',
      'too many requests came from this address: try again in 1 s',
    ]);
    for (const path of ['/metrics', '/nothing', '/api/openapi.json'])
      expect(await status('192.0.2.7', path)).toBe(429);
    expect([await status('192.0.2.7', '/healthz'), await status('192.0.2.7', '/readyz')]).toEqual([200, 503]);
    expect(await status('192.0.2.7', '/api/v1/summary', bearer(READ))).toBe(200);
    expect(await status('192.0.2.8')).toBe(200);
    const asReader = bearer(READ);
    for (let i = 0; i < 10; i++) expect(await web.status('/metrics', { headers: asReader })).toBe(200);
    web.state.nowMs += 500;
    expect([await status('192.0.2.7'), await status('192.0.2.7')]).toEqual([200, 429]);
  });

  it('are counted for who asks a proxy, as far as proxies are believed', async () => {
    await using web = await startGuarded({
      limits: { requestsPerSecond: 1, requestBurst: 1 },
      proxies: ['10.0.0.0/8'],
    });
    const status = (forwarded: string) => web.status('/metrics', { headers: from(forwarded) });
    expect(await status('192.0.2.7, 10.1.1.1')).toBe(401);
    expect(await status('192.0.2.7, 10.2.2.2')).toBe(429);
    expect(await status('192.0.2.8, 10.1.1.1')).toBe(401);
    // What an anonymous user puts before what a proxy adds is not believed.
    expect(await status('192.0.2.9, 192.0.2.8')).toBe(429);
    // What is no address counts for the proxy itself.
    expect([await status('nonsense'), await status('x'.repeat(4000))]).toEqual([401, 429]);
  });
});

describe('connections', () => {
  const outer = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (!outer)
    process.stderr.write('LEFT OUT: connections by another address, because this machine has none\n');

  /** Whether it is answered there, or closed. */
  function asking(socket: Socket): Promise<'answered' | 'closed'> {
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return new Promise((resolve) => {
      socket.once('data', () => resolve('answered'));
      socket.once('close', () => resolve('closed'));
    });
  }

  it.skipIf(!outer).each([
    [[], ['answered', 'answered', 'closed', 'closed']],
    // Who asks for many is not counted.
    [[`${outer}/32`], ['answered', 'answered', 'answered', 'answered']],
  ])('of one address leave room for those of others: proxies %j', async (proxies, answers) => {
    await using web = await startGuarded({ host: '0.0.0.0', limits: { connectionsOfAddress: 2 }, proxies });
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const dial = (): Promise<string> => {
      const socket = connect(Number(new URL(web.url).port), outer).on('error', () => {});
      sockets.push(socket);
      return asking(socket);
    };
    const got: string[] = [];
    for (let i = 0; i < 4; i++) got.push(await dial());
    expect(got).toEqual(answers);
    expect(await web.status('/healthz')).toBe(200);
    sockets[0]?.destroy();
    await until('there is room again', async () => (await dial()) === 'answered');
  });
});

describe('connections that ask half', () => {
  /** Sends half a head, and again whenever it is ended. */
  function halfAsking(port: number, from: string): void {
    const sockets: Socket[] = [];
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    });
    const dial = (i: number): void => {
      if (isOver) return;
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      sockets[i] = socket;
      socket.on('error', () => {}).on('close', () => setImmediate(dial, i));
      socket.write('GET / HTTP/1.1\r\nhost: loc');
    };
    for (let i = 0; i < 40; i++) dial(i);
  }

  it('WB3: do not take the places of those who ask whole, of other addresses and of the same', async () => {
    await using web = await startGuarded({ limits: { connections: 40 } });
    const port = Number(new URL(web.url).port);
    halfAsking(port, '127.0.0.2');
    halfAsking(port, '127.0.0.1');
    for (let i = 0; i < 25; i++) {
      // A connection for each, as a probe has.
      const { statusCode, body } = await request(`${web.url}/healthz`, { reset: true });
      await body.dump();
      expect(statusCode).toBe(200);
    }
  });

  it('WB3: are at most so many of an address, also of this machine', async () => {
    await using web = await startGuarded({
      limits: { unreadOfAddress: 3 },
    });
    const closed: Socket[] = [];
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect(Number(new URL(web.url).port), '127.0.0.1').on('error', () => {});
      socket.once('close', () => closed.push(socket));
      socket.write('GET /healthz HTTP/1.1\r\nhost: loc');
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await until('the others are ended', () => closed.length === 7);
    const [first] = sockets.filter((socket) => !closed.includes(socket));
    first?.write('alhost\r\n\r\n');
    await new Promise((answered) => first?.once('data', answered));
    expect(closed.length).toBe(7);
  });
});

describe('counts of addresses', () => {
  it('are bounded in memory, the longest silent forgotten first', () => {
    const counts = new AddressCounts({ ...ADDRESS_LIMITS, addresses: 100 }, () => 1000);
    for (let i = 0; i < 1000; i++) counts.request(`a${i}`);
    expect(counts.size).toBe(100);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['nonsense', 'nonsense'],
  ])('are by %s as %s', (address, key) => {
    expect(peerAt(address, 0).addressKey).toBe(key);
  });
});

describe('tokens', () => {
  it('are read from the header as RFC 6750 has it', () => {
    expect(['Bearer abc', 'bearer  abc ', 'BEARER abc'].map(bearerIn)).toEqual(['abc', 'abc', 'abc']);
    expect([undefined, '', 'Basic abc', 'Bearerabc', 'token abc'].map(bearerIn)).toEqual(
      Array(5).fill(undefined),
    );
    expect(['Bearer', 'Bearer a b', 'Bearer '].map(bearerIn)).toEqual(['', '', '']);
  });

  it('are one of those that there are', () => {
    expect(
      [ADMIN, READ, '', `${ADMIN}x`, ADMIN.slice(1)].map((token) => tokenOf(token, TOKENS)?.access),
    ).toEqual([...['admin', 'read'], ...[undefined, undefined, undefined]]);
    const empty = [{ name: 'a', access: 'read', secret: '' }] as const;
    expect(['', 'undefined'].map((token) => tokenOf(token, empty))).toEqual([undefined, undefined]);
  });
});
