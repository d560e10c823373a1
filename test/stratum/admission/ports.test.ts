/** Several ports of one server: what each speaks, whom it believes, and what its rigs get. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { type Difficulty, difficultyOf, targetFromHexBigEndian } from '../../../src/core/work/target.js';
import type { PortSettings } from '../../../src/stratum/rig-rules.js';
import { WIRE_TRANSPORTS, type WireRig } from '../../helpers/rigs/wire-rig.js';
import { startTestBridge, TCP_PORT, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const V1 = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.2 5000 1917\r\n');
const V2_IPV6 = Buffer.from(
  `0d0a0d0a000d0a515549540a21210024${'20010db8'.padEnd(32, '0')}${'00'.repeat(16)}1388077d`,
  'hex',
);
const HARD = { difficulty: 1n << 100n };

const port = (name: string, transport: 'tcp' | 'ws' | 'both' = 'both') => ({ ...TCP_PORT, name, transport });

describe('a port with a name', () => {
  const port = (name: string, transport: 'tcp' | 'ws' | 'both' = 'both') => ({
    ...TCP_PORT,
    name,
    transport,
  });

  /** How each of them is met at this port. */
  async function metAt(bridge: TestBridge, name: string, preamble?: Buffer): Promise<string> {
    const met = await Promise.all(
      WIRE_TRANSPORTS.map(async (transport) => {
        const options = { name, ...(preamble ? { preamble } : {}) };
        const rig = await bridge.connect(transport, options).catch(() => undefined);
        const answer = await rig?.request(1, 'mining.ping').catch(() => undefined);
        return answer?.result === 'pong' ? [transport] : [];
      }),
    );
    return met.flat().join(' ');
  }

  it.each([
    ['both', 'also', 'tcp ws tls wss'],
    ['both', 'off', 'tcp ws'],
    ['both', 'only', 'tls wss'],
    ['tcp', 'also', 'tcp tls'],
    ['tcp', 'only', 'tls'],
    ['tcp', 'off', 'tcp'],
    ['ws', 'also', 'ws wss'],
    ['ws', 'only', 'wss'],
    ['ws', 'off', 'ws'],
  ] as const)('speaks %s, TLS %s: %s', async (transport, tls, met) => {
    await using bridge = await startTestBridge({
      listeners: [port('one', transport)],
      ports: { one: { tls, balancers: [] } },
    });
    expect(await metAt(bridge, 'one')).toBe(met);
    expect(bridge.server.ports).toMatchObject([{ name: 'one', transport, tls }]);
  });

  it.each([
    ['a byte at a time', (text: string) => text.split('')],
    ['at once', (text: string) => [text]],
  ])('tells lines from HTTP whose bytes come %s', async (_how, cut) => {
    await using bridge = await startTestBridge({ listeners: [port('one')], certificate: undefined });
    const sends = async (text: string): Promise<string> => {
      const socket = connect(bridge.port('tcp', 'one'), '127.0.0.1');
      const chunks: Buffer[] = [];
      const answered = new Promise((resolve) => socket.on('data', (chunk) => resolve(chunks.push(chunk))));
      socket.setNoDelay(true);
      for (const part of cut(text)) await new Promise((resolve) => socket.write(part, resolve));
      await answered;
      socket.destroy();
      return Buffer.concat(chunks).toString();
    };
    expect(await sends('{"id":1,"method":"mining.ping"}\n')).toBe('{"id":1,"result":"pong","error":null}\n');
    expect(await sends(' {"id":1,"method":"mining.ping"}\n')).toBe('{"id":1,"result":"pong","error":null}\n');
    expect(await sends('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 426 /);
    expect(await sends('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')).toMatch(/^HTTP\/1.1 426 /);
    expect(await sends(`${'X'.repeat(40)}\n`)).toMatch(/-32700/);
  });

  it('A6: takes no HTTP request for lines', async () => {
    await using bridge = await startTestBridge({ listeners: [port('both'), port('lines', 'tcp')] });
    for (const name of ['both', 'lines']) {
      const socket = connect(bridge.port('tcp', name), '127.0.0.1').on('error', () => undefined);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resume();
      const body = '{"id":1,"method":"mining.subscribe","params":[]}\n';
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      await closed;
    }
    expect(bridge.closings).toEqual(['an HTTP request came to the TCP port of rigs']);
  });

  it('reads a PROXY header of its own balancers, of those of the bridge, or none', async () => {
    const ports = {
      own: { balancers: ['127.0.0.1'] },
      none: { balancers: [] },
      off: { proxy: 'off' },
      only: { proxy: 'only', balancers: ['192.0.2.0/24'] },
    } as const;
    await using bridge = await startTestBridge({
      listeners: [...Object.keys(ports), 'bridge'].map((name) => port(name)),
      ...{ balancers: ['127.0.0.0/8'], ports },
    });
    const peers = new Set<string>();
    bridge.events.on('sessionOpened', ({ peer, port }) => peers.add(`${port} ${peer.split(':')[0]}`));
    for (const name of ['own', 'bridge']) expect(await metAt(bridge, name, V1)).toBe('tcp ws tls wss');
    for (const name of ['none', 'off']) expect(await metAt(bridge, name)).toBe('tcp ws tls wss');
    expect([...peers].sort()).toEqual([
      'bridge 192.0.2.7',
      'none 127.0.0.1',
      'off 127.0.0.1',
      'own 192.0.2.7',
    ]);
    const before = bridge.server.refused;
    expect([await metAt(bridge, 'only'), await metAt(bridge, 'only', V1)]).toEqual(['', '']);
    expect(bridge.server.refused).toBe(before + 8);
  });

  it('takes other rules of TLS and PROXY for those who come after', async () => {
    const listeners = [port('one')];
    await using bridge = await startTestBridge({ listeners });
    expect(await metAt(bridge, 'one')).toBe('tcp ws tls wss');
    bridge.server.changeRules({ shareDifficulty: 4n as Difficulty, ports: { one: { tls: 'only' } } });
    expect(await metAt(bridge, 'one')).toBe('tls wss');
    const balancers = ['127.0.0.1'];
    bridge.server.changeRules({
      shareDifficulty: 4n as Difficulty,
      ports: { one: { proxy: 'only', balancers } },
    });
    expect([await metAt(bridge, 'one', V2_IPV6), await metAt(bridge, 'one')]).toEqual(['tcp ws tls wss', '']);
  });

  it('knows how many came in by it', async () => {
    await using bridge = await startTestBridge({ listeners: [port('one'), port('two')] });
    const counts = () => bridge.server.ports.map(({ name, sessions }) => `${name} ${sessions}`).join(', ');
    const rigs = [];
    for (const name of ['one', 'one', 'two']) {
      const rig = await bridge.connect('ws', { name });
      await rig.request(1, 'mining.ping');
      rigs.push(rig);
    }
    expect(counts()).toBe('one 2, two 1');
    expect(
      (await bridge.server.watch.sessions({ offset: 0, limit: 9 })).items.map((each) => each.port).sort(),
    ).toEqual([...['one', 'one', 'two']]);
    rigs[0]?.close();
    await until('one has left', () => counts() === 'one 1, two 1');
  });
});

describe('addresses that may come', () => {
  const BEHIND = { balancers: ['127.0.0.1'] };
  const from = (host: string) => ({ preamble: Buffer.from(`PROXY TCP4 ${host} 198.51.100.2 5000 1917\r\n`) });
  const V6 = { preamble: V2_IPV6 };

  async function mayCome(bridge: TestBridge, options: object, name = 'all'): Promise<boolean> {
    const rig = await bridge.connect('ws', { ...options, name }).catch(() => undefined);
    const answer = await rig?.request(1, 'mining.ping').catch(() => undefined);
    rig?.close();
    return answer?.result === 'pong';
  }

  it('are all but the denied, or of the allowed all but the denied, for the bridge and for a port', async () => {
    await using bridge = await startTestBridge({
      ...{ ...BEHIND, listeners: [port('all'), port('lan')] },
      ...{ allow: ['192.0.2.0/24', '2001:db8::/32'], deny: ['192.0.2.66'] },
      ports: { lan: { allow: ['192.0.2.0/28'], deny: ['192.0.2.2'] } },
    });
    const hosts = ['192.0.2.1', '192.0.2.2', '192.0.2.66', '192.0.2.99', '198.51.100.1'];
    const may = async (name: string) => {
      const each = await Promise.all(hosts.map((host) => mayCome(bridge, from(host), name)));
      return hosts.filter((_, i) => each[i]);
    };
    expect(await may('all')).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.99']);
    expect(await may('lan')).toEqual(['192.0.2.1']);
    expect([await mayCome(bridge, V6), await mayCome(bridge, V6, 'lan')]).toEqual([true, false]);
  });

  it('are others after a change, and who is here and may not be is closed', async () => {
    await using bridge = await startTestBridge({ ...BEHIND, listeners: [port('all'), port('lan')] });
    const rigs = await Promise.all(
      [from('192.0.2.1'), from('192.0.2.2'), V6].map(async (options) => {
        const rig = await bridge.connect('tcp', { ...options, name: 'all' });
        await rig.request(1, 'mining.ping');
        return rig;
      }),
    );
    const change = (lists: object) =>
      bridge.server.changeRules({ shareDifficulty: 4n as Difficulty, ...BEHIND, ...lists });
    change({ deny: ['192.0.2.2'] });
    await rigs[1]?.untilClosed();
    change({ allow: ['192.0.2.0/24'] });
    await rigs[2]?.untilClosed();
    expect(await mayCome(bridge, V6)).toBe(false);
    expect(await mayCome(bridge, from('192.0.2.2'))).toBe(true);
    change({ ports: { all: { deny: ['0.0.0.0/1', '128.0.0.0/1'] } } });
    await rigs[0]?.untilClosed();
    expect([await mayCome(bridge, from('1.2.3.4')), await mayCome(bridge, from('1.2.3.4'), 'lan')]).toEqual([
      false,
      true,
    ]);
    const closings = bridge.closings.filter((why) => why.startsWith('the address'));
    expect([...new Set(closings)]).toEqual([
      'the address 192.0.2.2 is denied here',
      'the address 2001:db8:0:0:0:0:0:0 is not allowed here',
      'the address 192.0.2.1 is denied here',
    ]);
  });

  it('cuts who was on the way to a session', async () => {
    await using bridge = await startTestBridge({ listeners: [port('all')] });
    const slow = connect(bridge.port('ws', 'all'), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => slow.once('close', resolve));
    slow.write('GET / HTT');
    await until('the bridge has it', () => bridge.server.watch.counts().refused === 0 && !slow.connecting);
    await mayCome(bridge, {});
    bridge.server.changeRules({ shareDifficulty: 4n as Difficulty, deny: ['127.0.0.0/8'] });
    await closed;
  });

  it('of an order of an earlier start are those of this one', async () => {
    const terms = { since: new Date(0).toISOString(), by: 'me' };
    const addresses = [{ ...terms, list: 'deny', addresses: '192.0.2.0/24' }] as const;
    await using bridge = await startTestBridge({
      ...{ ...BEHIND, listeners: [port('all')] },
      kept: { bans: [], difficulties: [], labels: [], addresses, untold: [] },
    });
    expect([await mayCome(bridge, from('192.0.2.1')), await mayCome(bridge, V6)]).toEqual([false, true]);
    const { operator } = bridge.server;
    const order = (list: 'allow' | 'deny', addresses: string, isOn = true) =>
      operator.address({ list, addresses, isOn }, 'me');
    expect(await order('allow', '192.0.2.0/24')).toMatchObject({
      isKept: false,
    });
    expect(await mayCome(bridge, V6)).toBe(false);
    await order('deny', '192.0.2.0/24', false);
    expect(await mayCome(bridge, from('192.0.2.1'))).toBe(true);
    for (let i = 0; i < 999; i++) await order('allow', `198.51.${i >> 8}.${i & 255}`);
    expect(await order('allow', '203.0.113.1')).toMatchObject({
      refused: 'full',
    });
  });
});

describe('what rigs of a port get', () => {
  /** Of the last target that the rig was told. */
  const difficultyOfRig = (rig: WireRig): number | undefined => {
    const target = targetFromHexBigEndian(String(rig.notices('mining.set_target').at(-1)?.params?.[0]));
    return target && Number(difficultyOf(target));
  };

  async function rigAt(bridge: TestBridge, name: string, login = 'a.r', resume: string | null = null) {
    const rig = await bridge.connect('tcp', { name });
    const { result } = await rig.request(1, 'mining.subscribe', ['test/1', resume]);
    const answer = await rig.request(2, 'mining.authorize', [login, 'x']);
    return { rig, token: String((result as unknown[])[0]), error: answer.error?.[1] };
  }

  const untilAt = (rig: WireRig, wanted: number): Promise<unknown> =>
    until(`a difficulty of ${wanted}`, () => {
      const is = difficultyOfRig(rig);
      return is !== undefined && Math.abs(is / wanted - 1) < 0.001;
    });

  const vardiff = { startDifficulty: 1e6, minDifficulty: 1000, maxDifficulty: 1e9 };
  const ports: Record<string, PortSettings> = {
    high: { vardiff: { startDifficulty: 1e15, minDifficulty: 1e14, maxDifficulty: 1e18 } },
    low: { vardiff: { maxDifficulty: 5000 } },
    fixed: { shareDifficulty: 7_000_000n as Difficulty },
    same: {},
  };
  const startPorts = () =>
    startTestBridge({
      listeners: Object.keys(ports).map((name) => port(name)),
      ...{ shareDifficulty: 'vardiff', vardiff, ports, rolls: true },
      nonceSpace: new NonceSpace(60_000),
    });

  it('is its difficulty, also where a rig asks for one of its own', async () => {
    await using bridge = await startPorts();
    bridge.offer(HARD);
    const wanted = { high: 1e15, low: 5000, fixed: 7e6, same: 1e6 };
    for (const [name, difficulty] of Object.entries(wanted))
      await untilAt((await rigAt(bridge, name, `a.${name}`)).rig, difficulty);
    await untilAt((await rigAt(bridge, 'high', 'a.r+5')).rig, 1e14);
    await untilAt((await rigAt(bridge, 'low', 'a.r+1e9')).rig, 5000);
  });

  it('follows a rig that comes back by another port', async () => {
    await using bridge = await startPorts();
    bridge.offer(HARD);
    const first = await rigAt(bridge, 'low', 'a.r', '');
    await untilAt(first.rig, 5000);
    first.rig.vanish();
    await until('it is gone', () => bridge.server.resumable === 1);
    const back = await rigAt(bridge, 'high', 'a.r', first.token);
    expect(bridge.server.resumable).toBe(0);
    await untilAt(back.rig, 1e14);
  });

  it('changes for those who are here', async () => {
    await using bridge = await startPorts();
    bridge.offer(HARD);
    const [high, same] = [await rigAt(bridge, 'high', 'a.h'), await rigAt(bridge, 'same', 'a.s')];
    await untilAt(high.rig, 1e15);
    await untilAt(same.rig, 1e6);
    const changed = { ...ports, high: { shareDifficulty: 3_000_000n as Difficulty } };
    bridge.server.changeRules({ shareDifficulty: 'vardiff', vardiff, ports: changed });
    await untilAt(high.rig, 3e6);
    expect(difficultyOfRig(same.rig)).toBe(1e6);
  });

  it('are its accounts: who may mine by one may not by another, and is sent away by a change', async () => {
    const settings = {
      shareDifficulty: 4n as Difficulty,
      accounts: { mode: 'list', accounts: ['bridge'] },
      ports: {
        own: { accounts: { mode: 'list', accounts: ['own'] } },
        secret: { accounts: { mode: 'password', passwords: { own: 'x' } } },
        key: { accounts: { mode: 'key' } },
        all: {},
      },
    } as const;
    const names = Object.keys(settings.ports);
    await using bridge = await startTestBridge({
      ...settings,
      listeners: names.map((name) => port(name)),
      limits: { refusalDelayMs: 0 },
    });
    const errors = async (login: string) => {
      const each = await Promise.all(
        names.map(async (name) => [name, (await rigAt(bridge, name, login)).error]),
      );
      return Object.fromEntries(each.filter(([, error]) => error !== undefined));
    };
    const notOnList = (account: string) => `the account ${account} is not on the list of this bridge`;
    const noKey = (account: string) => expect.stringContaining(`the account ${account} cannot be paid here`);
    expect(await errors('own.r')).toEqual({ all: notOnList('own'), key: noKey('own') });
    expect(await errors('bridge.r')).toEqual({
      own: notOnList('bridge'),
      secret: 'no such account and password: bridge',
      key: noKey('bridge'),
    });
    const { own, ...others } = settings.ports;
    const changed = { ...others, own: { accounts: { mode: 'list', accounts: ['other'] } } } as const;
    bridge.server.changeRules({ ...settings, limits: { refusalDelayMs: 0 }, ports: changed });
    expect(own.accounts.accounts).toEqual(['own']);
    expect(bridge.closings).toEqual(['the account own may not mine here any more']);
    expect(bridge.server.ports.map(({ sessions }) => sessions)).toEqual([1, 2, 2, 2]);
  });
});
