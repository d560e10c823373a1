import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/jobs/job.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import { targetOf, targetToHexBigEndian } from '../../src/core/work/target.js';
import { StratumListenError } from '../../src/stratum/admission/listener.js';
import { startStratumServer } from '../../src/stratum/server.js';
import { WIRE_TRANSPORTS } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, TCP_PORT, WS_PORT } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);

describe.each(WIRE_TRANSPORTS)('a rig over %s', (transport) => {
  it('subscribes, authorizes, gets target and job, and is paid once for each share however spelled (users-ask 2)', async () => {
    await using bridge = await startTestBridge();
    const job = bridge.offer(HARD);
    const rig = await bridge.connect(transport);
    rig.send('{"id":1,"method":"mining.subscribe","params":["agent/1",null]}');
    rig.send('{"id":"two","method":"mining.authorize","params":["k:1.rig.9","x"]}');
    expect(await rig.next()).toEqual({ id: 1, result: [null, '0000', 6], error: null });
    expect(await rig.next()).toEqual({ id: 'two', result: true, error: null });
    const setTarget = { id: null, method: 'mining.set_target', params: [targetToHexBigEndian(TARGET)] };
    expect(await rig.next()).toEqual(setTarget);
    const header = Buffer.from(job.header).toString('hex');
    expect(await rig.next()).toEqual({ id: null, method: 'mining.notify', params: [job.id, header, true] });

    const nonce1 = 0 as never;
    const good = mine(job, nonce1, TARGET, true, 0xab);
    expect(await rig.request(3, 'mining.submit', ['k:1.rig.9', job.id, good])).toMatchObject({
      result: true,
      error: null,
    });
    expect(bridge.shares).toMatchObject([{ account: 'k:1', rig: 'rig.9', jobId: job.id, difficulty: 4n }]);
    const again = await rig.request(4, 'mining.submit', [
      'k:1.rig.9',
      job.id,
      good.replace(/^0+/, '').toUpperCase(),
    ]);
    expect(again).toMatchObject({ result: false, error: [22, 'this nonce was submitted before', null] });
    const low = await rig.request(5, 'mining.submit', ['k:1', job.id, mine(job, nonce1, TARGET, false)]);
    expect(low.error?.[0]).toBe(23);
    expect(bridge.submits.map((event) => event.outcome)).toEqual(['accepted', 'duplicate', 'lowDifficulty']);
    expect(bridge.submits[0]).toMatchObject({ account: 'k:1', rig: 'rig.9', difficulty: 4n });
    expect(bridge.submits.map(({ claimed }) => claimed)).toEqual([undefined, 4n, 4n]);
  });

  it('is told whether its job is unknown or stale, and goes on (users-ask 11)', async () => {
    await using bridge = await startTestBridge();
    const early = bridge.offer({ ...HARD, parent: 1 });
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const job = bridge.offer({ ...HARD, parent: 2 });
    const submit = async (id: number, jobId: string, from = 0) =>
      await rig.request(id, 'mining.submit', [
        'a.r',
        jobId,
        mine(id === 3 ? early : job, nonce1, TARGET, true, from),
      ]);
    expect((await submit(3, early.id)).error).toEqual([
      21,
      `the chain has moved on since job ${early.id}`,
      null,
    ]);
    expect((await submit(4, 'nonsense')).error).toEqual([21, 'no job nonsense', null]);
    expect((await submit(5, job.id)).result).toBe(true);
  });

  it('cannot be paid for a job of the time before it came', async () => {
    await using bridge = await startTestBridge();
    const before = bridge.offer({ ...HARD, payload: 1 });
    bridge.offer({ ...HARD, payload: 2 });
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const answer = await rig.request(3, 'mining.submit', ['a.r', before.id, mine(before, nonce1, TARGET)]);
    expect(answer.error).toEqual([21, `job ${before.id} was not issued to this session`, null]);
  });

  it('stays connected whatever is wrong with its shares (users-ask 14)', async () => {
    await using bridge = await startTestBridge();
    const early = bridge.offer({ ...HARD, parent: 1 });
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const job = bridge.offer({ ...HARD, parent: 2 });
    const good = mine(job, nonce1, TARGET);
    const codes: unknown[] = [];
    for (const params of [
      ['a.r', job.id, good],
      ['a.r', job.id, good],
      ['a.r', job.id, mine(job, nonce1, TARGET, false)],
      ['a.r', early.id, mine(early, nonce1, TARGET)],
      ['a.r', 'ffffffff', good],
      ['b.r', job.id, mine(job, nonce1, TARGET, true, 100)],
      ['a.r', job.id, '0123456789abcdef'],
      ['a.r'],
      null,
    ])
      codes.push((await rig.request(`bad ${codes.length}`, 'mining.submit', params)).error?.[0]);
    expect(codes).toEqual([undefined, 22, 23, 21, 21, 24, 20, 20, 20]);
    const another = mine(job, nonce1, TARGET, true, 1000);
    expect((await rig.request('after all', 'mining.submit', ['a.r', job.id, another])).result).toBe(true);
    expect(bridge.closings).toEqual([]);
  });

  it('goes on with earlier jobs when the work is refreshed, and not after a new cut (users-ask 23)', async () => {
    await using bridge = await startTestBridge();
    const first = bridge.offer({ ...HARD, parent: 1, payload: 1 });
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const refreshed = bridge.offer({ ...HARD, parent: 1, payload: 2 });
    const submit = async (job: Job, from: number) =>
      (
        await rig.request(`${job.id} ${from}`, 'mining.submit', [
          'a.r',
          job.id,
          mine(job, nonce1, TARGET, true, from),
        ])
      ).error?.[0];
    expect([await submit(first, 0), await submit(refreshed, 0)]).toEqual([undefined, undefined]);
    const next = bridge.offer({ ...HARD, parent: 2, payload: 3 });
    expect([await submit(first, 500), await submit(refreshed, 500), await submit(next, 0)]).toEqual([
      21,
      21,
      undefined,
    ]);
    expect(rig.notices('mining.notify').map(({ params }) => params?.[2])).toEqual([true, false, true]);
  });

  it('sends a solution on whatever the share target is', async () => {
    await using bridge = await startTestBridge({ shareDifficulty: 1n << 200n });
    const job = bridge.offer({ difficulty: 8n });
    const { rig, nonce1 } = await bridge.readyRig(transport);
    const answer = await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, targetOf(8n))]);
    expect(answer.result).toBe(true);
    expect(bridge.solutions).toHaveLength(1);
    expect(bridge.shares[0]?.difficulty).toBe(8n);
  });

  it('takes any order, repetition and spelling (users-ask 22)', async () => {
    await using bridge = await startTestBridge();
    const rig = await bridge.connect(transport);
    expect((await rig.request(null, 'mining.submit', ['a', '1', '00'])).error?.[0]).toBe(25);
    expect((await rig.request([1], 'mining.authorize', ['a.r'])).result).toBe(true);
    const first = await rig.request({ a: 1 }, 'mining.subscribe', []);
    const second = await rig.request(1.5, 'mining.subscribe', ['x']);
    expect(second.result).toEqual(first.result);
    expect(bridge.nonceSpace.leased).toBe(1);
    const job = bridge.offer(HARD);
    await rig.until((message) => message.method === 'mining.notify');
    const other = await rig.request(7, 'mining.submit', ['b.r', job.id, '0']);
    expect(other.error).toEqual([24, 'b.r is not authorized on this connection', null]);
    expect((await rig.request(8, 'mining.authorize', ['b.r', null])).result).toBe(true);
    const nonce2 = mine(job, 0 as never, TARGET);
    expect((await rig.request(9, 'mining.submit', ['b.r', job.id, nonce2])).result).toBe(true);
    expect(rig.notices('mining.notify')).toHaveLength(1);
  });

  it('is answered when it asks for what is not there, and stays (users-ask 5)', async () => {
    await using bridge = await startTestBridge();
    const { rig } = await bridge.readyRig(transport);
    expect((await rig.request(3, 'mining.multi_version', [1])).error).toEqual([
      -32601,
      'no method mining.multi_version here',
      null,
    ]);
    expect((await rig.request(4, 'mining.submit', ['a.r', '1', '0xz'])).error?.[0]).toBe(20);
    rig.send('{"id":5,"method":');
    expect((await rig.until((message) => message.error?.[0] === -32700)).error?.[1]).toMatch(
      /^this line is no JSON: /,
    );
    expect((await rig.request(6, 'mining.ping')).result).toBe('pong');
  });

  it('gets its target before the notify that it governs, when the block target changes', async () => {
    await using bridge = await startTestBridge({ shareDifficulty: 'block' });
    bridge.offer({ difficulty: 16n, parent: 1 });
    const { rig } = await bridge.readyRig(transport);
    bridge.offer({ difficulty: 16n, parent: 2 });
    bridge.offer({ difficulty: 32n, parent: 3 });
    await rig.until((message) => message.params?.[0] === '5d6');
    const order = rig.lines.slice(2).map((line) => JSON.parse(line).method.replace('mining.', ''));
    expect(order).toEqual(['set_target', 'notify', 'notify', 'set_target', 'notify']);
    expect(rig.notices('mining.set_target').map((message) => message.params)).toEqual([
      [targetToHexBigEndian(targetOf(16n))],
      [targetToHexBigEndian(targetOf(32n))],
    ]);
  });

  it('is closed with a reason past the bounds', async () => {
    const limits = { invalidMessages: 3, lineBytes: 512 };
    await using bridge = await startTestBridge({ limits });
    const noisy = await bridge.connect(transport);
    for (let i = 0; i < 4; i++) noisy.send('nonsense');
    await noisy.untilClosed();
    expect(noisy.lines).toHaveLength(4);
    const endless = await bridge.connect(transport);
    endless.sendBytes(Buffer.alloc(600, 0x20));
    await endless.untilClosed();
    expect(bridge.closings[0]).toMatch(/^more than 3 invalid messages; the last: this line is no JSON/);
    expect(bridge.closings[1]).toMatch(/ is longer than 512 bytes$/);
    const { rig } = await bridge.readyRig(transport);
    expect((await rig.request(9, 'mining.ping')).result).toBe('pong');
    // One that takes messages learns it as the last that it hears.
    await rig.request(10, 'mining.extranonce.subscribe', []);
    rig.sendBytes(Buffer.alloc(600, 0x20));
    await rig.untilClosed();
    expect(rig.notices('client.show_message').map(({ params }) => params)).toEqual([[bridge.closings[2]]]);
    expect(rig.lines.at(-1)).toContain('client.show_message');
  });

  it('is closed when it says nothing, nothing useful, or nothing more', async () => {
    const limits = { handshakeTimeoutMs: 10_000, authorizeTimeoutMs: 10_000, idleTimeoutMs: 10_000 };
    await using bridge = await startTestBridge({ limits });
    const silent = await bridge.connect(transport);
    const stranger = await bridge.connect(transport);
    await stranger.request(1, 'mining.subscribe', []);
    const idle = await bridge.connect(transport);
    await idle.request(1, 'mining.authorize', ['a.idle', 'x']);
    bridge.skewMs = 11_000;
    await Promise.all([silent.untilClosed(), stranger.untilClosed(), idle.untilClosed()]);
    expect(bridge.closings).toContain('no good authorize came in time');
    expect(bridge.closings).toContain('the rig was silent for too long');
    // What has not sent a byte on a port that also speaks TLS is no session yet.
    if (transport !== 'tcp') expect(bridge.closings).toContain('no message came in time');
  });

  it('R12: is not closed for having nothing to say while it works', async () => {
    await using bridge = await startTestBridge({
      limits: { idleTimeoutMs: 10_000 },
      shareDifficulty: 'block',
    });
    bridge.offer(HARD);
    const { rig } = await bridge.readyRig(transport);
    const idle = await bridge.connect(transport);
    await idle.request(1, 'mining.authorize', ['a.idle', 'x']);
    bridge.skewMs = 11_000;
    await idle.untilClosed();
    bridge.skewMs = 80_000_000;
    const late = await bridge.connect(transport);
    await late.request(1, 'mining.authorize', ['a.late', 'x']);
    bridge.skewMs = 80_011_000;
    await late.untilClosed();
    expect((await rig.request(3, 'mining.ping')).result).toBe('pong');
    expect(bridge.closings).toEqual(Array(2).fill('the rig was silent for too long'));
  });

  it('leaves nothing behind, however it leaves', async () => {
    await using bridge = await startTestBridge();
    bridge.offer(HARD);
    const rigs = await Promise.all(Array.from({ length: 60 }, () => bridge.readyRig(transport)));
    expect(bridge.nonceSpace.leased).toBe(60);
    expect(new Set(rigs.map(({ nonce1 }) => nonce1)).size).toBe(60);
    rigs.forEach(({ rig }, i) => {
      if (i % 3 === 0) rig.close();
      else if (i % 3 === 1) rig.vanish();
      else rig.sendBytes(Buffer.alloc(9000, 0x41));
    });
    await Promise.all(rigs.map(({ rig }) => rig.untilClosed()));
    while (bridge.server.sessions > 0) await sleep(5);
    expect(bridge.nonceSpace.leased).toBe(0);
    expect(bridge.closings).toHaveLength(60);
    expect(bridge.events.eventNames().sort()).toEqual(['sessionClosed', 'submit']);
  });

  it('is refused with a sentence when the nonce space is full', async () => {
    const nonceSpace = new NonceSpace(1000);
    for (let i = 0; i < 65_536; i++) nonceSpace.lease(0);
    await using bridge = await startTestBridge({ nonceSpace });
    const rig = await bridge.connect(transport);
    const answer = await rig.request(1, 'mining.subscribe', []);
    expect(answer.error?.[1]).toMatch(/the bridge is full/);
    await rig.untilClosed();
  });

  it('C16: tells how long each submit waited for its answer', async () => {
    const wait: (() => void)[] = [];
    const append = () => new Promise<void>((resolve) => void wait.push(resolve));
    await using bridge = await startTestBridge({ append });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig(transport);
    await rig.request(3, 'mining.submit', ['a.r', 'nojob', '000000000001']);
    const good = mine(job, nonce1, TARGET);
    rig.send(JSON.stringify({ id: 4, method: 'mining.submit', params: ['a.r', job.id, good] }));
    await until('the share is on its way', () => wait.length > 0);
    bridge.skewMs += 60_000;
    wait[0]?.();
    await until('it is answered', () => bridge.submits.length === 2);
    const [refused, accepted] = bridge.submits;
    expect(refused?.tookMs).toBeLessThan(60_000);
    expect(accepted?.tookMs).toBeGreaterThanOrEqual(60_000);
  });

  it('has its pending submits answered when the bridge stops', async () => {
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const bridge = await startTestBridge({ append: () => stored });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig(transport);
    rig.send(
      JSON.stringify({ id: 7, method: 'mining.submit', params: ['a.r', job.id, mine(job, nonce1, TARGET)] }),
    );
    await rig.request(8, 'mining.ping');
    const closed = bridge.server.close();
    await sleep(30);
    store();
    expect((await rig.until((message) => message.id === 7)).result).toBe(true);
    await rig.untilClosed();
    await closed;
    expect(bridge.closings).toEqual(['the bridge stops']);
  });
});

describe('a stream of bytes', () => {
  it('may come one at a time, with any line end', async () => {
    await using bridge = await startTestBridge();
    const rig = await bridge.connect('tcp');
    rig.socket.setNoDelay(true);
    const text =
      '{"id":1,"method":"mining.subscribe","params":["ü"]}\r\n\r\n\n{"id":2,"method":"mining.authorize","params":["a"]}\n';
    for (const byte of Buffer.from(text)) {
      rig.sendBytes(Uint8Array.of(byte));
      await sleep(0);
    }
    expect((await rig.next()).id).toBe(1);
    expect((await rig.next()).id).toBe(2);
  });

  it('may carry several messages in one frame', async () => {
    await using bridge = await startTestBridge();
    const rig = await bridge.connect('ws');
    rig.send('{"id":1,"method":"mining.ping"}\n{"id":2,"method":"mining.ping"}\r\n');
    expect([(await rig.next()).id, (await rig.next()).id]).toEqual([1, 2]);
  });
});

describe('a stratum server', () => {
  it('says which port is taken, and keeps none then', async () => {
    await using bridge = await startTestBridge();
    const { tcp = expect.fail() } = bridge.server.addresses;
    const parts = { nonceSpace: bridge.nonceSpace, clock: { nowMs: () => 0 }, events: bridge.events };
    const rest = {
      judge: { judge: () => expect.fail() },
      log: SILENT,
      shareDifficulty: 1n,
      nextSessionId: () => 1,
    };
    const listeners = [WS_PORT, { ...TCP_PORT, address: tcp }];
    const taken = startStratumServer({ ...parts, ...rest, listeners });
    await expect(taken).rejects.toThrow(StratumListenError);
    await expect(taken).rejects.toThrow(
      `cannot listen for rigs (port tcp, 127.0.0.1:${tcp.port}): another program`,
    );
  });

  it('tells a browser what this port is', async () => {
    await using bridge = await startTestBridge();
    const response = await fetch(`http://127.0.0.1:${bridge.port('ws')}/`);
    expect(response.status).toBe(426);
    expect(await response.text()).toMatch(/WebSocket/);
  });
});
