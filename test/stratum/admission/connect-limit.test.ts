import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/core/jobs/job.js';
import type { Nonce2 } from '../../../src/core/jobs/nonce.js';
import { Address } from '../../../src/stratum/admission/address.js';
import { ConnectLimit, FairLine } from '../../../src/stratum/admission/connect-limit.js';
import { STRATUM_LIMITS } from '../../../src/stratum/admission/limits.js';
import { NonceDetective } from '../../../src/stratum/session/nonce-detective.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { startTestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

describe('a fair line', () => {
  it('R18: gives keys their turns one after the other', () => {
    const line = new FairLine<string>(100);
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) line.enter(item[0] ?? '', item);
    const order: string[] = [];
    for (let item = line.turn(); item !== undefined; item = line.turn()) {
      order.push(item);
      line.leave(item);
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('R18: when full, has a place for who waits least', () => {
    const line = new FairLine<string>(6);
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
      expect(line.enter(item[0] ?? '', item)).toBeUndefined();
    expect(line.enter('a', 'a5')).toBe('a5');
    expect(line.enter('c', 'c1')).toBe('a1');
    expect(line.enter('c', 'c2')).toBe('a2');
    expect(line.enter('c', 'c3')).toBe('c3');
    expect([line.size, line.has('a1'), line.has('a3'), line.has('c2')]).toEqual([6, false, true, true]);
  });

  it('R18: never holds more than it may, nor a key more than others lack', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (all) => {
        const line = new FairLine<number>(5);
        const held = new Map<number, string>();
        for (const [item, [key, enters]] of all.entries()) {
          if (enters) {
            held.set(item, key);
            const dropped = line.enter(key, item);
            if (dropped !== undefined) held.delete(dropped);
          } else {
            const next = line.turn();
            expect(next === undefined).toBe(held.size === 0);
            if (next !== undefined) line.leave(next);
            if (next !== undefined) held.delete(next);
          }
          expect(line.size).toBe(held.size);
          expect(line.size).toBeLessThanOrEqual(5);
          expect(line.keys).toBe(new Set(held.values()).size);
          for (const one of held.keys()) expect(line.has(one)).toBe(true);
        }
      }),
    );
  });
});

const WIDE = { connectsPerSecond: 100, connectBurst: 100, connectsWaiting: 100 };

describe('the limit of connects', () => {
  it('R18: lets another address in while one fills its places', async () => {
    const limits = { connectsPerSecond: 5, connectBurst: 1, connectsWaiting: 10 };
    await using bridge = await startTestBridge({ limits, standsStill: true });
    const storm = await Promise.all(
      Array.from({ length: 30 }, () => WireRig.connect('tcp', bridge.port('tcp'))),
    );
    const waiting = (): number => bridge.server.watch.counts().waiting;
    await until('its places are taken', () => waiting() === 10 && bridge.server.refused === 19);
    const other = await bridge.connect('tcp', { localAddress: '127.0.0.2' });
    await until('it has taken one of them', () => waiting() === 10 && bridge.server.refused === 20);
    // Time for two: one of each address.
    bridge.skewMs = 200;
    await until('one goes', () => waiting() === 9);
    bridge.skewMs = 400;
    await until('another goes', () => waiting() === 8);
    expect((await other.request(1, 'mining.ping')).result).toBe('pong');
    expect(waiting()).toBe(8);
    for (const rig of storm) rig.vanish();
  });

  it('R18: lets one address have only so many connections a second, others not waiting for it', async () => {
    const time = { nowMs: 0 };
    const limit = new ConnectLimit(WIDE, () => time.nowMs);
    const limits = { ...STRATUM_LIMITS, connectsPerSecondPerAddress: 2, connectBurst: 3 };
    const [storm, calm] = ['192.0.2.1', '192.0.2.2'].map((key) => new Address(key, limits, 0));
    if (!storm || !calm) throw new Error('unreachable');
    const went: string[] = [];
    const arrive = (address: Address): void =>
      limit.enter({
        socket: new Socket(),
        first: Buffer.alloc(0),
        address,
        go: () => went.push(address.key),
        refuse: () => undefined,
      });
    for (let i = 0; i < 10; i++) arrive(storm);
    expect(went).toHaveLength(3);
    arrive(calm);
    await until('the other goes', () => went.includes(calm.key));
    expect(went).toHaveLength(4);
    time.nowMs = 1000;
    await until('two more go', () => went.length === 6);
    limit.close();
  });

  it('R13: has an address wait that sends far too much, until its debt is paid', async () => {
    const time = { nowMs: 0 };
    const limit = new ConnectLimit(WIDE, () => time.nowMs);
    const address = new Address('192.0.2.1', STRATUM_LIMITS, 0);
    address.charge(1e9, 0);
    let went = 0;
    const first = Buffer.alloc(0);
    limit.enter({ socket: new Socket(), first, address, go: () => went++, refuse: () => undefined });
    expect([went, limit.waiting]).toEqual([0, 1]);
    time.nowMs = 6000;
    await until('it goes', () => went === 1);
    limit.close();
  });

  it.each([
    ['behind a balancer', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.2 5000 1917\r\n')],
    ['that comes itself', Buffer.alloc(0)],
  ])('ST7: holds 4 kB of a connection %s before its turn, and ends what sends more', async (_who, header) => {
    const limits = { connectsPerSecond: 1, connectBurst: 1 };
    const balancers = header.length > 0 ? ['127.0.0.0/8'] : [];
    await using bridge = await startTestBridge({ limits, balancers, standsStill: true });
    const waiting = (): number => bridge.server.watch.counts().waiting;
    await bridge.connect('tcp', { preamble: header });
    const ping = '{"id":1,"method":"mining.ping"}\n';
    const little = await bridge.connect('tcp', { preamble: Buffer.concat([header, Buffer.from(ping)]) });
    await until('it waits', () => waiting() === 1);
    little.send(ping.repeat(50).trim());
    // At once with its header, and in pieces of which each would do.
    const much = await bridge.connect('tcp', { preamble: Buffer.concat([header, Buffer.alloc(5000, ' ')]) });
    await much.untilClosed();
    const more = await bridge.connect('tcp', { preamble: header });
    for (let i = 0; i < 5; i++) more.sendBytes(Buffer.alloc(1000, ' '));
    await more.untilClosed();
    expect([waiting(), bridge.server.refused]).toEqual([1, 2]);
    bridge.skewMs += 1000;
    await until('all of what little sent is answered', () => little.lines.length === 51);
  });
});

describe('the search for another nonce1', () => {
  /** A search shows in that it is looked at. */
  const suspect = (looks: { count: number }) => ({
    get job(): Job {
      looks.count++;
      throw new Error('looked at');
    },
    nonce2: new Uint8Array(6) as unknown as Nonce2,
    target: 0n as never,
  });

  it('R18: is made once a minute for an address, and seldom for all', async () => {
    const looks = { count: 0 };
    const detective = new NonceDetective(0);
    const search = async (key: string, nowMs: number): Promise<boolean> =>
      await detective.search([suspect(looks)], key, nowMs).then(
        () => false,
        () => true,
      );
    const made: boolean[] = [];
    for (const [key, nowMs] of [
      ['a', 0],
      ['a', 1000],
      ['b', 1000],
      ['c', 1000],
      ['d', 1000],
      ['d', 11_000],
      ['a', 59_000],
      ['a', 60_000],
    ] as const)
      made.push(await search(key, nowMs));
    expect(made).toEqual([true, false, true, true, false, true, false, true]);
    expect(looks.count).toBe(5);
  });
});
