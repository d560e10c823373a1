/** What HTTP shows of rigs: real rigs at a real stratum server. */
import Fastify from 'fastify';
import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import type { RigWatch } from '../../src/bridge/watch/rig-watch.js';
import { SILENT } from '../../src/core/names/log.js';
import { HashRateMeter } from '../../src/core/shares/hash-rate.js';
import { targetOf } from '../../src/core/work/target.js';
import { addGuard } from '../../src/web/access/guard.js';
import { isLoopback, shortenedAddress } from '../../src/web/api/address.js';
import { addApi } from '../../src/web/api/api.js';
import { tellFaults } from '../../src/web/api/faults.js';
import type { SignInParts } from '../../src/web/api/routes/sessions.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { guardOf } from '../helpers/web/guarded-web.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { bearer, READ, RULES } from '../helpers/web/operators.js';

const HARD = { difficulty: 1n << 100n };

async function apiOf(rigs: RigWatch, isGuarded = true) {
  const app = Fastify();
  tellFaults(app, SILENT);
  if (isGuarded) addGuard(app, guardOf(RULES));
  // Nobody signs in.
  const signIn = {} as SignInParts;
  addApi(app, { state: idleBridge().sources, rigs, signIn, log: SILENT });
  return app;
}

/** The paths as a browser on this machine sees them. */
async function browse(watch: RigWatch) {
  const app = await apiOf(watch);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await request(`${url}/api/v1/${path}`, {
      headers: { ...bearer(READ), ...headers },
    });
    return { status: statusCode, body: (await body.json()) as Record<string, unknown> };
  };
  return { get, [Symbol.asyncDispose]: () => app.close() };
}

/** A rig that has so many shares accepted. */
async function mineAs(bridge: TestBridge, login: string, shares: number) {
  const rig = await bridge.connect('tcp');
  const { result } = await rig.request(1, 'mining.subscribe', ['agent/1']);
  await rig.request(2, 'mining.authorize', [login]);
  const nonce1 = Number.parseInt(String((result as unknown[])[1]), 16) as never;
  const job = bridge.book.liveJobs[0] ?? expect.fail();
  let from = 0;
  for (let i = 0; i < shares; i++) {
    const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
    from = Number.parseInt(nonce2, 16) + 1;
    expect((await rig.request(3 + i, 'mining.submit', [login, job.id, nonce2])).result).toBe(true);
  }
  return rig;
}

describe('hash rates over HTTP', () => {
  it('are those of each session, rig and account, fastest first, with their standard errors', async () => {
    let nowMs = 1_000_000_000;
    await using bridge = await startTestBridge({ clock: { nowMs: () => nowMs } });
    bridge.offer(HARD);
    await using web = await browse(bridge.server.watch);
    await mineAs(bridge, 'a.slow', 1);
    await mineAs(bridge, 'a.fast', 9);
    await mineAs(bridge, 'b', 4);
    nowMs += 9000;
    const rigs = await web.get('rigs');
    expect(rigs.body).toMatchObject({ total: 3, offset: 0, limit: 100 });
    expect(rigs.body['rigs']).toMatchObject([
      { account: 'a', rig: 'fast', sessions: 1 },
      { account: 'b', rig: '', sessions: 1 },
      { account: 'a', rig: 'slow', sessions: 1 },
    ]);
    const accounts = (await web.get('accounts')).body['accounts'] as Rated[];
    expect(accounts).toMatchObject([
      { account: 'a', sessions: 2 },
      { account: 'b', sessions: 1 },
    ]);
    const sessions = (await web.get('sessions')).body['sessions'] as Rated[];
    expect(sessions).toMatchObject([
      { logins: [{ account: 'a', rig: 'fast' }], agent: 'agent/1', chainId: expect.any(Number) },
      { logins: [{ account: 'b', rig: '' }], difficulty: '4', transport: 'tcp' },
      { logins: [{ account: 'a', rig: 'slow' }], peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
    ]);
    // 10 and 9 shares of 4 hashes in 9 s.
    for (const [of, shares, windows] of [
      [accounts[0], 10, [1, 5, 15, 60, 1440]],
      [sessions[0], 9, [1, 5, 15, 60]],
    ] as const) {
      const rates = of?.hashRates ?? expect.fail();
      expect(rates.map(({ minutes }) => minutes)).toEqual(windows);
      for (const { hashesPerSecond, standardError } of rates) {
        expect(hashesPerSecond).toBe(Math.round((4 * shares) / 9));
        expect(standardError).toBe(Math.round((4 * Math.sqrt(shares)) / 9));
      }
    }
  });

  it('count the shares of the CPU for its account too', async () => {
    await using bridge = await startTestBridge();
    const session = { id: 1, transport: 'cpu', peer: 'thread 1' } as const;
    const submit = { session, account: 'me', rig: 'cpu', jobId: '1', detail: '' };
    bridge.events.emit('submit', { ...submit, outcome: 'accepted', difficulty: 1_000_000n });
    bridge.events.emit('submit', { ...submit, outcome: 'stale' });
    await using web = await browse(bridge.server.watch);
    expect((await web.get('rigs')).body['rigs']).toMatchObject([{ account: 'me', rig: 'cpu', sessions: 0 }]);
    expect((await web.get('accounts')).body['total']).toBe(1);
  });

  interface Rated {
    hashRates: { minutes: number; hashesPerSecond: number; standardError: number }[];
  }
});

describe('bans over HTTP', () => {
  it('say who, why and until when', async () => {
    await using bridge = await startTestBridge({ limits: { invalidSubmits: 2, banMs: 60_000 } });
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    await rig.request(2, 'mining.authorize', ['a.r']);
    for (let i = 0; i < 3; i++) rig.send('{"id":3,"method":"mining.submit","params":["a.r","nojob","1"]}');
    await rig.untilClosed();
    await using web = await browse(bridge.server.watch);
    const { body } = await web.get('bans');
    const reason = 'more than 2 wrong submits; the last: no job nojob';
    const until = expect.stringMatching(/^20\d\d-.*Z$/);
    const id = expect.stringMatching(/^[0-9a-f]{12}$/);
    expect(body).toEqual({
      total: 1,
      offset: 0,
      limit: 100,
      bans: [{ id, kind: 'rig', login: 'a.r', address: '127.0.0.1', reason, since: until, until, by: null }],
    });
    bridge.skewMs = 60_001;
    expect((await web.get('bans')).body).toMatchObject({ total: 0, bans: [] });
  });
});

describe('lists over HTTP', () => {
  it('have whole addresses for operators', async () => {
    await using bridge = await startTestBridge();
    await using web = await browse(bridge.server.watch);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.ping');
    expect((await web.get('sessions')).body).toMatchObject({
      sessions: [{ peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }],
    });
  });

  it('come in slices, and are empty until there are rigs', async () => {
    await using bridge = await startTestBridge();
    await using web = await browse(bridge.server.watch);
    expect((await web.get('sessions')).body).toEqual({
      ...{ total: 0, offset: 0, limit: 100, sessions: [] },
    });
    const rigs = await Promise.all([1, 2, 3, 4, 5].map(() => bridge.connect('tcp')));
    await Promise.all(rigs.map((rig, i) => rig.request(i, 'mining.ping')));
    bridge.skewMs += 1001;
    const ids = async (query: string) =>
      ((await web.get(`sessions?${query}`)).body['sessions'] as { id: number }[]).map(({ id }) => id);
    expect(await ids('limit=2')).toEqual([1, 2]);
    expect(await ids('offset=2&limit=2')).toEqual([3, 4]);
    expect(await ids('offset=4')).toEqual([5]);
    expect(await ids('offset=5')).toEqual([]);
    for (const rig of rigs) rig.close();
    await until('all are gone', () => bridge.server.sessions === 0);
    // A list is up to a second old.
    await until('the list is empty', async () => (await web.get('sessions')).body['total'] === 0);
  });

  it('A10: are worked out once a second, however often and for whichever part somebody asks', async () => {
    let nowMs = 1_000_000_000;
    await using bridge = await startTestBridge({ clock: { nowMs: () => nowMs } });
    bridge.offer(HARD);
    await mineAs(bridge, 'a.one', 1);
    await mineAs(bridge, 'a.two', 1);
    const rates = vi.spyOn(HashRateMeter.prototype, 'steadyRate');
    const reports = vi.spyOn(HashRateMeter.prototype, 'rates');
    const { watch } = bridge.server;
    const ask = async (): Promise<void> => {
      for (const limit of [1, 1, 2, 2]) await watch.rigs({ offset: 0, limit });
    };
    await ask();
    expect([rates.mock.calls.length, reports.mock.calls.length]).toEqual([2, 2]);
    nowMs += 999;
    await ask();
    expect([rates.mock.calls.length, reports.mock.calls.length]).toEqual([2, 2]);
    nowMs += 1;
    await ask();
    expect([rates.mock.calls.length, reports.mock.calls.length]).toEqual([4, 4]);
    vi.restoreAllMocks();
  });

  it('say what is wrong with a request', async () => {
    await using bridge = await startTestBridge();
    await using web = await browse(bridge.server.watch);
    const refused = async (query: string): Promise<unknown> => {
      const { status, body } = await web.get(`sessions?${query}`);
      expect(status).toBe(400);
      return body['error'];
    };
    expect(await refused('limit=0')).toBe('limit is a whole number from 1 to 1000, not "0"');
    expect(await refused('limit=many')).toBe('limit is a whole number from 1 to 1000, not "many"');
    expect(await refused('limit=1&limit=2')).toBe('limit is a whole number from 1 to 1000, not ["1","2"]');
    expect(await refused('offset=-1')).toBe('offset is a whole number from 0 to 10000000, not "-1"');
    expect(await refused('page=2')).toBe('there is no parameter "page", only offset and limit');
  });
});

describe('addresses of rigs', () => {
  it('are shown in full only where nobody else can ask', async () => {
    expect(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'].map(isLoopback)).toEqual(
      Array(4).fill(true),
    );
    expect(['0.0.0.0', '::', '192.0.2.1', '2001:db8::1', ''].map(isLoopback)).toEqual(Array(5).fill(false));
    expect(
      ['192.0.2.7:5000', '192.0.2.7', '[2001:db8:1:2::3]:5000', '2001:db8:1:2::/64'].map(shortenedAddress),
    ).toEqual(['192.0.2.x', '192.0.2.x', '2001:db8:1::/48', '2001:db8:1::/48']);
    await using bridge = await startTestBridge();
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.ping');
    const app = await apiOf(bridge.server.watch, false);
    // Who was not looked at is an anonymous user, should a list ever be for those.
    const { sessions } = (await app.inject('/api/v1/sessions')).json() as { sessions: { peer: string }[] };
    expect(sessions.map(({ peer }) => peer)).toEqual(['127.0.0.x']);
    await app.close();
  });
});
