/** Orders over HTTP, as rigs meet them and as the timeline tells them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { difficultyOf, targetFromHexBigEndian } from '../../src/core/work/target.js';
import type { Refused } from '../../src/operations/entry/operation.js';
import type { Replacement } from '../../src/operations/replace.js';
import type { KeptOrders } from '../../src/stratum/operator/order-saver.js';
import { WIRE_TRANSPORTS, type WireRig, type WireTransport } from '../helpers/rigs/wire-rig.js';
import type { TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { ELSEWHERE } from '../helpers/web/guarded-web.js';
import { ADMIN, bearer, READ } from '../helpers/web/operators.js';
import { type Method, rigAs, type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const HARD = { difficulty: 1n << 100n };
const BY = 'admin token';
const RIG = { account: 'a', rig: 'r' };
const ACCOUNT_BAN = { kind: 'account', account: 'a', reason: 'x' };
const LOGIN_BAN = { kind: 'login', ...RIG };
const ADDRESS_BAN = { kind: 'address', address: '192.0.2.7' };

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

/** The same time as clocks an hour east of Greenwich show it. */
const elsewhere = (time: string): string =>
  new Date(Date.parse(time) + 3_600_000).toISOString().replace('Z', '+01:00');

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
    [{ kind: 'rig', account: 'a', rig: 'r', address: '::ffff:127.0.0.1' }, 'a.r', 'a.s'],
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
    const order = { kind: 'address', address: '127.0.0.1', reason: 'a flood', for: '1h' };
    const { body } = await web.ask('POST', '/api/v1/bans', order);
    expect(body).toMatchObject({ closed: 1, ban: { address: '127.0.0.1' } });
    const { since, until: end } = body['ban'] as { since: string; until: string };
    expect(Date.parse(end) - Date.parse(since)).toBe(3_600_000);
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
    const hold = (whom: object, difficulty: string | null) =>
      web.ask('PUT', '/api/v1/difficulties', { ...whom, difficulty });
    for (const login of ['a.r', 'a']) {
      const rig = await rigAs(web.bridge, transport, login);
      await until('a job', () => rig.notices('mining.notify').length === 1);
      const [account = '', name = ''] = login.split('.');
      const whom = { account, rig: name };
      expect(await hold(whom, '4.096k')).toEqual({
        status: 200,
        body: { ...whom, difficulty: '4096', sessions: 1, isKept: false },
      });
      const { body } = await web.ask('GET', '/api/v1/difficulties');
      expect(body).toMatchObject({ total: 1, difficulties: [{ ...whom, difficulty: '4096', by: BY }] });
      web.bridge.offer({ ...HARD, parent: 2 });
      await until('it is told', () => difficultiesOf(rig).at(-1) === 4096n);
      expect(await hold(whom, null)).toMatchObject({ status: 200, body: { difficulty: null } });
      expect(await hold(whom, null)).toEqual({
        status: 404,
        body: { error: `${login} is held at no difficulty` },
      });
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
    const rig = await rigAs(web.bridge, transport, 'a.r');
    const label = 'the loud one, shelf 3';
    const name = (whom: object, text: string | null) =>
      web.ask('PUT', '/api/v1/labels', { ...whom, label: text });
    for (const whom of [
      { account: 'a', rig: 'r' },
      { account: 'a', rig: '' },
    ]) {
      expect(await name(whom, label)).toEqual({
        status: 200,
        body: { ...whom, label, isKept: false },
      });
      const { body } = await web.ask('GET', '/api/v1/labels');
      expect(body).toMatchObject({ total: 1, labels: [{ ...whom, label, by: BY }] });
      web.bridge.skewMs += 1000;
      const found = await web.ask('GET', '/api/v1/rigs?q=SHELF');
      expect(found.body).toMatchObject({ rigs: whom.rig === '' ? [] : [{ ...whom, label }] });
      expect(await name(whom, null)).toMatchObject({ status: 200, body: { label: null } });
      expect(await name(whom, null)).toMatchObject({ status: 404 });
    }
    rig.close();
    expect(web.lines.map(({ kind, by }) => [kind, by])).toEqual(Array(4).fill(['rigLabelled', BY]));
  });

  it('allow and deny addresses, and close who may not be here any more', async () => {
    await using web = await startSteeredWeb();
    const rig = await rigAs(web.bridge, transport, 'a.r');
    const order = (list: string, addresses: string, more: object = {}) =>
      web.ask('PUT', '/api/v1/addresses', { list, addresses, ...more });
    const off = { isOn: false };
    expect(await order('deny', '10.1.2.3/8')).toEqual({
      status: 200,
      body: { list: 'deny', addresses: '10.0.0.0/8', isOn: true, closed: 0, isKept: false },
    });
    expect(rig.closed).toBe(false);
    expect(await order('deny', '127.0.0.0/8')).toMatchObject({
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
    expect(await order('deny', '127.0.0.0/8', off)).toMatchObject({
      status: 200,
      body: { isOn: false },
    });
    const back = await rigAs(web.bridge, transport, 'a.r');
    expect(await order('allow', '192.0.2.0/24')).toMatchObject({ body: { closed: 1 } });
    await back.untilClosed();
    expect(await order('allow', '192.0.2.1', off)).toMatchObject({ status: 404 });
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
    expect(await tell({ to: 'all' })).toEqual({ told: 1, sessions: 2, silent: [] });
    expect(await tell({ to: 'account', account: 'a' })).toEqual({ told: 1, sessions: 1, silent: [] });
    expect(await tell({ to: 'login', account: 'b', rig: 's' })).toEqual({ told: 0, sessions: 1, silent: [] });
    expect(await tell({ to: 'session', id, openedAt: elsewhere(openedAt) })).toEqual({
      told: 1,
      silent: [],
      sessions: 1,
    });
    expect(web.lines.at(-1)?.facts).toMatchObject({ session: id, openedAt });
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
    const begun = await web.ask('POST', '/api/v1/drain', { over: '1m' });
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
    const held = await web.ask('PUT', '/api/v1/difficulties', { account: 'a', rig: 'r', difficulty: '8' });
    expect(held.body['isKept']).toBe(false);
  });

  it('to ban an address of IPv6 is one for its /64, and keeps its id when it is given again', async () => {
    await using web = await startSteeredWeb();
    const ban = async (address: string, reason: string) =>
      (await web.ask('POST', '/api/v1/bans', { kind: 'address', address, reason })).body['ban'] as object;
    const first = await ban('2001:db8:0:1::7', 'one');
    expect(first).toMatchObject({ address: '2001:db8:0:1::/64', reason: 'one' });
    const again = await ban('2001:DB8:0:1::/64', 'two');
    expect({ ...again, since: '' }).toEqual({ ...first, since: '', reason: 'two' });
    expect((await web.ask('GET', '/api/v1/bans')).body['bans']).toEqual([again]);
  });

  it('without a reason says that none was given, and a drain takes ten minutes where nobody says how long', async () => {
    await using web = await startSteeredWeb();
    const { body } = await web.ask('POST', '/api/v1/bans', { kind: 'account', account: 'a' });
    expect(body).toMatchObject({ ban: { reason: 'no reason was given', until: null } });
    const { startedAt, endsAt } = (await web.ask('POST', '/api/v1/drain', {})).body as Record<string, string>;
    expect(Date.parse(endsAt ?? '') - Date.parse(startedAt ?? '')).toBe(600_000);
  });

  it('to be replaced is answered with how far that is, or why it is not done', async () => {
    const asked: string[] = [];
    const begun = { state: 'underWay', replaced: 0, bridges: 2, why: null } as const;
    const replace = async (_: unknown, by: string): Promise<Replacement | Refused> =>
      asked.push(by) === 1 ? begun : { refused: 'busy', why: 'they are being replaced already' };
    const none = () => Promise.reject(new Error('nobody asks this'));
    const machine = { replace, replacement: async () => begun, drain: none, missing: none };
    await using web = await startSteeredWeb({}, { machine });
    expect(await web.ask('POST', '/api/v1/replace')).toEqual({ status: 200, body: begun });
    expect(await web.ask('POST', '/api/v1/replace')).toEqual({
      status: 409,
      body: { error: 'they are being replaced already' },
    });
    expect(await web.ask('GET', '/api/v1/replace')).toEqual({ status: 200, body: begun });
    expect(asked).toEqual([BY, BY]);
    await using other = await startSteeredWeb();
    expect(await other.ask('POST', '/api/v1/replace')).toEqual({
      status: 409,
      body: { error: 'here is nobody to give this order to' },
    });
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
    const keys = ['kind', 'to', 'account', 'rig', 'address', 'reason', 'until', 'for', 'text', 'id', 'list'];
    const more = [
      'openedAt',
      'difficulty',
      'label',
      'addresses',
      'isOn',
      'over',
      'stop',
      'note',
      '__proto__',
    ];
    const body = fc.oneof(fc.dictionary(fc.constantFrom(...keys, ...more), value), fc.jsonValue());
    const order = fc.constantFrom<[Method, (part: string) => string]>(
      ['POST', (part) => `sessions/${part}/close`],
      ['POST', () => 'bans'],
      ['DELETE', (part) => `bans/${part}`],
      ['PUT', () => 'difficulties'],
      ['PUT', () => 'labels'],
      ['PUT', () => 'addresses'],
      ['POST', () => 'drain'],
      ['DELETE', () => 'drain'],
      ['POST', () => 'messages'],
      ['POST', () => 'payouts'],
      ['POST', (part) => `payouts/${part}/mark`],
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

describe('an order that is wrong', () => {
  let web: SteeredWeb;
  beforeAll(async () => {
    web = await startSteeredWeb();
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it.each<[Method, string, unknown, RegExp]>([
    ['POST', 'bans', undefined, /^what was sent is a JSON object, not n/],
    ['POST', 'bans', '{"kind"', /JSON/],
    ['POST', 'bans', {}, /^kind is one of rig, login, account, address, not nothing$/],
    ['POST', 'bans', { kind: 'rigs' }, /^kind is one of rig, login, account, address, not "rigs"$/],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, account: '' },
      /^account is the name of an account: 1 to 128 .*, not ""$/,
    ],
    ['POST', 'bans', { ...ACCOUNT_BAN, account: 'a.b' }, /^account is .* without dots .*, not "a\.b"$/],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, account: 'a\u001b' },
      /^account is .* control characters, not "a\\u001b"$/,
    ],
    [
      'POST',
      'bans',
      { ...LOGIN_BAN, rig: 'x'.repeat(65) },
      /^rig is the name of a rig: at most 64 bytes .*, not "x+$/,
    ],
    [
      'POST',
      'bans',
      { ...LOGIN_BAN, rig: 'ü'.repeat(33) },
      /^rig is the name of a rig: at most 64 bytes .*, not "ü+"$/,
    ],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, rig: 'r' },
      /^there is no parameter "rig", only kind, account, reason, for and until$/,
    ],
    [
      'POST',
      'bans',
      { ...ADDRESS_BAN, address: 'here' },
      /^address is an IPv4 or IPv6 address, or a \/64, not "here"$/,
    ],
    [
      'POST',
      'bans',
      { ...ADDRESS_BAN, address: '127.0.0.0/8' },
      /^address is an IPv4 or .*, not "127\.0\.0\.0\/8"$/,
    ],
    [
      'POST',
      'bans',
      { ...ADDRESS_BAN, address: 7 },
      /^address is an IPv4 or IPv6 address, or a \/64, not 7$/,
    ],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, reason: ' ' },
      /^reason is a text of 1 to 200 characters, .*, not " "$/,
    ],
    ['POST', 'bans', { ...ACCOUNT_BAN, reason: 'x'.repeat(201) }, /^reason is a text of 1 to 200 characters/],
    ['POST', 'bans', { ...ACCOUNT_BAN, reason: '\u001b' }, /^reason is .* without control characters, not/],
    ['POST', 'bans', { ...ACCOUNT_BAN, until: 'tomorrow' }, /^until is a time such as .*, not "tomorrow"$/],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, until: '2000-01-01T00:00:00Z' },
      /^the end of a ban lies in the future$/,
    ],
    [
      ...(['POST', 'bans', { ...ACCOUNT_BAN, until: '9999-12-31T23:59:59-01:00' }] as const),
      /^the end of a ban lies before the year 10000$/,
    ],
    ['POST', 'bans', { ...ACCOUNT_BAN, for: 'long' }, /^for is a time such as 90s, 10m or 1d, not "long"$/],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, for: '0s' },
      /^for is a time such as .*, from 1ms to 36600d, not "0s"$/,
    ],
    [
      'POST',
      'bans',
      { ...ACCOUNT_BAN, for: '36601d' },
      /^for is a time such as .*, from 1ms to 36600d, not "36601d"$/,
    ],
    [
      ...(['POST', 'bans', { ...ACCOUNT_BAN, until: '2999-01-01T00:00:00Z', for: '5m' }] as const),
      /^until is left out where for is given, not "/,
    ],
    ['DELETE', `bans/${'x'.repeat(41)}`, undefined, /^id is the id of a ban, not "x+/],
    ['POST', 'sessions/1/close', {}, /^openedAt is a time such as .*, not nothing$/],
    ['POST', 'sessions/x/close', { openedAt: '2026-01-01T00:00:00Z' }, /^id is a whole number .*, not "x"$/],
    [
      ...(['POST', 'sessions/1/close', { openedAt: '2026-01-01T00:00:00Z', reason: '' }] as const),
      /^reason is a text of 1 to 200 characters, .*, not ""$/,
    ],
    ['POST', 'drain', { over: 'soon' }, /^over is a time such as 90s, 10m or 1d, not "soon"$/],
    ['POST', 'drain', { over: '25h' }, /^over is a time such as 90s, 10m or 1d, from 0 to 1d, not "25h"$/],
    ['POST', 'drain', { over: -1 }, /^over is a time such as 90s, 10m or 1d, not -1$/],
    ['POST', 'drain', { stop: 1 }, /^stop is true or false, not 1$/],
    ['POST', 'messages', { to: 'rig', text: 'x' }, /^to is one of session, login, account, all, not "rig"$/],
    ['POST', 'messages', { to: 'all', text: '' }, /^text is a text of 1 to 500 characters, .*, not ""$/],
    [
      'POST',
      'messages',
      { to: 'all', text: 'two\nlines' },
      /^text is .* without control characters, not "two\\nlines"$/,
    ],
    ['POST', 'messages', { to: 'all', text: 'x'.repeat(501) }, /^text is a text of 1 to 500 characters/],
    ['POST', 'messages', { to: 'session', text: 'x' }, /^id is the number of a session, not nothing$/],
    [
      'POST',
      'messages',
      { to: 'account', account: '', text: 'x' },
      /^account is the name of an account.*, not ""$/,
    ],
    [
      'PUT',
      'difficulties',
      { ...RIG, difficulty: 'hard' },
      /^difficulty is .* hashes such as 4T or 4e12, .*, not "hard"$/,
    ],
    [
      'PUT',
      'difficulties',
      { ...RIG, difficulty: '1.5' },
      /^difficulty is .* hashes such as 4T or 4e12, .*, not "1\.5"$/,
    ],
    ['PUT', 'difficulties', { ...RIG, difficulty: '0' }, /^difficulty is .*, from 1 to 2\^200, not "0"$/],
    [
      'PUT',
      'difficulties',
      { ...RIG, difficulty: String(2n ** 200n + 1n) },
      /^difficulty is .*, from 1 to 2\^200, not "16069/,
    ],
    [
      'PUT',
      'difficulties',
      { ...RIG, difficulty: 4000 },
      /^difficulty is .* hashes such as 4T or 4e12, not 4000$/,
    ],
    [
      'PUT',
      'difficulties',
      { ...RIG, account: 'a.b', difficulty: '1' },
      /^account is .* without dots .*, not "a\.b"$/,
    ],
    ['PUT', 'difficulties', RIG, /^difficulty is .*, not nothing$/],
    ['PUT', 'labels', { ...RIG, label: ' ' }, /^label is a text of 1 to 64 bytes in UTF-8, .*, not " "$/],
    [
      'PUT',
      'labels',
      { ...RIG, label: 'ü'.repeat(33) },
      /^label is a text of 1 to 64 bytes in UTF-8, .*, not "ü+"$/,
    ],
    ['PUT', 'labels', { ...RIG, label: 'a\tb' }, /^label is .* without control characters, not "a\\tb"$/],
    ['PUT', 'labels', { ...RIG, label: '\ud800' }, /^label is .* without control characters, not "\\ud800"$/],
    ...['here', '10.0.0.0/33', '10.0.0.0/0', 'fe80::1%eth0', '1.2.3.4/5/6'].map(
      (addresses): [Method, string, unknown, RegExp] => [
        ...(['PUT', 'addresses', { list: 'deny', addresses }] as const),
        new RegExp(`^addresses is an address or prefix such as .*, not "${addresses}"$`),
      ],
    ),
    ['PUT', 'addresses', { list: 'both', addresses: '10.0.0.1' }, /^list is allow or deny, not "both"$/],
    ['PUT', 'addresses', { list: 'deny', addresses: '10.0.0.1', isOn: 0 }, /^isOn is true or false, not 0$/],
  ])('is told why and changes nothing: %s %s %j', async (method, path, body, says) => {
    const { status, body: told } = await web.ask(method, `/api/v1/${path}`, body);
    expect([status, told]).toEqual([400, { error: expect.stringMatching(says) }]);
    expect(web.lines).toEqual([]);
  });
});
