/** What a session and an address may send, whatever it is, and what follows when they go on. */
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { peerAt } from '../../../src/core/names/peer.js';
import { targetOf } from '../../../src/core/work/target.js';
import { Address, Addresses, COSTS } from '../../../src/stratum/admission/address.js';
import { STRATUM_LIMITS } from '../../../src/stratum/admission/limits.js';
import { type Order, Usage } from '../../../src/stratum/admission/usage.js';
import { WsUpgrader } from '../../../src/stratum/admission/ws.js';
import { WireRig, type WireTransport } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HERE = '192.0.2.1';
const LIMITS = {
  ...STRATUM_LIMITS,
  messagesPerSecond: 10,
  messageBurst: 50,
  messagesPerSecondPerAddress: 1000,
};

/** Sends the same each second; what is ordered, with how many seconds went by in silence because of a pause. */
function orders(usage: Usage, bytes: number, frames: number, seconds: number): Order[] {
  const result: Order[] = [];
  let paused = false;
  for (let second = 0; second < seconds; second++) {
    const order: Order = paused ? 'goOn' : usage.received(bytes, frames, second * 1000);
    if (order !== 'goOn') result.push(order);
    paused ||= order === 'pause';
    if (usage.tick(second * 1000 + 999, undefined) === 'resume') paused = false;
    if (order === 'end') break;
  }
  return result;
}

describe('the budget of a session', () => {
  const usage = (limits = LIMITS): Usage => new Usage(new Address(HERE, limits, 0), limits, 0);

  it.each([
    ['lines, empty or not', 10, 1000],
    ['frames, empty or not', 60, 1000],
    ['bytes that end nothing', 256_000, 0],
  ])('R5: counts %s, pauses who sends too many, and ends who goes on', (_what, bytes, frames) => {
    const all = orders(usage(), bytes, frames, 60);
    expect(all.slice(0, 1)).toEqual(['pause']);
    expect(all.at(-1)).toBe('end');
    expect(all.length).toBeLessThan(12);
  });

  it('R5: counts pieces that end nothing as what each of them costs, and that is a message', () => {
    const one = usage();
    const all = Array.from({ length: 1000 }, () => one.received(1, 0, 0));
    expect(all.indexOf('pause')).toBe(Math.floor(100 / (1 + 1 / 256)));
  });

  it('R5: lets a rig send what it has kept while it was away', () => {
    const chatty = usage(STRATUM_LIMITS);
    // 5,000 shares of 130 bytes, 64 KiB a time.
    const all = orders(chatty, 65_536, 504, 10);
    expect(all.filter((order) => order === 'end')).toEqual([]);
  });

  it('R5: counts what came over the wire and was nothing, as empty records of TLS', () => {
    const one = usage();
    expect(one.received(100, 1, 0)).toBe('goOn');
    expect(one.tick(1000, 10_000)).toBe('goOn');
    expect(one.tick(2000, 200_000)).toBe('pause');
  });
});

describe('the budget of an address', () => {
  it('R13: is that of all its sessions: who sends most is paused and then ended, who sends little goes on', () => {
    const address = new Address(HERE, { ...LIMITS, messagesPerSecond: 1000 }, 0);
    const sessions = Array.from({ length: 100 }, () => {
      address.arrived();
      return new Usage(address, { ...LIMITS, messagesPerSecond: 1000 }, 0);
    });
    const [modest = expect.fail(), ...greedy] = sessions;
    const seen = new Map<Usage, Order[]>(sessions.map((session) => [session, []]));
    for (let second = 0; second < 30; second++) {
      // Each is far within its own budget.
      for (const one of greedy) seen.get(one)?.push(one.received(0, 200, second * 1000));
      seen.get(modest)?.push(modest.received(0, 3, second * 1000));
      for (const one of sessions) one.tick(second * 1000 + 999, undefined);
    }
    expect(new Set(seen.get(modest))).toEqual(new Set(['goOn']));
    expect(greedy.every((one) => seen.get(one)?.includes('end'))).toBe(true);
  });

  it('R13: is not touched by good shares', () => {
    const address = new Address(HERE, LIMITS, 0);
    const login = { account: 'a', rig: 'r' };
    const rigs = Array.from({ length: 50 }, () => new Usage(address, STRATUM_LIMITS, 0));
    for (let i = 0; i < 10_000; i++) {
      const rig = rigs[i % rigs.length] ?? expect.fail();
      expect(rig.received(128, 1, 0)).toBe('goOn');
      rig.mined(login, 0);
    }
    expect(address.charge(0, 0)).toBe(0);
  });

  it('R13: ends nobody for good shares, however deep the others have brought the address into debt', () => {
    const address = new Address(HERE, LIMITS, 0);
    const login = { account: 'a', rig: 'r' };
    for (let i = 0; i < 100; i++) address.arrived();
    address.charge(100_000, 0);
    const rig = new Usage(address, STRATUM_LIMITS, 0);
    for (let i = 0; i < 100; i++) {
      expect(rig.received(128, 1, 0)).toBe('goOn');
      rig.mined(login, 0);
    }
  });

  it('R13: only pauses who mines, however deep the others have brought the address into debt', () => {
    const address = new Address(HERE, LIMITS, 0);
    for (let i = 0; i < 100; i++) address.arrived();
    const usage = (): Usage => new Usage(address, { ...LIMITS, messagesPerSecond: 1000 }, 0);
    const [miner, stranger] = [usage(), usage()];
    miner.mined({ account: 'a', rig: 'r' }, 0);
    address.charge(100_000, 0);
    expect([miner.received(0, 30, 0), stranger.received(0, 30, 0)]).toEqual(['pause', 'end']);
    const later = Array.from({ length: 30 }, (_, i) => {
      address.charge(100_000, i * 1000);
      return [miner.tick(i * 1000, undefined), miner.received(0, 30, i * 1000)];
    });
    expect(new Set(later.flat())).toEqual(new Set(['resume', 'pause']));
  });

  it('R13: pays for connections and handshakes too, by what each costs', () => {
    const address = new Address(HERE, LIMITS, 0);
    address.connected(0);
    const left = LIMITS.messagesPerSecondPerAddress - COSTS.connection;
    expect([address.charge(left, 0), address.charge(1, 0)]).toEqual([0, 1 / 1000]);
  });

  it('R13: is the same when all its connections have gone and come back', () => {
    const addresses = new Addresses({ ...LIMITS, remembered: 2 });
    const address = addresses.at(HERE, 0);
    addresses.arrived(address);
    address.charge(100_000, 0);
    addresses.left(address);
    expect(addresses.at(HERE, 1000).isDeepInDebt(1000)).toBe(true);
    addresses.at('192.0.2.2', 0);
    addresses.at('192.0.2.3', 0);
    expect(addresses.size).toBe(2);
    expect(addresses.at(HERE, 1000).isDeepInDebt(1000)).toBe(false);
  });
});

describe.each(['tcp', 'ws'] as const)('bytes that are no message over %s', (transport) => {
  const noise: Record<typeof transport, Buffer> = {
    tcp: Buffer.alloc(4096, '\n'),
    // Empty text frames and pings, masked.
    ws: Buffer.concat(
      Array.from({ length: 700 }, (_, i) => Buffer.from([i % 2 ? 0x81 : 0x89, 0x80, 0, 0, 0, 0])),
    ),
  };

  /** Makes noise until it is closed. */
  async function flood(bridge: TestBridge, rig: WireRig): Promise<void> {
    await until('the end', () => {
      rig.socket.write(noise[transport]);
      bridge.skewMs += 500;
      return rig.closed;
    });
  }

  it('R5: end the session, and then ban it, while others are served', async () => {
    const limits = { messagesPerSecond: 10, messageBurst: 20, authorizeTimeoutMs: 3_600_000 };
    await using bridge = await startTestBridge({ limits });
    const { rig: first } = await bridge.readyRig(transport);
    await flood(bridge, first);
    expect(bridge.closings).toEqual(['it went on to send more than its budget']);
    const { rig: second } = await bridge.readyRig(transport);
    await flood(bridge, second);
    expect(bridge.server.watch.bans()).toMatchObject([
      { kind: 'address', address: '127.0.0.1' },
      { kind: 'rig', login: 'a.r' },
    ]);
    const third = await bridge.connect(transport).catch(() => undefined);
    await third?.untilClosed();
    expect(bridge.server.sessions).toBe(0);
  });
});

describe('a frame of WebSocket', () => {
  it.each([
    ['', 1],
    ['one', 1],
    ['one\n', 1],
    ['one\r\ntwo', 2],
    ['\n\n\n', 3],
    ['one\n\ntwo\n', 3],
  ])('R5: counts as the lines in it, empty or not: %j', async (text, lines) => {
    const seen = { frames: 0, bytes: 0 };
    const front = new WsUpgrader({ limits: { lineBytes: 8192 }, origins: [] }, () => ({
      received(bytes, frames) {
        seen.frames += frames;
        seen.bytes += bytes;
      },
      line() {},
      warnRig: (text) => expect.fail(text),
      fault: (reason) => expect.fail(reason),
      closed() {},
    }));
    const server = createServer((socket) =>
      front.handle({ socket, peer: peerAt(HERE, 1), arrived() {}, wireBytes: undefined, spend() {} }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const rig = await WireRig.connect('ws', (server.address() as AddressInfo).port);
    rig.send(text);
    await until('it came', () => seen.bytes >= 6 + text.length);
    expect(seen.frames).toBe(lines);
    rig.vanish();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a ping of WebSocket', () => {
  it('R5: is answered, the last one where several come at once', async () => {
    await using bridge = await startTestBridge();
    const rig = await bridge.connect('ws');
    const pongs: string[] = [];
    rig.socket.on('data', (data: Buffer) => {
      for (let at = data.indexOf(0x8a); at !== -1; at = data.indexOf(0x8a, at + 1))
        pongs.push(data.toString('latin1', at + 2, at + 2 + (data[at + 1] ?? 0)));
    });
    const ping = (text: string): Buffer =>
      Buffer.concat([Buffer.from([0x89, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
    rig.socket.write(ping('one'));
    await until('a pong', () => pongs.length === 1);
    rig.socket.write(Buffer.concat([...Array.from({ length: 200 }, () => ping('many')), ping('last')]));
    await until('the last pong', () => pongs.includes('last'));
    expect(pongs.length).toBeLessThan(20);
    expect((await rig.request(1, 'mining.ping')).result).toBe('pong');
  });
});

describe('guesses of passwords', () => {
  const accounts = { mode: 'password', passwords: { a: 'right', b: 'too' } } as const;
  const authorize = (id: number, account: string, password: string): string =>
    JSON.stringify({ id, method: 'mining.authorize', params: [`${account}.r`, password] });

  it('R10: are answered late, one after the other, and what comes behind them too', async () => {
    await using bridge = await startTestBridge({ accounts, limits: { refusalDelayMs: 60_000 } });
    const rig = await bridge.connect('tcp');
    const started = [authorize(1, 'a', 'wrong'), authorize(2, 'a', 'right'), authorize(3, 'b', 'wrong')];
    for (const line of started) rig.send(line);
    expect((await rig.request(4, 'mining.ping')).result).toBe('pong');
    expect(rig.lines).toHaveLength(1);
    bridge.skewMs = 60_000;
    expect(await rig.until(({ id }) => id === 1)).toMatchObject({
      error: [24, 'no such account and password: a', null],
    });
    expect((await rig.until(({ id }) => id === 2)).result).toBe(true);
    expect(rig.lines).toHaveLength(3);
    bridge.skewMs = 120_000;
    expect((await rig.until(({ id }) => id === 3)).error?.[0]).toBe(24);
  });

  it('R10: end in a ban of the address', async () => {
    const limits = { refusalDelayMs: 0, wrongLogins: 3 };
    await using bridge = await startTestBridge({ accounts, limits });
    const rig = await bridge.connect('tcp');
    for (let i = 0; i < 3; i++)
      expect((await rig.request(i, 'mining.authorize', ['a', `${i}`])).error?.[0]).toBe(24);
    rig.send(authorize(9, 'b', '9'));
    await rig.untilClosed();
    expect(bridge.closings).toEqual(['banned: more than 3 wrong accounts or passwords']);
    expect(bridge.server.watch.bans()).toMatchObject([{ kind: 'address', address: '127.0.0.1' }]);
  });

  it('R10: are not kept in any number', async () => {
    await using bridge = await startTestBridge({ accounts, limits: { loginsPerSession: 4 } });
    const rig = await bridge.connect('tcp');
    for (let i = 0; i < 6; i++) rig.send(authorize(i, 'a', 'wrong'));
    await rig.untilClosed();
    expect(bridge.closings).toEqual(['too many logins wait for an answer']);
  });
});

describe('authorize', () => {
  it('R10: is news once for each login, with an agent of bounded length', async () => {
    await using bridge = await startTestBridge();
    const news: [rig: string, agent: number][] = [];
    bridge.events.on('sessionAuthorized', (_session, _account, rig, agent) => news.push([rig, agent.length]));
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', ['x'.repeat(5000)]);
    for (const login of ['a.r', 'a.r', 'a.s', 'a.r'])
      expect((await rig.request(login, 'mining.authorize', [login])).result).toBe(true);
    expect(news).toEqual([
      ['r', 256],
      ['s', 256],
    ]);
  });
});

describe('a farm behind one address where all rigs have one name', () => {
  it('R9: goes on when one of them misbehaves', async () => {
    await using bridge = await startTestBridge({ limits: { invalidSubmits: 3 } });
    const job = bridge.offer({ difficulty: 1n << 100n });
    const transport: WireTransport = 'tcp';
    const good = await bridge.readyRig(transport);
    const share = ['a.r', job.id, mine(job, good.nonce1, targetOf(4n))];
    expect((await good.rig.request(3, 'mining.submit', share)).result).toBe(true);
    const { rig: bad } = await bridge.readyRig(transport);
    for (let i = 0; i < 4; i++) bad.send('{"id":3,"method":"mining.submit","params":["a.r","nojob","1"]}');
    await bad.untilClosed();
    expect(bridge.closings).toEqual(['closed: more than 3 wrong submits; the last: no job nojob']);
    expect((await good.rig.request(4, 'mining.ping')).result).toBe('pong');
    await bridge.readyRig(transport);
    expect(bridge.server.watch.bans()).toEqual([]);
  });

  it('R9: has one that misbehaves again and again wait for its authorize ever longer, and others hardly', async () => {
    const limits = { invalidSubmits: 3, refusalDelayMs: 10_000, authorizeTimeoutMs: 60_000 };
    await using bridge = await startTestBridge({ limits, standsStill: true });
    const job = bridge.offer({ difficulty: 1n << 100n });
    const good = await bridge.readyRig('tcp');
    const share = ['a.r', job.id, mine(job, good.nonce1, targetOf(4n))];
    expect((await good.rig.request(3, 'mining.submit', share)).result).toBe(true);
    const come = async (...logins: string[]) => {
      const rig = await bridge.connect('tcp');
      await rig.request(1, 'mining.subscribe', []);
      for (const login of logins)
        rig.send(JSON.stringify({ id: login, method: 'mining.authorize', params: [login, 'x'] }));
      await rig.request(2, 'mining.ping');
      return rig;
    };
    const misbehave = async (rig: WireRig): Promise<void> => {
      for (let i = 0; i < 4; i++) rig.send('{"id":3,"method":"mining.submit","params":["a.r","nojob","1"]}');
      await rig.untilClosed();
    };
    const isIn = (rig: WireRig): boolean => rig.lines.some((line) => line.includes('"id":"a.r"'));
    for (const afterMs of [0, 0, 10_000, 20_000, 30_000, 30_000]) {
      const rig = await come('a.r');
      expect(isIn(rig)).toBe(afterMs === 0);
      bridge.skewMs += afterMs;
      await until('it is let in', () => isIn(rig));
      await misbehave(rig);
    }
    // Who is in is not asked again, and another login waits for nothing but what its own connection sent before.
    expect((await good.rig.request(5, 'mining.authorize', ['a.r', 'x'])).result).toBe(true);
    const both = await come('a.s', 'a.r');
    expect(both.lines.some((line) => line.includes('"id":"a.s"'))).toBe(true);
    expect(isIn(both)).toBe(false);
    bridge.skewMs += 30_000;
    await until('it is let in', () => isIn(both));
    bridge.skewMs += 2 * STRATUM_LIMITS.banMs;
    expect(isIn(await come('a.r'))).toBe(true);
    expect(bridge.server.watch.bans()).toEqual([]);
  });
});
