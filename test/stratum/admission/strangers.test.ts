/** What strangers send that is no rig's: it costs them more than it costs the bridge. */
import { connect, type Socket } from 'node:net';
import { connect as secureConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { targetOf } from '../../../src/core/work/target.js';
import { Tally } from '../../../src/web/state/tally.js';
import { mine, startTestBridge, TEST_PAIR, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A connection of bare bytes; `text` is what came so far. */
function bare(port: number): { socket: Socket; text: () => string; closed: () => boolean } {
  const socket = connect(port, '127.0.0.1');
  opened.push(socket);
  let text = '';
  let closed = false;
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  return { socket, text: () => text, closed: () => closed };
}

const UPGRADE =
  'GET / HTTP/1.1\r\nHost: pool\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

/** A WebSocket whose frames are written by hand. */
async function upgraded(bridge: TestBridge) {
  const raw = bare(bridge.port('ws'));
  raw.socket.write(`${UPGRADE}\r\n`);
  await until('the upgrade', () => raw.text().includes('\r\n\r\n'));
  return raw;
}

/** A masked frame with a key of zeros. */
function frame(opcode: number, text: string, isLast = true): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error('too long for these tests');
  return Buffer.concat([
    Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | payload.length, 0, 0, 0, 0]),
    payload,
  ]);
}
const TEXT = 1;
const MORE = 0;
const PING = 9;

describe('a WebSocket message in pieces', () => {
  it('A2: may have sixteen, and no more', async () => {
    await using bridge = await startTestBridge();
    const { socket, text, closed } = await upgraded(bridge);
    const message = '{"id":1,"method":"mining.ping"}';
    const pieces = [...Array.from({ length: 15 }, (_, i) => message[i] ?? ''), message.slice(15)];
    for (const [i, piece] of pieces.entries()) socket.write(frame(i === 0 ? TEXT : MORE, piece, i === 15));
    await until('the answer', () => text().includes('pong'));
    for (let i = 0; i < 17; i++) socket.write(frame(i === 0 ? TEXT : MORE, 'x', false));
    await until('the end', closed);
    expect(bridge.closings).toEqual(['a WebSocket message is in more than 16 pieces']);
  });
});

describe.each(['tcp', 'ws'] as const)('an unfinished message over %s', (transport) => {
  it('A2: is silence, also of a rig that works', async () => {
    await using bridge = await startTestBridge({ limits: { idleTimeoutMs: 60_000 } });
    const { rig } = await bridge.readyRig(transport);
    const { rig: other } = await bridge.readyRig(transport);
    const piece = transport === 'tcp' ? Buffer.from('{"id":') : frame(TEXT, '{"id":', false);
    rig.socket.write(piece);
    // Read after the piece, which came before.
    let pings = 0;
    const seen = async () => await other.request(`ping ${++pings}`, 'mining.ping');
    await seen();
    bridge.skewMs = 40_000;
    rig.socket.write(transport === 'tcp' ? Buffer.from('1') : frame(MORE, '1', false));
    await seen();
    expect(bridge.closings).toEqual([]);
    bridge.skewMs = 62_000;
    await rig.untilClosed();
    expect(bridge.closings).toEqual(['a message was begun and not ended in time']);
  });
});

describe('an unfinished message over WebSocket', () => {
  it('A2: is silence also with pings between its pieces', async () => {
    await using bridge = await startTestBridge({ limits: { idleTimeoutMs: 60_000 }, standsStill: true });
    const { rig } = await bridge.readyRig('ws');
    const { rig: other } = await bridge.readyRig('ws');
    for (const [i, piece] of [frame(TEXT, '{"id":', false), frame(MORE, '1', false)].entries()) {
      rig.socket.write(Buffer.concat([piece, frame(PING, '')]));
      await other.request(`ping ${i}`, 'mining.ping');
      bridge.skewMs += 40_000;
    }
    await rig.untilClosed();
    expect(bridge.closings).toEqual(['a message was begun and not ended in time']);
  });

  it('A2: is none that has come whole with the request to upgrade', async () => {
    const limits = { idleTimeoutMs: 60_000, authorizeTimeoutMs: 3_600_000 };
    await using bridge = await startTestBridge({ limits, standsStill: true });
    const { socket, text, closed } = bare(bridge.port('ws'));
    const ping = frame(TEXT, '{"id":1,"method":"mining.ping"}');
    socket.write(Buffer.concat([Buffer.from(`${UPGRADE}\r\n`), ping, ping.subarray(0, 9)]));
    socket.write(ping.subarray(9));
    await until('the answers', () => text().split('pong').length === 3);
    bridge.skewMs = 62_000;
    await until('the end', closed);
    expect(bridge.closings).toEqual(['the rig was silent for too long']);
  });
});

describe('a frame that breaks the rules', () => {
  it('is told to a rig that takes messages before the close frame, which is the last', async () => {
    await using bridge = await startTestBridge();
    const { socket, text, closed } = await upgraded(bridge);
    socket.write(frame(TEXT, '{"id":1,"method":"mining.extranonce.subscribe","params":[]}'));
    await until('it has shown what it takes', () => text().includes('client.get_version'));
    socket.write(frame(3, 'no opcode'));
    await until('the end', closed);
    expect(bridge.closings).toEqual(['no WebSocket frame has opcode 3']);
    expect(text()).toMatch(/"client\.show_message","params":\["no WebSocket frame has opcode 3"\]\}[^{]*$/);
  });
});

describe('who sends what is no message again and again', () => {
  it('is banned, and not where rigs mine', async () => {
    await using bridge = await startTestBridge();
    const nonsense = async (localAddress: string): Promise<void> => {
      const rig = await bridge.connect('tcp', { localAddress });
      rig.sendBytes(Buffer.from('nonsense\n'.repeat(30)));
      await rig.untilClosed();
    };
    const job = bridge.offer({});
    const rig = await bridge.connect('tcp', { localAddress: '127.0.0.8' });
    const { result } = await rig.request(1, 'mining.subscribe', ['test/1', null]);
    await rig.request(2, 'mining.authorize', ['a.r', 'x']);
    const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail();
    const share = mine(job, nonce1, targetOf(4n), true);
    expect((await rig.request(3, 'mining.submit', ['a.r', job.id, share])).result).toBe(true);
    for (let i = 0; i < 8; i++) await nonsense('127.0.0.8');
    const bans = () => bridge.server.watch.bans();
    for (let i = 0; i < 4; i++) await nonsense('127.0.0.9');
    expect(bans()).toEqual([]);
    await nonsense('127.0.0.9');
    expect(bans()).toMatchObject([{ kind: 'address', address: '127.0.0.9' }]);
    expect((await rig.request('still', 'mining.ping')).result).toBe('pong');
  });
});

describe('a web page', () => {
  const page =
    'POST / HTTP/1.1\r\nHost: pool:1917\r\nContent-Type: text/plain\r\nContent-Length: 99\r\nOrigin: http://evil.example\r\n\r\n' +
    '{"id":1,"method":"mining.subscribe","params":[]}\n{"id":2,"method":"mining.authorize","params":["a.r"]}\n';

  it('A6: is no rig over TCP', async () => {
    await using bridge = await startTestBridge();
    const { socket, text, closed } = bare(bridge.port('tcp'));
    socket.write(page);
    await until('the end', closed);
    expect(text()).toBe('');
    expect(bridge.closings).toEqual(['an HTTP request came to the TCP port of rigs']);
  });

  it('is told what it did where whoever has no agent is taken to take messages', async () => {
    await using bridge = await startTestBridge({ agents: [{ agent: '', takesMessages: true }] });
    const { socket, text, closed } = bare(bridge.port('tcp'));
    socket.write(page);
    await until('the end', closed);
    expect(JSON.parse(text())).toMatchObject({
      method: 'client.show_message',
      params: ['an HTTP request came to the TCP port of rigs'],
    });
  });

  it('A6: is no rig over TLS either', async () => {
    await using bridge = await startTestBridge();
    const socket = secureConnect({ host: '127.0.0.1', port: bridge.port('tls'), ca: TEST_PAIR.certificate });
    opened.push(socket);
    socket.on('error', () => undefined);
    socket.write(page);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(bridge.closings).toEqual(['an HTTP request came to the TCP port of rigs']);
  });

  const openWith = (bridge: TestBridge, origin?: string): Promise<string> =>
    new Promise((resolve) => {
      const webSocket = new WebSocket(`ws://127.0.0.1:${bridge.port('ws')}`, origin ? { origin } : {});
      webSocket.once('open', () => {
        webSocket.close();
        resolve('open');
      });
      webSocket.once('unexpected-response', (_request, response) => resolve(String(response.statusCode)));
      webSocket.on('error', (error) => resolve(error.message));
    });

  it('A6: opens a WebSocket only from an origin that is allowed', async () => {
    await using closed = await startTestBridge();
    expect(await openWith(closed)).toBe('open');
    expect(await openWith(closed, 'http://evil.example')).toBe('403');
    expect(await openWith(closed, 'null')).toBe('403');
    await using some = await startTestBridge({ origins: ['https://mine.example'] });
    expect(await openWith(some, 'https://mine.example')).toBe('open');
    expect(await openWith(some, 'https://mine.example.evil')).toBe('403');
    await using all = await startTestBridge({ origins: ['*'] });
    expect(await openWith(all, 'http://anything.example')).toBe('open');
  });
});

describe('a stranger that does not take the answer to its authorize', () => {
  it('R11: is counted as a rig no longer than its session lasts', async () => {
    await using bridge = await startTestBridge({ limits: { writeBufferBytes: 10 } });
    const tally = new Tally(bridge.events, { nowMs: () => 0 });
    const told: string[] = [];
    bridge.events.on('sessionAuthorized', () => told.push('authorized'));
    bridge.events.on('sessionClosed', (_session, reason) => told.push(reason));
    const rig = await bridge.connect('tcp');
    rig.send('{"id":1,"method":"mining.authorize","params":["a.r"]}');
    await rig.untilClosed();
    expect(told).toEqual(['authorized', 'the rig does not take its answers']);
    expect([tally.sessions, tally.rigs]).toEqual([0, 0]);
  });
});

describe('TLS that breaks after its handshake', () => {
  it('R17: ends the session', async () => {
    await using bridge = await startTestBridge();
    const raw = bare(bridge.port('tls')).socket;
    const secured = secureConnect({ socket: raw, host: '127.0.0.1', ca: TEST_PAIR.certificate });
    secured.on('error', () => undefined);
    secured.write('{"id":1,"method":"mining.ping"}\n');
    await new Promise((resolve) => secured.once('data', resolve));
    // A record of application data whose seal is wrong, below the TLS of this side.
    const handle = (raw as unknown as { _handle: { writeBuffer(request: object, data: Buffer): number } })
      ._handle;
    handle.writeBuffer({}, Buffer.concat([Buffer.from('1703030020', 'hex'), Buffer.alloc(32, 7)]));
    await until('the end of the session', () => bridge.closings.length === 1);
    expect(bridge.closings[0]).toMatch(/^the connection broke: /);
    expect(bridge.server.sessions).toBe(0);
  });
});
