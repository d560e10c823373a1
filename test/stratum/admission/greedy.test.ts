/** Rigs that send too much. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { targetOf } from '../../../src/core/work/target.js';
import type { WireMessage, WireRig } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);

describe('a rig that asks too much', () => {
  it('R16: is told to slow down, is not paid meanwhile but for a solution, and loses none', async () => {
    await using bridge = await startTestBridge({
      // Subscribe, authorize and eight more; reading is given up after twice as many.
      limits: { messagesPerSecond: 1, messageBurst: 10 },
      shareDifficulty: 1n,
      standsStill: true,
    });
    const job = bridge.offer({ difficulty: 40n });
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    const answers: WireMessage[] = [];
    for (let i = 0; i < 9; i++)
      answers.push(
        await rig.request(10 + i, 'mining.submit', [
          'a.r',
          job.id,
          mine(job, nonce1, targetOf(40n), false, i * 100),
        ]),
      );
    expect(answers.slice(0, 8).map((answer) => answer.result)).toEqual(Array(8).fill(true));
    expect(answers.at(-1)?.error).toEqual([
      20,
      'more than 1 messages a second: ask for a higher difficulty',
      null,
    ]);
    const before = bridge.shares.length;
    const solution = ['a.r', job.id, mine(job, nonce1, targetOf(40n))];
    expect((await rig.request(99, 'mining.submit', solution)).result).toBe(true);
    expect([bridge.shares.length, bridge.solutions.length]).toEqual([before + 1, 1]);
    expect((await rig.request(100, 'mining.submit', solution)).error?.[0]).toBe(22);
    expect(bridge.solutions).toHaveLength(1);
  });

  it('R16: has a solution sent and credited also while too many of its submits wait', async () => {
    let keep: (() => void)[] = [];
    await using bridge = await startTestBridge({
      limits: { pendingSubmits: 1 },
      shareDifficulty: 1n,
      append: () => new Promise((resolve) => void keep.push(resolve)),
    });
    const job = bridge.offer({ difficulty: 40n });
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    const nonce2 = (solves: boolean, from: number) => mine(job, nonce1, targetOf(40n), solves, from);
    const submit = (id: string, nonce: string): void =>
      rig.send(JSON.stringify({ id, method: 'mining.submit', params: ['a.r', job.id, nonce] }));
    submit('waits', nonce2(false, 0));
    submit('refused', nonce2(false, 1000));
    submit('solution', nonce2(true, 0));
    expect((await rig.until(({ id }) => id === 'refused')).error?.[0]).toBe(20);
    await until('the solution is sent', () => bridge.solutions.length === 1 && keep.length === 2);
    for (const each of keep) each();
    keep = [];
    expect((await rig.until(({ id }) => id === 'solution')).result).toBe(true);
  });

  it('is not read for a while when it floods, and is answered in the end', async () => {
    await using bridge = await startTestBridge({ limits: { messagesPerSecond: 10, messageBurst: 2 } });
    const rig = await bridge.connect('tcp');
    for (let i = 0; i < 100; i++) rig.send(`{"id":${i},"method":"mining.ping"}`);
    await rig.until((message) => message.id === 99);
    expect(rig.lines).toHaveLength(100);
  });

  it('is banned as a rig, by name and address, with a reason and an end', async () => {
    const limits = { invalidSubmits: 5, bannedRigsPerAddress: 2 };
    await using bridge = await startTestBridge({ limits });
    const job = bridge.offer(HARD);
    const misbehave = async (login: string): Promise<WireRig> => {
      const rig = await bridge.connect('tcp');
      await rig.request(1, 'mining.subscribe', []);
      expect((await rig.request(2, 'mining.authorize', [login])).result).toBe(true);
      for (let i = 0; i < 6; i++)
        rig.send(JSON.stringify({ id: 3, method: 'mining.submit', params: [login, 'nojob', '1'] }));
      await rig.untilClosed();
      return rig;
    };
    await misbehave('a.r');
    expect(bridge.closings[0]).toBe('banned: more than 5 wrong submits; the last: no job nojob');
    const again = await bridge.connect('tcp');
    const refused = await again.request(1, 'mining.authorize', ['a.r']);
    expect(refused.error).toEqual([
      24,
      expect.stringMatching(/^banned until 20.*Z: more than 5 wrong submits/),
      null,
    ]);
    expect((await again.request(2, 'mining.authorize', ['a.other'])).result).toBe(true);
    expect(bridge.server.watch.bans()).toMatchObject([{ kind: 'rig', login: 'a.r', address: '127.0.0.1' }]);
    await misbehave('b.r');
    const shut = await bridge.connect('tcp');
    await shut.untilClosed();
    bridge.skewMs = 600_001;
    expect(bridge.server.watch.bans()).toEqual([]);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    expect((await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)])).result).toBe(
      true,
    );
  });

  it('is not banned while its good shares outnumber the wrong', async () => {
    await using bridge = await startTestBridge({ limits: { invalidSubmits: 5 }, shareDifficulty: 1n });
    const job = bridge.offer(HARD);
    const { rig } = await bridge.readyRig('tcp');
    for (let i = 0; i < 12; i++) await rig.request(i, 'mining.submit', ['a.r', job.id, i.toString(16)]);
    for (let i = 0; i < 10; i++) await rig.request(`wrong ${i}`, 'mining.submit', ['a.r', job.id, '1']);
    expect((await rig.request(99, 'mining.ping')).result).toBe('pong');
  });
});

describe('a rig that does not read what it is answered', () => {
  it('is closed', async () => {
    await using bridge = await startTestBridge({
      limits: { messagesPerSecond: 1e6, messageBurst: 1e6, writeBufferBytes: 100_000 },
    });
    const { rig } = await bridge.readyRig('tcp');
    rig.socket.pause();
    for (let i = 0; i < 200 && bridge.closings.length === 0; i++) {
      for (let j = 0; j < 500; j++) rig.send(`{"id":"${'x'.repeat(900)}","method":"mining.ping"}`);
      await sleep(5);
    }
    expect(bridge.closings).toEqual(['the rig does not take its answers']);
  });
});
