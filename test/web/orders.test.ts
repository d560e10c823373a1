/** Orders over HTTP, as rigs meet them and as the timeline tells them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeptOrders } from '../../src/bridge/orders/steering.js';
import { difficultyOf, targetFromHexBigEndian } from '../../src/core/work/target.js';
import { WIRE_TRANSPORTS, type WireRig, type WireTransport } from '../helpers/rigs/wire-rig.js';
import type { TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { ELSEWHERE } from '../helpers/web/guarded-web.js';
import { ADMIN, bearer, READ } from '../helpers/web/operators.js';
import { type Method, rigAs, type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const HARD = { difficulty: 1n << 100n };
const BY = 'admin token';

interface Listed {
  readonly id: number;
  readonly openedAt: string;
  readonly logins: readonly { readonly account: string; readonly rig: string }[];
}

async function sessionOf({ bridge, ask }: SteeredWeb, login: string): Promise<Listed> {
  // Lists are up to a second old.
  bridge.skewMs += 1000;
  const sessions = (await ask('GET', '/api/v1/sessions')).body['sessions'] as Listed[];
  const found = sessions.find(({ logins }) =>
    logins.some(({ account, rig }) => `${account}.${rig}` === login),
  );
  return found ?? expect.fail(`no session of ${login}`);
}

async function refusalOf(bridge: TestBridge, transport: WireTransport, login: string): Promise<unknown> {
  const rig = await bridge.connect(transport);
  const { result, error } = await rig.request(1, 'mining.authorize', [login, 'x']);
  rig.close();
  return result === true ? undefined : error?.[1];
}

const shownTo = (rig: WireRig): unknown[] =>
  rig.notices('client.show_message').map(({ params }) => params?.[0]);

const difficultiesOf = (rig: WireRig): bigint[] =>
  rig.notices('mining.set_target').map(({ params }) => {
    const target = targetFromHexBigEndian(String(params?.[0]));
    return target ? difficultyOf(target) : expect.fail('no target');
  });

describe.each(WIRE_TRANSPORTS)('orders over HTTP, of rigs over %s', (transport) => {
  it('close one session, and never another that has its number', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r', true);
    const { id, openedAt } = await sessionOf(web, 'a.r');
    const path = `/api/v1/sessions/${id}/close`;
    const earlier = new Date(Date.parse(openedAt) - 1).toISOString();
    expect(await web.ask('POST', path, { openedAt: earlier })).toEqual({
      status: 404,
      body: { error: `no session ${id} is open that was opened at ${earlier}` },
    });
    expect((await web.ask('POST', '/api/v1/sessions/99/close', { openedAt })).status).toBe(404);
    expect((await rig.request(3, 'mining.ping')).result).toBe('pong');
    expect(await web.ask('POST', path, { openedAt, reason: 'new cable' })).toEqual({
      status: 200,
      body: { closed: { id, openedAt } },
    });
    await rig.untilClosed();
    expect(shownTo(rig)).toEqual(['closed by the operator: new cable']);
    expect(web.lines).toMatchObject([{ kind: 'sessionClosed', by: BY, facts: { session: id, openedAt } }]);
    expect(web.lines[0]?.says).not.toContain('127.0.0.1');
    expect((await web.ask('POST', path, { openedAt })).status).toBe(404);
  });

  it.each<[whom: object, out: string, stays: string | undefined]>([
    [{ kind: 'login', account: 'a', rig: 'r' }, 'a.r', 'a.s'],
    [{ kind: 'login', account: 'a', rig: '' }, 'a', 'a.r'],
    [{ kind: 'account', account: 'a' }, 'a.r', 'b.r'],
    [{ kind: 'rig', account: 'a', rig: 'r', address: '127.0.0.1' }, 'a.r', 'a.s'],
  ])('ban %j, whose sessions end and who is refused until it is taken back', async (whom, out, stays) => {
    const kept: KeptOrders[] = [];
    await using web = await startSteeredWeb({ keeper: { keep: async (all) => void kept.push(all) } });
    const met = await rigAs(web.bridge, transport, out);
    const { status, body } = await web.ask('POST', '/api/v1/bans', { ...whom, reason: 'dust' });
    expect([status, body]).toMatchObject([200, { closed: 1, isKept: true, ban: { by: BY, until: null } }]);
    await met.untilClosed();
    expect(await refusalOf(web.bridge, transport, out)).toBe('banned: dust');
    if (stays) expect(await refusalOf(web.bridge, transport, stays)).toBeUndefined();
    const { id } = body['ban'] as { id: string };
    expect((await web.ask('GET', '/api/v1/bans')).body['bans']).toEqual([body['ban']]);
    expect(await web.ask('DELETE', `/api/v1/bans/${id}`)).toEqual({
      status: 200,
      body: { ban: body['ban'], isKept: true },
    });
    expect(await refusalOf(web.bridge, transport, out)).toBeUndefined();
    expect((await web.ask('DELETE', `/api/v1/bans/${id}`)).status).toBe(404);
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual([
      ['banned', BY],
      ['unbanned', BY],
    ]);
    expect(kept.map(({ bans }) => bans.length)).toEqual([1, 0]);
  });

  it('ban an address, and everybody who comes from it', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r');
    const order = { kind: 'address', address: '127.0.0.1', reason: 'a flood', forMs: 3_600_000 };
    const { body } = await web.ask('POST', '/api/v1/bans', order);
    expect(body).toMatchObject({ closed: 1, ban: { address: '127.0.0.1' } });
    const { since, until: end } = body['ban'] as { since: string; until: string };
    expect(Date.parse(end)).toBeGreaterThan(Date.parse(since));
    await rig.untilClosed();
    const late = await web.bridge.connect(transport);
    const { error } = await late.request(1, 'mining.subscribe', ['test/1', null]);
    expect(error?.[1]).toContain('a flood');
    await late.untilClosed();
    expect(web.lines).toMatchObject([{ kind: 'banned', by: BY, facts: { address: '127.0.0.1' } }]);
  });

  it('hold a rig at a difficulty from its next job on, one without a name too, and let it go', async () => {
    await using web = await startSteeredWeb({ shareDifficulty: 64n });
    web.bridge.offer(HARD);
    for (const [login, path] of [
      ['a.difficulty', '/api/v1/rigs/a/difficulty/difficulty'],
      ['a', '/api/v1/rigs/a/difficulty'],
    ] as const) {
      const rig = await rigAs(web.bridge, transport, login);
      await until('a job', () => rig.notices('mining.notify').length === 1);
      const [account = '', name = ''] = login.split('.');
      const whom = { account, rig: name };
      expect(await web.ask('PUT', path, { difficulty: '4096' })).toEqual({
        status: 200,
        body: { ...whom, difficulty: '4096', sessions: 1, isKept: false },
      });
      const { body } = await web.ask('GET', '/api/v1/difficulties');
      expect(body).toMatchObject({ total: 1, difficulties: [{ ...whom, difficulty: '4096', by: BY }] });
      web.bridge.offer({ ...HARD, parent: 2 });
      await until('it is told', () => difficultiesOf(rig).at(-1) === 4096n);
      expect(await web.ask('DELETE', path)).toMatchObject({ status: 200, body: { difficulty: null } });
      expect((await web.ask('DELETE', path)).status).toBe(404);
      web.bridge.offer({ ...HARD, parent: 3 });
      await until('it has its own again', () => difficultiesOf(rig).at(-1) === 64n);
      rig.close();
      await until('it has gone', () => web.bridge.server.sessions === 0);
      web.bridge.offer({ ...HARD, parent: 4 });
    }
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(4).fill(['difficultyOrdered', BY]));
  });

  it('give a rig a label, one without a name too, and take it away', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.label');
    const label = 'the loud one, shelf 3';
    for (const [name, path] of [
      ['label', '/api/v1/rigs/a/label/label'],
      ['', '/api/v1/rigs/a/label'],
    ] as const) {
      const whom = { account: 'a', rig: name };
      expect(await web.ask('PUT', path, { label })).toEqual({
        status: 200,
        body: { ...whom, label, isKept: false },
      });
      const { body } = await web.ask('GET', '/api/v1/labels');
      expect(body).toMatchObject({ total: 1, labels: [{ ...whom, label, by: BY }] });
      web.bridge.skewMs += 1000;
      const found = await web.ask('GET', '/api/v1/rigs?q=SHELF');
      expect(found.body).toMatchObject({ rigs: name === '' ? [] : [{ ...whom, label }] });
      expect(await web.ask('DELETE', path)).toMatchObject({ status: 200, body: { label: null } });
      expect(await web.ask('DELETE', path)).toMatchObject({ status: 404 });
    }
    expect(await web.ask('PUT', '/api/v1/rigs/a/label', { label: '' })).toEqual({
      status: 400,
      body: { error: 'the label is empty' },
    });
    rig.close();
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(4).fill(['rigLabelled', BY]));
  });

  it('allow and deny addresses, and close who may not be here any more', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r');
    const path = (list: string, addresses: string) =>
      `/api/v1/addresses/${list}/${encodeURIComponent(addresses)}`;
    expect(await web.ask('PUT', path('deny', '10.1.2.3/8'))).toEqual({
      status: 200,
      body: { list: 'deny', addresses: '10.0.0.0/8', isOn: true, closed: 0, isKept: false },
    });
    expect(rig.closed).toBe(false);
    expect(await web.ask('PUT', path('deny', '127.0.0.0/8'))).toMatchObject({
      status: 200,
      body: { closed: 1 },
    });
    await rig.untilClosed();
    expect((await web.ask('GET', '/api/v1/addresses?limit=1')).body).toMatchObject({
      total: 2,
      addresses: [{ list: 'deny', addresses: '10.0.0.0/8', by: BY }],
    });
    const out = await web.bridge.connect(transport).catch(() => undefined);
    await out?.untilClosed();
    expect(await web.ask('DELETE', path('deny', '127.0.0.0/8'))).toMatchObject({
      status: 200,
      body: { isOn: false },
    });
    const back = await rigAs(web.bridge, transport, 'a.r');
    expect(await web.ask('PUT', path('allow', '192.0.2.0/24'))).toMatchObject({ body: { closed: 1 } });
    await back.untilClosed();
    expect(await web.ask('DELETE', path('allow', '192.0.2.1'))).toMatchObject({ status: 404 });
    for (const wrong of ['here', '10.0.0.0/33', '10.0.0.0/0', 'fe80::1%eth0', '1.2.3.4/5/6'])
      expect(await web.ask('PUT', path('deny', wrong))).toMatchObject({
        ...{ status: 400, body: { error: expect.stringContaining('is no address or prefix') } },
      });
    expect(await web.ask('PUT', path('both', '10.0.0.1'))).toMatchObject({ status: 400 });
    expect(web.bridge.closings).toEqual([
      'the address 127.0.0.1 is denied here',
      'the address 127.0.0.1 is not allowed here',
    ]);
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(4).fill(['ordered', BY]));
  });

  it('show a text to those who take it', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r', true);
    await rigAs(web.bridge, transport, 'b.s');
    const { id, openedAt } = await sessionOf(web, 'a.r');
    const tell = async (audience: object) =>
      (await web.ask('POST', '/api/v1/messages', { ...audience, text: 'tea at five' })).body;
    expect(await tell({ to: 'all' })).toEqual({ told: 1, sessions: 2 });
    expect(await tell({ to: 'account', account: 'a' })).toEqual({ told: 1, sessions: 1 });
    expect(await tell({ to: 'login', account: 'b', rig: 's' })).toEqual({ told: 0, sessions: 1 });
    expect(await tell({ to: 'session', id, openedAt })).toEqual({ told: 1, sessions: 1 });
    expect(await tell({ to: 'session', id: 99, openedAt })).toEqual({
      error: expect.stringContaining('no session 99 is open'),
    });
    await until('it has all three', () => shownTo(rig).length === 3);
    expect(new Set(shownTo(rig))).toEqual(new Set(['tea at five']));
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(4).fill(['messageSent', BY]));
  });

  it('empty the bridge, which lets nobody in until that is cancelled', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r');
    const off = { state: 'off', by: null, startedAt: null, endsAt: null, stops: false };
    expect((await web.ask('GET', '/api/v1/drain')).body).toMatchObject(off);
    const begun = await web.ask('POST', '/api/v1/drain', { overMs: 60_000 });
    expect(begun).toMatchObject({ status: 200, body: { state: 'draining', by: BY, sessions: 1, left: 1 } });
    const { startedAt, endsAt } = begun.body as { startedAt: string; endsAt: string };
    expect(Date.parse(endsAt) - Date.parse(startedAt)).toBe(60_000);
    expect((await web.ask('POST', '/api/v1/drain', {})).status).toBe(409);
    const late = await web.bridge.connect(transport).catch(() => undefined);
    await late?.untilClosed();
    expect((await web.ask('GET', '/api/v1/drain')).body).toMatchObject({ state: 'draining', left: 1 });
    expect((await web.ask('DELETE', '/api/v1/drain')).body).toMatchObject(off);
    expect((await web.ask('DELETE', '/api/v1/drain')).status).toBe(409);
    expect(await refusalOf(web.bridge, transport, 'a.s')).toBeUndefined();
    expect((await rig.request(9, 'mining.ping')).result).toBe('pong');
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(2).fill(['drain', BY]));
  });
});

describe('who gave an order', () => {
  it('stands in the timeline, of a reload as well, without an address', async () => {
    await using web = await startSteeredWeb();
    const headers = { ...ELSEWHERE, ...bearer(ADMIN) };
    await web.ask('POST', '/api/v1/reload', undefined, headers);
    await web.ask('POST', '/api/v1/messages', { to: 'all', text: 'tea' }, headers);
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual([
      ['reloaded', BY],
      ['messageSent', BY],
    ]);
    expect(JSON.stringify(web.lines)).not.toContain('192.0.2');
  });

  it('is nobody who has no admin token', async () => {
    await using web = await startSteeredWeb();
    for (const [status, headers] of [
      [401, {}],
      [401, ELSEWHERE],
      [403, bearer(READ)],
    ] as const) {
      const order = { kind: 'account', account: 'a', reason: 'dust' };
      expect((await web.ask('POST', '/api/v1/bans', order, headers)).status).toBe(status);
      expect((await web.ask('POST', '/api/v1/drain', {}, headers)).status).toBe(status);
    }
    expect(web.lines).toEqual([]);
  });
});

describe('an order', () => {
  it('that cannot be written down is in force, and its answer says so', async () => {
    const keeper = { keep: () => Promise.reject(new Error('the disk is full')) };
    await using web = await startSteeredWeb({ keeper });
    const order = { kind: 'account', account: 'a', reason: 'dust' };
    expect((await web.ask('POST', '/api/v1/bans', order)).body['isKept']).toBe(false);
    expect(await refusalOf(web.bridge, 'tcp', 'a.r')).toBe('banned: dust');
    const held = await web.ask('PUT', '/api/v1/rigs/a/r/difficulty', { difficulty: '8' });
    expect(held.body['isKept']).toBe(false);
  });

  it.each<[Method, string, unknown, RegExp]>([
    ['POST', 'bans', undefined, /^what was sent is a JSON object, not n/],
    ['POST', 'bans', {}, /^kind is one of rig, login, account, address, not nothing$/],
    ['POST', 'bans', { kind: 'rigs' }, /^kind is one of rig, login, account, address, not "rigs"$/],
    ['POST', 'bans', { kind: 'account', account: 'a' }, /^reason is a text, not nothing$/],
    ['POST', 'bans', { kind: 'account', account: 'a', reason: ' ' }, /^the reason is empty$/],
    ['POST', 'bans', { kind: 'account', account: 'a.b', reason: 'x' }, /holds a dot/],
    ['POST', 'bans', { kind: 'address', address: 'here', reason: 'x' }, /^"here" is no address/],
    [
      ...(['POST', 'bans', { kind: 'account', account: 'a', rig: 'r', reason: 'x' }] as const),
      /^there is no parameter "rig", only kind, account, reason, until and forMs$/,
    ],
    [
      ...(['POST', 'bans', { kind: 'account', account: 'a', reason: 'x', until: 'tomorrow' }] as const),
      /^until is a time such as .*, not "tomorrow"$/,
    ],
    [
      ...(['POST', 'bans'] as const),
      { kind: 'account', account: 'a', reason: 'x', until: '2000-01-01T00:00:00Z' },
      /^the end of a ban lies in the future$/,
    ],
    [
      ...(['POST', 'bans'] as const),
      { kind: 'account', account: 'a', reason: 'x', until: '2999-01-01T00:00:00Z', forMs: 5 },
      /^until and forMs are two ends/,
    ],
    ['POST', 'bans', '{"kind"', /JSON/],
    ['POST', 'sessions/1/close', {}, /^openedAt is a time such as/],
    ['POST', 'sessions/x/close', { openedAt: '2026-01-01T00:00:00Z' }, /^id is a whole number/],
    ['POST', 'drain', { overMs: -1 }, /^overMs is a number of milliseconds from 0 to 86400000, not -1$/],
    ['POST', 'drain', { stop: 1 }, /^stop is true or false, not 1$/],
    ['POST', 'messages', { to: 'all', text: 'two\nlines' }, /control character/],
    ['POST', 'messages', { to: 'all', text: 'x'.repeat(501) }, /at most 500 characters/],
    ['POST', 'messages', { to: 'session', text: 'x' }, /^id is the number of a session, not nothing$/],
    ['PUT', 'rigs/a/r/difficulty', { difficulty: '1e9' }, /^difficulty is expected hashes, as a decimal/],
    ['PUT', 'rigs/a/r/difficulty', { difficulty: '0' }, /from 1 to 2\^200, not "0"$/],
    ['PUT', `rigs/a/${'x'.repeat(65)}/difficulty`, { difficulty: '1' }, /at most 64 bytes/],
    ['DELETE', 'rigs/a.b/r/difficulty', undefined, /holds a dot/],
    ['DELETE', `bans/${'x'.repeat(41)}`, undefined, /^id is the id of a ban, not "x+/],
  ])('that is wrong is told why and changes nothing: %s %s %j', async (method, path, body, says) => {
    await using web = await startSteeredWeb();
    const { status, body: told } = await web.ask(method, `/api/v1/${path}`, body);
    expect([status, told]).toEqual([400, { error: expect.stringMatching(says) }]);
    expect(web.lines).toEqual([]);
  });

  it('is answered as the document says, whatever stands in it', async () => {
    await using web = await startSteeredWeb();
    const name = fc.oneof(
      fc.constantFrom('a', 'r', 'x'.repeat(70)),
      fc.string({ minLength: 1, maxLength: 20 }),
    );
    const words = [
      'rig',
      'login',
      'account',
      'address',
      'session',
      'all',
      '::1',
      '2999-01-01T00:00:00Z',
      '12',
    ];
    const value = fc.oneof(fc.constantFrom<unknown>(...words, 0, 1, -1, true, null), fc.jsonValue());
    const keys = ['kind', 'to', 'account', 'rig', 'address', 'reason', 'until', 'forMs', 'text', 'id'];
    const more = ['openedAt', 'difficulty', 'overMs', 'stop', 'note', 'url', 'password', '__proto__'];
    const body = fc.oneof(fc.dictionary(fc.constantFrom(...keys, ...more), value), fc.jsonValue());
    const order = fc.constantFrom<[Method, (part: string) => string]>(
      ['POST', (part) => `sessions/${part}/close`],
      ['POST', () => 'bans'],
      ['DELETE', (part) => `bans/${part}`],
      ['PUT', (part) => `rigs/${part}/r/difficulty`],
      ['PUT', (part) => `rigs/${part}/difficulty`],
      ['DELETE', (part) => `rigs/${part}/${part}/difficulty`],
      ['DELETE', (part) => `rigs/${part}/difficulty`],
      ['POST', () => 'drain'],
      ['DELETE', () => 'drain'],
      ['POST', () => 'messages'],
      ['POST', () => 'payouts'],
      ['POST', (part) => `payouts/${part}/paid`],
      ['POST', (part) => `payouts/${part}/cancel`],
      ['POST', (part) => `payouts/${part}/unknown`],
    );
    await fc.assert(
      fc.asyncProperty(order, name, body, async ([method, path], part, sent) => {
        // What is no part of a path but a path is another route.
        fc.pre(part !== '.' && part !== '..');
        await web.ask(
          method,
          `/api/v1/${path(encodeURIComponent(part))}`,
          method === 'DELETE' ? undefined : sent,
        );
      }),
      { numRuns: 400 },
    );
  });
});
