/** What an operator orders, as rigs meet it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { BanOrder, Deed, KeptOrders, Refused } from '../../src/bridge/orders/steering.js';
import { WIRE_TRANSPORTS, type WireRig, type WireTransport } from '../helpers/rigs/wire-rig.js';
import {
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const ALL = { offset: 0, limit: 100 };
const ME = 'the operator';

/** With what was ordered so far, and what became of it. */
async function startSteered(options: TestBridgeOptions = {}) {
  const kept: KeptOrders[] = [];
  const told: string[] = [];
  const deeds: Deed[] = [];
  const keeper = { keep: async (orders: KeptOrders) => void kept.push(orders) };
  const bridge = await startTestBridge({ keeper, ...options });
  const { events } = bridge;
  events.on('banned', ({ kind, by }) => told.push(`banned ${kind} by ${by}`));
  events.on('unbanned', ({ kind }, by) => told.push(`unbanned ${kind} by ${by ?? 'time'}`));
  events.on('steered', (deed) => deeds.push(deed));
  return Object.assign(bridge, { kept, told, deeds, steering: bridge.server.steering });
}

/** Authorized; `isModern`: it takes messages and asks to reconnect. */
async function rigAs(
  bridge: TestBridge,
  transport: WireTransport,
  login: string,
  isModern = false,
): Promise<WireRig> {
  const rig = await bridge.connect(transport);
  if (isModern) await rig.request('modern', 'mining.extranonce.subscribe', []);
  await rig.request(1, 'mining.subscribe', ['asic/1']);
  expect((await rig.request(2, 'mining.authorize', [login, 'x'])).result).toBe(true);
  return rig;
}

async function refusalOf(bridge: TestBridge, transport: WireTransport, login: string): Promise<unknown> {
  const rig = await bridge.connect(transport);
  const { result, error } = await rig.request(1, 'mining.authorize', [login, 'x']);
  rig.close();
  return result === true ? undefined : error;
}

const shownTo = (rig: WireRig): unknown[] =>
  rig.notices('client.show_message').map(({ params }) => params?.[0]);

async function sessionIn(bridge: TestBridge, login: string) {
  // Lists are up to a second old.
  bridge.skewMs += 1000;
  const { items } = await bridge.server.watch.sessions(ALL);
  const found = items.find(({ logins }) => logins.some(({ account, rig }) => `${account}.${rig}` === login));
  return found ?? expect.fail(`no session of ${login}`);
}

const within = (whom: object, untilMs?: number): BanOrder =>
  ({ reason: 'dust', untilMs, ...whom }) as BanOrder;

describe.each(WIRE_TRANSPORTS)('an operator, of rigs over %s', (transport) => {
  it('closes one session, which is told why, and no other that has its number', async () => {
    await using bridge = await startSteered();
    const [rig, other] = [await rigAs(bridge, transport, 'a.r', true), await rigAs(bridge, transport, 'a.s')];
    const { id, openedAt } = await sessionIn(bridge, 'a.r');
    const openedAtMs = Date.parse(openedAt);
    const close = bridge.steering.close.bind(bridge.steering);
    const recycled = await close({ id, openedAtMs: openedAtMs - 1000 }, 'new cable', ME);
    expect(recycled).toMatchObject({
      refused: 'unknown',
      why: expect.stringContaining(`no session ${id} is open`),
    });
    expect(await close({ id: id + 100, openedAtMs }, 'new cable', ME)).toMatchObject({ refused: 'unknown' });
    // As HTTP writes it, without parts of a millisecond.
    const shownAtMs = Date.parse(new Date(openedAtMs).toISOString());
    expect(await close({ id, openedAtMs: shownAtMs }, 'new cable', ME)).toEqual({
      closed: { id, openedAtMs },
    });
    await rig.untilClosed();
    expect(shownTo(rig)).toEqual(['closed by the operator: new cable']);
    expect(bridge.closings).toEqual(['closed by the operator: new cable']);
    const login = { account: 'a', rig: 'r' };
    expect(bridge.deeds).toMatchObject([
      { kind: 'close', session: { id }, login, reason: 'new cable', by: ME },
    ]);
    expect(await close({ id, openedAtMs }, 'again', ME)).toMatchObject({ refused: 'unknown' });
    expect((await other.request(9, 'mining.ping')).result).toBe('pong');
    expect(await refusalOf(bridge, transport, 'a.r')).toBeUndefined();
  });

  it.each<[kind: string, whom: object, out: string, stays: string]>([
    ['login', { kind: 'login', account: 'a', rig: 'r' }, 'a.r', 'a.s'],
    ['account', { kind: 'account', account: 'a' }, 'a.r', 'b.r'],
    ['rig', { kind: 'rig', account: 'a', rig: 'r', address: '::ffff:127.0.0.1' }, 'a.r', 'a.s'],
    ['login without a rig', { kind: 'login', account: 'a', rig: '' }, 'a', 'a.r'],
  ])(
    'bans a %s: who is here is closed, who comes is refused, until it is taken back',
    async (_, whom, out, stays) => {
      await using bridge = await startSteered();
      const [met, other] = [await rigAs(bridge, transport, out, true), await rigAs(bridge, transport, stays)];
      const done = await bridge.steering.ban(within(whom), ME);
      expect(done).toMatchObject({
        closed: 1,
        isKept: true,
        ban: { reason: 'dust', untilMs: undefined, by: ME },
      });
      await met.untilClosed();
      expect([bridge.closings, shownTo(met)]).toEqual([['banned: dust'], ['banned: dust']]);
      expect(await refusalOf(bridge, transport, out)).toEqual([24, 'banned: dust', null]);
      expect(await refusalOf(bridge, transport, stays)).toBeUndefined();
      expect((await other.request(9, 'mining.ping')).result).toBe('pong');
      const [ban] = (await bridge.server.watch.bans(ALL)).items;
      expect(await bridge.steering.unban(ban?.id ?? '', 'another')).toMatchObject({ ban: { id: ban?.id } });
      expect(await refusalOf(bridge, transport, out)).toBeUndefined();
      expect(bridge.told).toEqual([`banned ${ban?.kind} by ${ME}`, `unbanned ${ban?.kind} by another`]);
      expect(bridge.kept.map(({ bans }) => bans.length)).toEqual([1, 0]);
    },
  );

  it('bans an address: nobody of it stays or comes in, a handshake under way neither', async () => {
    await using bridge = await startSteered();
    const rig = await rigAs(bridge, transport, 'a.r');
    const silent = connect({ host: '127.0.0.1', port: bridge.port(transport) }).on('error', () => undefined);
    await once(silent, 'connect');
    expect(await bridge.steering.ban(within({ kind: 'address', address: '127.0.0.1' }), ME)).toMatchObject({
      closed: 1,
    });
    await rig.untilClosed();
    await until('it is cut', () => silent.closed);
    // The first that comes hears why.
    const late = await bridge.connect(transport);
    expect((await late.request(1, 'mining.ping')).error?.[1]).toMatch(/^banned/);
    await late.untilClosed();
    const later = await bridge.connect(transport).catch(() => undefined);
    await later?.untilClosed();
    await until('both are refused', () => bridge.server.refused === 2);
    expect(bridge.server.sessions).toBe(0);
  });

  it('sends a message to those who take it, and says how many were told', async () => {
    await using bridge = await startSteered();
    const rig = await rigAs(bridge, transport, 'a.r', true);
    const [twin, other, deaf] = [
      await rigAs(bridge, transport, 'a.r', true),
      await rigAs(bridge, transport, 'b.r', true),
      await rigAs(bridge, transport, 'a.s'),
    ];
    const { steering } = bridge;
    const { id, openedAt } = await sessionIn(bridge, 'b.r');
    const openedAtMs = Date.parse(openedAt);
    const said = [
      await steering.tell({ to: 'login', account: 'a', rig: 'r' }, 'to a.r', ME),
      await steering.tell({ to: 'account', account: 'a' }, 'to a', ME),
      await steering.tell({ to: 'session', id, openedAtMs }, 'to one', ME),
      await steering.tell({ to: 'all' }, 'to all', ME),
      await steering.tell({ to: 'login', account: 'c', rig: '' }, 'to nobody', ME),
    ];
    expect(said).toEqual([
      { told: 2, sessions: 2 },
      { told: 2, sessions: 3 },
      { told: 1, sessions: 1 },
      { told: 3, sessions: 4 },
      { told: 0, sessions: 0 },
    ]);
    for (const each of [rig, twin, other, deaf]) await each.request('done', 'mining.ping');
    expect([rig, twin, other, deaf].map(shownTo)).toEqual([
      ['to a.r', 'to a', 'to all'],
      ['to a.r', 'to a', 'to all'],
      ['to one', 'to all'],
      [],
    ]);
    expect(bridge.deeds.at(3)).toEqual({
      kind: 'message',
      audience: { to: 'all' },
      text: 'to all',
      told: 3,
      by: ME,
    });
    expect(await steering.tell({ to: 'session', id, openedAtMs: 5 }, 'x', ME)).toMatchObject({
      refused: 'unknown',
    });
  });
});

describe('a ban by an operator', () => {
  it('ends when it is to end, and says so', async () => {
    await using bridge = await startSteered();
    const untilMs = Date.now() + 60_000;
    const done = await bridge.steering.ban(within({ kind: 'account', account: 'a' }, untilMs), ME);
    const id = 'ban' in done ? done.ban.id : expect.fail(done.why);
    const words = `banned until ${new Date(untilMs).toISOString()}: dust`;
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toEqual([24, words, null]);
    bridge.skewMs += 60_001;
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeUndefined();
    await until('it is over', () => bridge.told.length === 2);
    expect(bridge.told).toEqual([`banned account by ${ME}`, 'unbanned account by time']);
    expect(await bridge.steering.unban(id, ME)).toEqual({
      refused: 'unknown',
      why: `no ban in force has the id "${id}"`,
    });
  });

  it('keeps its id when the same is banned again, with another reason and end', async () => {
    await using bridge = await startSteered();
    const ban = (reason: string) =>
      bridge.steering.ban({ kind: 'address', address: '2001:db8:0:1::7', reason, untilMs: undefined }, ME);
    const [first, again] = [await ban('one'), await ban('two')];
    expect(await bridge.server.watch.bans(ALL)).toMatchObject({
      total: 1,
      items: [{ address: '2001:db8:0:1::/64', reason: 'two' }],
    });
    expect('ban' in first && 'ban' in again && first.ban.id === again.ban.id).toBe(true);
  });

  it('is listed before those of the bridge itself, which are told and may be taken back too', async () => {
    await using bridge = await startSteered({ limits: { invalidSubmits: 2 } });
    const rig = await rigAs(bridge, 'tcp', 'a.r');
    for (let i = 0; i < 3; i++) rig.send('{"id":3,"method":"mining.submit","params":["a.r","nojob","1"]}');
    await rig.untilClosed();
    expect(bridge.told).toEqual(['banned rig by ']);
    await bridge.steering.ban(within({ kind: 'account', account: 'z' }), ME);
    const bans = (await bridge.server.watch.bans(ALL)).items;
    expect(bans.map(({ kind, by }) => [kind, by])).toEqual([
      ['account', ME],
      ['rig', ''],
    ]);
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeDefined();
    await bridge.steering.unban(bans[1]?.id ?? '', ME);
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeUndefined();
    // As it was after the last order.
    expect(bridge.kept.at(-1)?.bans.map(({ kind }) => kind)).toEqual(['account']);
  });

  it('is in force, and says that it is not kept, when it cannot be written down', async () => {
    await using bridge = await startSteered({
      keeper: { keep: async () => Promise.reject(new Error('the disk is full')) },
    });
    expect(await bridge.steering.ban(within({ kind: 'account', account: 'a' }), ME)).toMatchObject({
      isKept: false,
    });
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toEqual([24, 'banned: dust', null]);
  });

  it('that an earlier start has kept holds from the beginning', async () => {
    await using first = await startSteered();
    await first.steering.ban(within({ kind: 'login', account: 'a', rig: 'r' }), ME);
    await using second = await startTestBridge({ kept: first.kept.at(-1) ?? expect.fail() });
    expect(await refusalOf(second, 'tcp', 'a.r')).toEqual([24, 'banned: dust', null]);
    expect((await second.server.watch.bans(ALL)).items).toEqual((await first.server.watch.bans(ALL)).items);
  });

  it.each<[why: string, order: object, by?: string]>([
    ['the reason is empty', { kind: 'account', account: 'a', reason: ' ' }],
    [
      'the reason has at most 200 characters, this one 201',
      { kind: 'account', account: 'a', reason: 'x'.repeat(201) },
    ],
    [
      'the reason holds a control character or half of a character',
      { kind: 'account', account: 'a', reason: '\u001b' },
    ],
    ['the end of a ban lies in the future', { kind: 'account', account: 'a', untilMs: 5 }],
    ['the end of a ban lies in the future', { kind: 'account', account: 'a', untilMs: Number.NaN }],
    [
      'the end of a ban lies before the year 10000',
      { kind: 'account', account: 'a', untilMs: Date.UTC(10_000, 0) },
    ],
    ['the account is empty', { kind: 'account', account: '' }],
    [
      'the account "a.b" holds a dot: what follows the first one in a login is the rig',
      { kind: 'login', account: 'a.b', rig: 'r' },
    ],
    [
      'the name of the rig has at most 64 bytes in UTF-8, this one 65',
      { kind: 'login', account: 'a', rig: 'x'.repeat(65) },
    ],
    [
      '"127.0.0.0/8" is no address: an IPv4 or IPv6 address, or a /64, is banned',
      { kind: 'address', address: '127.0.0.0/8' },
    ],
    [
      '"here" is no address: an IPv4 or IPv6 address, or a /64, is banned',
      { kind: 'address', address: 'here' },
    ],
    ['the name of who gives the order is empty', { kind: 'account', account: 'a' }, ''],
  ])('is refused with a sentence: %s', async (why, order, by = ME) => {
    await using bridge = await startSteered();
    expect(await bridge.steering.ban(within(order), by)).toEqual({ refused: 'unfit', why });
    expect([(await bridge.server.watch.bans(ALL)).total, bridge.kept]).toEqual([0, []]);
  });

  it('is one of so many: past that there is a sentence', async () => {
    const ban = {
      kind: 'account',
      address: '',
      reason: 'x',
      sinceMs: 0,
      untilMs: undefined,
      by: ME,
    } as const;
    const bans = Array.from({ length: 10_000 }, (_, i) => ({ ...ban, id: `${i}`, login: `k${i}` }));
    await using bridge = await startSteered({ kept: { bans, difficulties: [], labels: [], addresses: [] } });
    const why = '10000 bans are in force already: take some back first';
    expect(await bridge.steering.ban(within({ kind: 'account', account: 'a' }), ME)).toEqual({
      refused: 'full',
      why,
    });
    expect(await bridge.steering.ban(within({ kind: 'account', account: 'k7' }), ME)).toMatchObject({
      ban: { id: '7' },
    });
  });
});

describe('a label', () => {
  const label = async (bridge: Awaited<ReturnType<typeof startSteered>>, text?: string) =>
    bridge.steering.setLabel({ account: 'a', rig: 'r' }, text, ME);

  it('is shown with the rig and found by, kept, and taken away', async () => {
    await using bridge = await startSteered();
    const [rig, other] = [await bridge.connect('tcp'), await bridge.connect('tcp')];
    await rig.request(1, 'mining.authorize', ['a.r', 'x']);
    await other.request(1, 'mining.authorize', ['a.s', 'x']);
    expect(await label(bridge, 'The loud one')).toEqual({ isKept: true });
    const labels = async (q?: string) => {
      bridge.skewMs += 1000;
      const { items } = await bridge.server.watch.rigs({ ...ALL, q, sort: 'name' });
      return items.map((each) => each.label);
    };
    expect(await labels()).toEqual(['The loud one', null]);
    expect([await labels('LOUD'), await labels('a.S'), await labels('quiet')]).toEqual([
      ['The loud one'],
      [null],
      [],
    ]);
    expect(bridge.kept.at(-1)?.labels).toMatchObject([
      { account: 'a', rig: 'r', label: 'The loud one', by: ME },
    ]);
    await using second = await startTestBridge({ kept: bridge.kept.at(-1) ?? expect.fail() });
    expect(await second.server.steering.labels()).toEqual(await bridge.steering.labels());
    expect(await label(bridge)).toEqual({ isKept: true });
    expect(await label(bridge)).toEqual({ refused: 'unknown', why: 'a.r has no label' });
    expect([await labels(), bridge.kept.at(-1)?.labels]).toEqual([[null, null], []]);
  });

  it.each([
    ['the label is empty', ' '],
    ['the label has at most 64 bytes in UTF-8, this one 66', 'ü'.repeat(33)],
    ['the label holds a control character or half of a character', 'a\tb'],
    ['the label holds a control character or half of a character', '\ud800'],
  ])('is refused with a sentence: %s', async (why, text) => {
    await using bridge = await startSteered();
    expect(await label(bridge, text)).toEqual({ refused: 'unfit', why });
    expect(bridge.kept).toEqual([]);
  });

  it('is one of so many: past that there is a sentence', async () => {
    const labels = Array.from({ length: 10_000 }, (_, i) => {
      return { account: 'b', rig: `${i}`, label: 'x', sinceMs: 0, by: ME };
    });
    await using bridge = await startSteered({ kept: { bans: [], difficulties: [], labels, addresses: [] } });
    const why = '10000 rigs have such an order already: take some back first';
    expect(await label(bridge, 'one more')).toEqual({ refused: 'full', why });
  });
});

describe('messages and closings', () => {
  it('are refused with a sentence when they are no text for people', async () => {
    await using bridge = await startSteered();
    const { steering } = bridge;
    const why = (outcome: object): string => (outcome as Refused).why;
    expect(why(await steering.tell({ to: 'all' }, '', ME))).toBe('the message is empty');
    expect(why(await steering.tell({ to: 'all' }, 'x'.repeat(501), ME))).toBe(
      'the message has at most 500 characters, this one 501',
    );
    expect(why(await steering.tell({ to: 'account', account: '' }, 'x', ME))).toBe('the account is empty');
    expect(why(await steering.close({ id: 1, openedAtMs: 0 }, '', ME))).toBe('the reason is empty');
    expect(why(await steering.close({ id: 1, openedAtMs: Number.NaN }, 'x', ME))).toContain(
      'no session 1 is open',
    );
  });
});
