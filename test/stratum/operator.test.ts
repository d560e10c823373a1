/** What an operator orders, as rigs meet it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { OperatorAction } from '../../src/bridge/events.js';
import type { BanOrder } from '../../src/operations/bans.js';
import type { Message } from '../../src/operations/rigs.js';
import type { KeptOrders } from '../../src/stratum/operator/order-saver.js';
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
  const deeds: OperatorAction[] = [];
  const keeper = { keep: async (orders: KeptOrders) => void kept.push(orders) };
  const bridge = await startTestBridge({ keeper, ...options });
  const { events } = bridge;
  events.on('banned', ({ kind, by }) => told.push(`banned ${kind} by ${by}`));
  events.on('unbanned', ({ kind }, by) => told.push(`unbanned ${kind} by ${by ?? 'time'}`));
  events.on('steered', (deed) => deeds.push(deed));
  return Object.assign(bridge, { kept, told, deeds, operator: bridge.server.operator });
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

const within = (whom: object, end?: string): BanOrder =>
  ({ reason: 'dust', until: end, ...whom }) as BanOrder;

describe.each(WIRE_TRANSPORTS)('an operator, of rigs over %s', (transport) => {
  it('closes one session, which is told why, and no other that has its number', async () => {
    await using bridge = await startSteered();
    const [rig, other] = [await rigAs(bridge, transport, 'a.r', true), await rigAs(bridge, transport, 'a.s')];
    const { id, openedAt } = await sessionIn(bridge, 'a.r');
    const close = async (which: { id: number; openedAt: string }) =>
      bridge.operator.closeSession({ ...which, reason: 'new cable' }, ME);
    const earlier = new Date(Date.parse(openedAt) - 1000).toISOString();
    const recycled = await close({ id, openedAt: earlier });
    expect(recycled).toMatchObject({
      refused: 'unknown',
      why: `no session ${id} is open that was opened at ${earlier}`,
    });
    expect(await close({ id: id + 100, openedAt })).toMatchObject({ refused: 'unknown' });
    expect(await close({ id, openedAt })).toEqual({ closed: { id, openedAt } });
    await rig.untilClosed();
    expect(shownTo(rig)).toEqual(['closed by the operator: new cable']);
    expect(bridge.closings).toEqual(['closed by the operator: new cable']);
    const login = { account: 'a', rig: 'r' };
    expect(bridge.deeds).toMatchObject([
      { kind: 'close', session: { id, openedAt }, login, reason: 'new cable', by: ME },
    ]);
    expect(await close({ id, openedAt })).toMatchObject({ refused: 'unknown' });
    expect((await other.request(9, 'mining.ping')).result).toBe('pong');
    expect(await refusalOf(bridge, transport, 'a.r')).toBeUndefined();
  });

  it.each<[kind: string, whom: object, out: string, stays: string]>([
    ['login', { kind: 'login', account: 'a', rig: 'r' }, 'a.r', 'a.s'],
    ['account', { kind: 'account', account: 'a' }, 'a.r', 'b.r'],
    ['rig', { kind: 'rig', account: 'a', rig: 'r', address: '127.0.0.1' }, 'a.r', 'a.s'],
    ['login without a rig', { kind: 'login', account: 'a', rig: '' }, 'a', 'a.r'],
  ])(
    'bans a %s: who is here is closed, who comes is refused, until it is taken back',
    async (_, whom, out, stays) => {
      await using bridge = await startSteered();
      const [met, other] = [await rigAs(bridge, transport, out, true), await rigAs(bridge, transport, stays)];
      const done = await bridge.operator.ban(within(whom), ME);
      expect(done).toMatchObject({
        closed: 1,
        isKept: true,
        ban: { reason: 'dust', until: null, by: ME },
      });
      await met.untilClosed();
      expect([bridge.closings, shownTo(met)]).toEqual([['banned: dust'], ['banned: dust']]);
      expect(await refusalOf(bridge, transport, out)).toEqual([24, 'banned: dust', null]);
      expect(await refusalOf(bridge, transport, stays)).toBeUndefined();
      expect((await other.request(9, 'mining.ping')).result).toBe('pong');
      const [ban] = bridge.server.watch.bans();
      expect(await bridge.operator.unban({ id: ban?.id ?? '' }, 'another')).toMatchObject({
        ban: { id: ban?.id },
      });
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
    expect(await bridge.operator.ban(within({ kind: 'address', address: '127.0.0.1' }), ME)).toMatchObject({
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
    const tell = async (message: Message) => bridge.operator.message(message, ME);
    const { id, openedAt } = await sessionIn(bridge, 'b.r');
    const said = [
      await tell({ to: 'login', account: 'a', rig: 'r', text: 'to a.r' }),
      await tell({ to: 'account', account: 'a', text: 'to a' }),
      await tell({ to: 'session', id, openedAt, text: 'to one' }),
      await tell({ to: 'all', text: 'to all' }),
      await tell({ to: 'login', account: 'c', rig: '', text: 'to nobody' }),
    ];
    expect(said).toEqual([
      { told: 2, sessions: 2, silent: [] },
      { told: 2, sessions: 3, silent: [] },
      { told: 1, sessions: 1, silent: [] },
      { told: 3, sessions: 4, silent: [] },
      { told: 0, sessions: 0, silent: [] },
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
    expect(await tell({ to: 'session', id, openedAt: new Date(5).toISOString(), text: 'x' })).toMatchObject({
      refused: 'unknown',
    });
  });
});

describe('a ban by an operator', () => {
  it('ends when it is to end, and says so', async () => {
    await using bridge = await startSteered();
    const end = new Date(Date.now() + 60_000).toISOString();
    const done = await bridge.operator.ban(within({ kind: 'account', account: 'a' }, end), ME);
    const id = 'ban' in done ? done.ban.id : expect.fail(done.why);
    const words = `banned until ${end}: dust`;
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toEqual([24, words, null]);
    bridge.skewMs += 60_001;
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeUndefined();
    await until('it is over', () => bridge.told.length === 2);
    expect(bridge.told).toEqual([`banned account by ${ME}`, 'unbanned account by time']);
    expect(await bridge.operator.unban({ id }, ME)).toEqual({
      refused: 'unknown',
      why: `no ban in force has the id "${id}"`,
    });
  });

  it('keeps its id when the same is banned again, with another reason and end', async () => {
    await using bridge = await startSteered();
    const ban = (reason: string) =>
      bridge.operator.ban({ kind: 'address', address: '2001:db8:0:1::/64', reason }, ME);
    const [first, again] = [await ban('one'), await ban('two')];
    expect(bridge.server.watch.bans()).toMatchObject([{ address: '2001:db8:0:1::/64', reason: 'two' }]);
    expect('ban' in first && 'ban' in again && first.ban.id === again.ban.id).toBe(true);
  });

  it('is listed before those of the bridge itself, which are told and may be taken back too', async () => {
    await using bridge = await startSteered({ limits: { invalidSubmits: 2 } });
    const rig = await rigAs(bridge, 'tcp', 'a.r');
    for (let i = 0; i < 3; i++) rig.send('{"id":3,"method":"mining.submit","params":["a.r","nojob","1"]}');
    await rig.untilClosed();
    expect(bridge.told).toEqual(['banned rig by null']);
    await bridge.operator.ban(within({ kind: 'account', account: 'z' }), ME);
    const bans = bridge.server.watch.bans();
    expect(bans.map(({ kind, by }) => [kind, by])).toEqual([
      ['account', ME],
      ['rig', null],
    ]);
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeDefined();
    await bridge.operator.unban({ id: bans[1]?.id ?? '' }, ME);
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toBeUndefined();
    // As it was after the last order.
    expect(bridge.kept.at(-1)?.bans.map(({ kind }) => kind)).toEqual(['account']);
  });

  it('is in force, and says that it is not kept, when it cannot be written down', async () => {
    await using bridge = await startSteered({
      keeper: { keep: async () => Promise.reject(new Error('the disk is full')) },
    });
    expect(await bridge.operator.ban(within({ kind: 'account', account: 'a' }), ME)).toMatchObject({
      isKept: false,
    });
    expect(await refusalOf(bridge, 'tcp', 'a.r')).toEqual([24, 'banned: dust', null]);
  });

  it('that an earlier start has kept holds from the beginning', async () => {
    await using first = await startSteered();
    await first.operator.ban(within({ kind: 'login', account: 'a', rig: 'r' }), ME);
    await using second = await startTestBridge({ kept: first.kept.at(-1) ?? expect.fail() });
    expect(await refusalOf(second, 'tcp', 'a.r')).toEqual([24, 'banned: dust', null]);
    expect(second.server.watch.bans()).toEqual(first.server.watch.bans());
  });

  it.each([
    ['the end of a ban lies in the future', '2026-01-01T00:00:00.000Z'],
    ['the end of a ban lies before the year 10000', new Date(Date.UTC(10_000, 0)).toISOString()],
  ])('is refused with a sentence: %s', async (why, end) => {
    await using bridge = await startSteered();
    const order = within({ kind: 'account', account: 'a' }, end);
    expect(await bridge.operator.ban(order, ME)).toEqual({ refused: 'unfit', why });
    expect([bridge.server.watch.bans(), bridge.kept]).toEqual([[], []]);
  });

  it('is one of so many: past that there is a sentence', async () => {
    const ban = {
      kind: 'account',
      reason: 'x',
      since: new Date(0).toISOString(),
      until: null,
      by: ME,
    } as const;
    const bans = Array.from({ length: 10_000 }, (_, i) => ({ ...ban, id: `${i}`, login: `k${i}` }));
    await using bridge = await startSteered({
      kept: { bans, difficulties: [], labels: [], addresses: [], untold: [] },
    });
    const why = '10000 bans are in force already: take some back first';
    expect(await bridge.operator.ban(within({ kind: 'account', account: 'a' }), ME)).toEqual({
      refused: 'full',
      why,
    });
    expect(await bridge.operator.ban(within({ kind: 'account', account: 'k7' }), ME)).toMatchObject({
      ban: { id: '7' },
    });
  });
});

describe('a label', () => {
  const label = async (bridge: Awaited<ReturnType<typeof startSteered>>, text: string | null) =>
    bridge.operator.label({ account: 'a', rig: 'r', label: text }, ME);

  it('is shown with the rig and found by, kept, and taken away', async () => {
    await using bridge = await startSteered();
    const [rig, other] = [await bridge.connect('tcp'), await bridge.connect('tcp')];
    await rig.request(1, 'mining.authorize', ['a.r', 'x']);
    await other.request(1, 'mining.authorize', ['a.s', 'x']);
    const whom = { account: 'a', rig: 'r' };
    expect(await label(bridge, 'The loud one')).toEqual({ ...whom, label: 'The loud one', isKept: true });
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
    expect(bridge.kept.at(-1)?.labels).toMatchObject([{ ...whom, label: 'The loud one', by: ME }]);
    await using second = await startTestBridge({ kept: bridge.kept.at(-1) ?? expect.fail() });
    expect(second.server.watch.labels()).toEqual(bridge.server.watch.labels());
    expect(await label(bridge, null)).toEqual({ ...whom, label: null, isKept: true });
    expect(await label(bridge, null)).toEqual({ refused: 'unknown', why: 'a.r has no label' });
    expect([await labels(), bridge.kept.at(-1)?.labels]).toEqual([[null, null], []]);
  });

  it('is one of so many: past that there is a sentence', async () => {
    const labels = Array.from({ length: 10_000 }, (_, i) => {
      return { account: 'b', rig: `${i}`, label: 'x', since: new Date(0).toISOString(), by: ME };
    });
    await using bridge = await startSteered({
      kept: { bans: [], difficulties: [], labels, addresses: [], untold: [] },
    });
    const why = '10000 rigs have such an order already: take some back first';
    expect(await label(bridge, 'one more')).toEqual({ refused: 'full', why });
  });
});
