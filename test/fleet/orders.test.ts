/** Bans, orders and budgets that hold over all fronts of a fleet. */
import { describe, expect, it } from 'vitest';
import type { Ban } from '../../src/bridge/orders/steering.js';
import type { WireMessage, WireOptions, WireRig } from '../helpers/rigs/wire-rig.js';
import { startFleet, type TestFleet } from '../helpers/stories/fleet.js';
import type { TestBridge, TestBridgeOptions } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const ME = 'the operator';
const HARD = { difficulty: 1n << 100n };
const BAN = { kind: 'login', account: 'a', rig: 'r', reason: 'dust', untilMs: undefined } as const;

const at = ({ fronts }: TestFleet, front: number): TestBridge => fronts[front] ?? expect.fail();

async function come(bridge: TestBridge, login = 'a.r', options: WireOptions = {}): Promise<WireRig> {
  const rig = await bridge.connect('tcp', options);
  await rig.request('s', 'mining.subscribe', ['old/1']);
  expect((await rig.request('a', 'mining.authorize', [login, 'x'])).result).toBe(true);
  return rig;
}

/** Why a login is not let in; `undefined` when it is. */
async function refusal(bridge: TestBridge, login = 'a.r'): Promise<string | undefined> {
  const rig = await bridge.connect('tcp');
  const { error } = await rig.request('a', 'mining.authorize', [login, 'x']);
  rig.vanish();
  return error?.[1];
}

async function bansAt(bridge: TestBridge): Promise<readonly Ban[]> {
  return (await bridge.server.watch.bans({ offset: 0, limit: 100 })).items;
}

async function haveAll(fleet: TestFleet, is: (bans: readonly Ban[]) => boolean): Promise<boolean> {
  return (await Promise.all(fleet.fronts.map(bansAt))).every(is);
}

const start = (count: number, options: TestBridgeOptions = {}): Promise<TestFleet> =>
  startFleet(count, options);

describe('what is ordered at one front', () => {
  it('a ban closes who it meets at the others, holds there under the same id, and is kept once', async () => {
    await using fleet = await start(3);
    const met = await come(at(fleet, 2));
    const other = await come(at(fleet, 2), 'a.other');
    const given = await at(fleet, 0).server.steering.ban(BAN, ME);
    const { ban, isKept, closed } = 'ban' in given ? given : expect.fail(given.why);
    expect(closed).toBe(1);
    expect(isKept).toBe(true);
    await until('it is closed', () => met.closed);
    expect(other.closed).toBe(false);
    for (const front of fleet.fronts) {
      expect(await refusal(front)).toBe('banned: dust');
      expect(await bansAt(front)).toEqual([ban]);
    }
    expect(fleet.kept.at(-1)?.bans).toEqual([ban]);
    expect(fleet.told).toEqual([`banned login ${ban.id}`]);
    // It is taken back at another front than gave it.
    await at(fleet, 1).server.steering.unban(ban.id, ME);
    for (const front of fleet.fronts) expect(await refusal(front)).toBeUndefined();
    expect(fleet.told.at(-1)).toBe(`unbanned login ${ban.id} by ${ME}`);
    expect(fleet.kept.at(-1)?.bans).toEqual([]);
  });

  it('the same ban at two fronts at once has one id in the end', async () => {
    await using fleet = await start(3);
    const given = await Promise.all([0, 1].map((front) => at(fleet, front).server.steering.ban(BAN, ME)));
    expect(given.map((each) => 'ban' in each)).toEqual([true, true]);
    const [first] = fleet.kept.at(-1)?.bans ?? [];
    expect(fleet.kept.at(-1)?.bans).toHaveLength(1);
    await until('all have the same', () =>
      haveAll(fleet, (bans) => bans.every(({ id }) => id === first?.id)),
    );
    expect(new Set(fleet.told)).toEqual(new Set([`banned login ${first?.id}`]));
    await at(fleet, 2).server.steering.unban(first?.id ?? '', ME);
    for (const front of fleet.fronts) expect(await refusal(front)).toBeUndefined();
  });

  it('difficulties, labels and lists of addresses hold everywhere, also at a front that starts later', async () => {
    await using fleet = await start(2);
    for (const front of fleet.fronts) front.offer(HARD);
    const rig = await come(at(fleet, 1));
    await until('it has a job', () => rig.notices('mining.notify').length > 0);
    const { steering } = at(fleet, 0).server;
    const name = { account: 'a', rig: 'r' };
    expect(await steering.setDifficulty(name, 4096n, ME)).toEqual({ sessions: 1, isKept: true });
    await steering.setLabel(name, 'shelf 3', ME);
    const denied = await come(at(fleet, 1), 'b.r', { localAddress: '127.0.0.3' });
    await steering.listAddresses('deny', '127.0.0.3', true, ME);
    await until('who is denied is closed', () => denied.closed);
    const { watch } = at(fleet, 1).server;
    // Lists are up to a second old.
    fleet.skewMs += 1000;
    await until('its next job comes with the target that is ordered', async () => {
      fleet.skewMs += 1000;
      const { items } = await watch.sessions({ offset: 0, limit: 10 });
      return items[0]?.difficulty === 4096n;
    });
    await fleet.kill(0);
    const again = await fleet.startAgain(0);
    for (const { server } of [again, at(fleet, 1)]) {
      expect(await server.steering.difficulties()).toMatchObject([{ ...name, difficulty: 4096n, by: ME }]);
      expect(await server.steering.labels()).toMatchObject([{ ...name, label: 'shelf 3', by: ME }]);
      expect(await server.steering.listedAddresses()).toMatchObject([
        { list: 'deny', addresses: '127.0.0.3' },
      ]);
    }
    await at(fleet, 1).server.steering.setDifficulty(name, undefined, ME);
    await at(fleet, 1).server.steering.setLabel(name, undefined, ME);
    await at(fleet, 1).server.steering.listAddresses('deny', '127.0.0.3', false, ME);
    expect(await again.server.steering.difficulties()).toEqual([]);
    expect(await again.server.steering.labels()).toEqual([]);
    expect(await again.server.steering.listedAddresses()).toEqual([]);
    expect(fleet.kept.at(-1)).toEqual({ bans: [], difficulties: [], labels: [], addresses: [] });
  });
});

describe('what a front bans by itself', () => {
  it('is kept out everywhere, until it is over, which is told once', async () => {
    await using fleet = await start(3, { limits: { invalidSubmits: 5, banMs: 60_000 } });
    const rig = await come(at(fleet, 0));
    for (let i = 0; i < 6; i++)
      rig.send(JSON.stringify({ id: i, method: 'mining.submit', params: ['a.r', 'abc', '0'] }));
    await until('it is closed', () => rig.closed);
    const [ban = expect.fail()] = await bansAt(at(fleet, 0));
    await until('the others know', () => haveAll(fleet, (bans) => bans.some(({ id }) => id === ban.id)));
    for (const front of fleet.fronts) expect(await refusal(front)).toContain(ban.reason);
    expect(fleet.told).toEqual([`banned rig ${ban.id}`]);
    fleet.skewMs += 60_000;
    await until('it is over', () => fleet.told.length === 2);
    expect(fleet.told[1]).toBe(`unbanned rig ${ban.id} by time`);
    for (const front of fleet.fronts) expect(await refusal(front)).toBeUndefined();
    expect(fleet.told).toHaveLength(2);
  });
});

describe('an address', () => {
  it('has its connections over all fronts', async () => {
    await using fleet = await start(3, { limits: { connectionsPerAddress: 4 } });
    await come(at(fleet, 0));
    await come(at(fleet, 0));
    await come(at(fleet, 1));
    await come(at(fleet, 1));
    const mayCome = async (): Promise<boolean> => {
      const rig = await at(fleet, 2).connect('tcp');
      const answer = rig
        .request('p', 'mining.ping')
        .then((message: WireMessage) => message.result === 'pong');
      const isIn = await answer.catch(() => false);
      rig.vanish();
      return isIn;
    };
    await until('nobody more of it is let in at the third front', async () => !(await mayCome()));
    for (const { server } of [at(fleet, 0), at(fleet, 1)]) expect(server.sessions).toBe(2);
    // Others of its fronts have gone.
    await fleet.kill(0);
    await until('there is room again', mayCome);
  });

  it('guesses over all fronts no more often than at one', async () => {
    const accounts = { mode: 'list', accounts: ['good'] } as const;
    await using fleet = await start(3, { accounts, limits: { wrongLogins: 8 } });
    const guess = async (front: number): Promise<void> => {
      const rig = await at(fleet, front).connect('tcp');
      await rig.request('p', 'mining.ping');
      rig.send(JSON.stringify({ id: 'a', method: 'mining.authorize', params: ['bad', 'x'] }));
    };
    // Four at each of two fronts, which nothing follows from.
    for (let i = 0; i < 4; i++) for (const front of [0, 1]) await guess(front);
    const heard = (): number => fleet.heard(2).reduce((sum, { guesses }) => sum + guesses, 0);
    await until('the third has heard of all', () => heard() === 8);
    expect(fleet.told).toEqual([]);
    await guess(2);
    await until('the address is banned everywhere', () =>
      haveAll(fleet, (bans) => bans.some(({ kind }) => kind === 'address')),
    );
    expect(fleet.told).toHaveLength(1);
  });

  it('sends garbage to all fronts no more often than to one', async () => {
    await using fleet = await start(3);
    const garble = async (front: number): Promise<void> => {
      const rig = await at(fleet, front).connect('tcp');
      rig.send('GET / HTTP/1.1');
      await rig.untilClosed();
    };
    // Four times at two fronts, which nothing follows from.
    for (let i = 0; i < 2; i++) for (const front of [0, 1]) await garble(front);
    const heard = (): number => fleet.heard(2).reduce((sum, { garbled }) => sum + garbled, 0);
    await until('the third has heard of all', () => heard() === 4);
    expect(fleet.told).toEqual([]);
    await garble(2);
    await until('the address is banned everywhere', () =>
      haveAll(fleet, (bans) => bans.some(({ kind }) => kind === 'address')),
    );
    expect(fleet.told).toHaveLength(1);
  });

  it('floods through three fronts, and is stopped at one budget', async () => {
    const limits = { messagesPerSecondPerAddress: 100, connectsPerSecondPerAddress: 1000 };
    await using fleet = await start(3, { limits });
    const rigs = await Promise.all(fleet.fronts.map((front) => front.connect('tcp')));
    const ping = (rig: WireRig | undefined, times: number): void =>
      rig?.send(Array(times).fill('{"id":1,"method":"mining.ping"}').join('\n'));
    const answers = (rig: WireRig | undefined): number => rig?.lines.length ?? 0;
    // Alone nobody of these is ended: that takes six times what an address may send a second.
    for (const front of [0, 1]) ping(rigs[front], 400);
    const heard = (): number => fleet.heard(2).reduce((sum, { messages }) => sum + messages, 0);
    await until('the third has heard of all', () => heard() >= 800);
    const third = rigs[2] ?? expect.fail();
    for (let sent = 60; !third.closed; sent += 60) {
      ping(third, 60);
      await until('they are answered, or it is closed', () => third.closed || answers(third) >= sent);
    }
    expect(at(fleet, 2).closings).toEqual(['it went on to send more than its budget']);
    expect(answers(third)).toBeLessThan(300);
    expect(rigs[0]?.closed).toBe(false);
  });
});
