import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { decodeHeader } from '../../src/core/header.js';
import type { Nonce1 } from '../../src/core/nonce.js';
import { NonceSpace, nonce1FromHex } from '../../src/core/nonce.js';
import { difficultyOf, targetFromHexBigEndian, targetOf } from '../../src/core/target.js';
import { jobIntervalMs } from '../../src/stratum/job-feed.js';
import { mine, startTestBridge } from '../helpers/stratum-bridge.js';
import type { WireMessage, WireRig } from '../helpers/wire-rig.js';

const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);
const ALL = { offset: 0, limit: 100 };

const isNotify = (message: WireMessage): boolean => message.method === 'mining.notify';
const difficultyIn = (message: WireMessage | undefined): bigint =>
  difficultyOf(targetFromHexBigEndian(String(message?.params?.[0])) ?? expect.fail('no target'));

async function notified(rig: WireRig, count: number): Promise<WireMessage[]> {
  while (rig.notices('mining.notify').length < count) await sleep(5);
  return rig.notices('mining.notify');
}

describe('accounts', () => {
  it('are refused with code 24 and a sentence, and may try again', async () => {
    await using bridge = await startTestBridge({ accounts: { mode: 'list', accounts: ['k:good'] } });
    bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    const refused = await rig.request(2, 'mining.authorize', ['k:bad.r', 'x']);
    expect(refused).toMatchObject({
      result: false,
      error: [24, 'the account k:bad is not on the list of this bridge', null],
    });
    expect(rig.notices('mining.notify')).toHaveLength(0);
    expect((await rig.request(3, 'mining.authorize', ['k:good.r', 'x'])).result).toBe(true);
    await rig.until(isNotify);
    const long = await rig.request(4, 'mining.authorize', ['k'.repeat(300), 'x']);
    expect(long.error).toEqual([24, 'a login has at most 256 characters, this one 300', null]);
  });

  it('may be several on one connection, up to a limit', async () => {
    await using bridge = await startTestBridge({ limits: { loginsPerSession: 2 } });
    const rig = await bridge.connect('tcp');
    for (const login of ['a', 'b', 'a'])
      expect((await rig.request(login, 'mining.authorize', [login])).result).toBe(true);
    expect((await rig.request(4, 'mining.authorize', ['c'])).error?.[1]).toBe(
      'one connection may authorize at most 2 logins',
    );
  });
});

describe('share difficulty', () => {
  it.each([
    ['by password', 'a.r', 'x,d=1e6', 1_000_000n],
    ['by login', 'a.r+500000', 'x', 500_000n],
    ['not below the least', 'a.r', 'd=1', 100n],
    ['not above the most', 'a.r', 'd=1e30', 1_000_000_000n],
  ])('is fixed %s (users-ask 8)', async (_how, login, password, difficulty) => {
    const vardiff = { minDifficulty: 100, maxDifficulty: 1e9 };
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff });
    bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    await rig.request(2, 'mining.authorize', [login, password]);
    await rig.until(isNotify);
    expect(difficultyIn(rig.notices('mining.set_target')[0])).toBe(difficulty);
  });

  it('starts where the rig suggests, where it was, or at the floor of its kind', async () => {
    const vardiff = { startDifficulty: 2 ** 20, minDifficulty: 1 };
    await using bridge = await startTestBridge({
      shareDifficulty: 'vardiff',
      vardiff,
      agentFloors: { 'asic/': 2 ** 40 },
    });
    const job = bridge.offer(HARD);
    const start = async (agent: string, suggestion?: [method: string, param: unknown]): Promise<WireRig> => {
      const rig = await bridge.connect('tcp');
      const [method, param] = suggestion ?? ['mining.ping'];
      expect((await rig.request(0, method, [param])).error).toBeNull();
      await rig.request(1, 'mining.subscribe', [agent]);
      await rig.request(2, 'mining.authorize', [`a.${agent}`]);
      await rig.until(isNotify);
      return rig;
    };
    const startOf = (rig: WireRig): bigint => difficultyIn(rig.notices('mining.set_target')[0]);
    expect(startOf(await start('gpu/1'))).toBe(1n << 20n);
    expect(startOf(await start('asic/1'))).toBe(1n << 40n);
    expect(startOf(await start('x', ['mining.suggest_difficulty', 4096]))).toBe(4096n);
    const slow = await start('slow', ['mining.suggest_target', 'f'.repeat(61).padStart(64, '0')]);
    expect(startOf(slow)).toBe(4096n);
    const nonce1 = nonce1FromHex(String((slow.lines[1] ?? '').match(/null,"(....)"/)?.[1])) ?? expect.fail();
    const share = await slow.request(3, 'mining.submit', [
      'a.slow',
      job.id,
      mine(job, nonce1, targetOf(4096n)),
    ]);
    expect(share.result).toBe(true);
    slow.close();
    expect(startOf(await start('slow'))).toBe(4096n);
    expect(bridge.server.watch.rigs(ALL).items).toMatchObject([{ account: 'a', rig: 'slow' }]);
    const [account] = bridge.server.watch.accounts(ALL).items;
    expect(account?.hashRates[0]?.hashesPerSecond).toBeGreaterThan(0);
  });

  it('that is fixed is not open to suggestions', async () => {
    await using bridge = await startTestBridge();
    const { rig } = await bridge.readyRig('tcp');
    expect((await rig.request(3, 'mining.suggest_difficulty', [5])).error).toEqual([
      20,
      'the share difficulty is fixed here',
      null,
    ]);
  });
});

describe('newer methods', () => {
  it('are answered, and show what may be sent', async () => {
    await using bridge = await startTestBridge();
    const rig = await bridge.connect('ws');
    const extensions = ['version-rolling', 'subscribe-extranonce'];
    const configured = await rig.request(1, 'mining.configure', [extensions, {}]);
    expect(configured.result).toEqual({ 'version-rolling': false, 'subscribe-extranonce': true });
    const asked = await rig.until((message) => message.method === 'client.get_version');
    rig.send(JSON.stringify({ id: asked.id, result: 'asked/1', error: null }));
    const agents: string[] = [];
    bridge.events.on('sessionAuthorized', (_session, _account, _rig, agent) => agents.push(agent));
    expect((await rig.request(2, 'mining.extranonce.subscribe', [])).result).toBe(true);
    await rig.request(3, 'mining.authorize', ['a.r']);
    expect(agents).toEqual(['asked/1']);
    void bridge.server.close();
    const told = await rig.until((message) => message.method === 'client.reconnect');
    expect(told.params).toEqual(['', 0, expect.any(Number)]);
    await rig.untilClosed();
  });
});

describe('client.show_message', () => {
  /** What a rig is shown when it ignores its nonce1, and when it is banned for it. */
  const shown = async (...first: [method: string, params: unknown[]][]): Promise<unknown[]> => {
    await using bridge = await startTestBridge({ shareDifficulty: 2000n, limits: { invalidSubmits: 3 } });
    const job = bridge.offer(HARD);
    const { rig } = await bridge.readyRig('tcp');
    for (const [method, params] of first) await rig.request(method, method, params);
    let from = 0;
    for (let i = 0; i < 4; i++) {
      const nonce2 = mine(job, 0x2a as Nonce1, targetOf(2000n), true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      rig.send(JSON.stringify({ id: i, method: 'mining.submit', params: ['a.r', job.id, nonce2] }));
      if (i < 3) await rig.until((message) => message.id === i);
    }
    await rig.untilClosed();
    return rig.notices('client.show_message').map(({ params }) => params?.[0]);
  };

  it('tells a rig that takes it what is wrong with it, and why it is banned', async () => {
    expect(await shown(['mining.extranonce.subscribe', []])).toEqual([
      'this rig ignores nonce1: its hashes are right with 002a, and it was given 0000',
      expect.stringMatching(/^banned: more than 3 wrong submits; the last: /),
    ]);
  });

  it('is not sent to others', async () => {
    expect(await shown()).toEqual([]);
  });
});

describe('client.reconnect', () => {
  it('goes to agents that are known to follow it, and not to others', async () => {
    await using bridge = await startTestBridge();
    const rigs = await Promise.all(
      ['stratum-bridge/1', 'asic/1'].map(async (agent) => {
        const rig = await bridge.connect('tcp');
        await rig.request(1, 'mining.subscribe', [agent]);
        return rig;
      }),
    );
    await bridge.server.close();
    for (const rig of rigs) await rig.untilClosed();
    expect(rigs.map((rig) => rig.notices('client.reconnect').length)).toEqual([1, 0]);
    const wait = Number(rigs[0]?.notices('client.reconnect')[0]?.params?.[2]);
    expect(wait).toBeGreaterThanOrEqual(0);
    expect(wait).toBeLessThan(10);
  });
});

describe('a rig that comes back', () => {
  it('gets its nonce1 by naming it, and its late shares count (users-ask 19)', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    rig.vanish();
    while (bridge.server.sessions > 0) await sleep(5);
    expect(bridge.server.parked).toBe(1);
    const fresh = await bridge.readyRig('tcp');
    expect(fresh.nonce1).not.toBe(nonce1);
    const back = await bridge.connect('tcp');
    const subscribed = await back.request(1, 'mining.subscribe', ['x', nonce1.toString(16).padStart(4, '0')]);
    expect(subscribed.result).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), '0000', 6]);
    await back.request(2, 'mining.authorize', ['a.r']);
    const late = await back.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)]);
    expect(late.result).toBe(true);
    expect(bridge.server.parked).toBe(0);
  });

  it('takes over from its half-dead connection with its token, which nobody else has', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
    bridge.offer(HARD);
    const old = await bridge.connect('ws');
    const { result } = await old.request(1, 'mining.subscribe', ['x', '']);
    await old.request(2, 'mining.authorize', ['a.r']);
    await old.until(isNotify);
    const [token, nonce1] = result as [string, string, number];
    const thief = await bridge.connect('ws');
    expect((await thief.request(1, 'mining.subscribe', ['x', nonce1])).result).not.toContain(nonce1);
    const back = await bridge.connect('ws');
    expect((await back.request(1, 'mining.subscribe', ['x', token])).result).toEqual([token, nonce1, 6]);
    await old.untilClosed();
    expect(bridge.closings).toEqual(['the rig came back on another connection']);
  });

  it('is never given a job again that it had, for it would search the same nonces (users-ask 2)', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000), rolls: true });
    bridge.offer(HARD);
    bridge.offer({ ...HARD, payload: 2 });
    const { rig } = await bridge.readyRig('tcp');
    bridge.offer({ ...HARD, payload: 3 });
    const had = (await notified(rig, 2)).map(({ params }) => params?.[0]);
    rig.vanish();
    while (bridge.server.sessions > 0) await sleep(5);
    const back = await bridge.connect('tcp');
    await back.request(1, 'mining.subscribe', ['x', '0000']);
    await back.request(2, 'mining.authorize', ['a.r']);
    const [first] = await notified(back, 1);
    expect(had).not.toContain(first?.params?.[0]);
  });

  it('is a new one once its nonce1 has rested', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
    bridge.offer(HARD);
    const { rig } = await bridge.readyRig('tcp');
    rig.close();
    while (bridge.server.sessions > 0) await sleep(5);
    bridge.skewMs = 61_000;
    const back = await bridge.connect('tcp');
    await back.request(1, 'mining.subscribe', ['x', '0000']);
    expect(bridge.server.parked).toBe(0);
  });
});

describe('nonce1', () => {
  it('that a rig ignores is named in the answer (users-ask 2)', async () => {
    await using bridge = await startTestBridge({ shareDifficulty: 2000n });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    expect(nonce1).toBe(0);
    let from = 0;
    const answers: WireMessage[] = [];
    for (let i = 0; i < 3; i++) {
      const nonce2 = mine(job, 0x2a as Nonce1, targetOf(2000n), true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      answers.push(await rig.request(10 + i, 'mining.submit', ['a.r', job.id, nonce2]));
    }
    expect(answers[1]?.error?.[1]).toMatch(/is above the share target/);
    const explained = 'this rig ignores nonce1: its hashes are right with 002a, and it was given 0000';
    expect(answers[2]?.error).toEqual([23, explained, null]);
  });

  it('comes again in a second group, whose jobs have times of their own (users-ask 24)', async () => {
    const nonceSpace = new NonceSpace(0);
    for (let i = 0; i < 65_535; i++) nonceSpace.lease(0);
    await using bridge = await startTestBridge({ nonceSpace, residue: 8, rolls: true });
    bridge.offer(HARD);
    const first = await bridge.readyRig('tcp');
    const second = await bridge.readyRig('ws');
    expect([first.nonce1, second.nonce1]).toEqual([65_535, 0]);
    bridge.offer({ ...HARD, parent: 2 });
    const jobs = await Promise.all([notified(first.rig, 2), notified(second.rig, 2)]);
    const times = jobs.map((of) =>
      of.map((job) => decodeHeader(Buffer.from(String(job.params?.[1]), 'hex')).creationTime),
    );
    expect(times.map((of) => of.map((time) => time % 1024n))).toEqual([
      [8n, 8n],
      [9n, 9n],
    ]);
    expect(jobs.map((of) => of[1]?.params?.[2])).toEqual([true, true]);
    const own = bridge.book.find(String(jobs[1][1]?.params?.[0])).job ?? expect.fail();
    const others = bridge.book.find(String(jobs[0][1]?.params?.[0])).job ?? expect.fail();
    const good = await second.rig.request(3, 'mining.submit', [
      'a.r',
      own.id,
      mine(own, second.nonce1, TARGET),
    ]);
    expect(good.result).toBe(true);
    const foreign = await second.rig.request(4, 'mining.submit', [
      'a.r',
      others.id,
      mine(others, second.nonce1, TARGET),
    ]);
    expect(foreign.error).toEqual([21, `job ${others.id} was not issued to this session`, null]);
  });
});

describe('time rolling', () => {
  it('gives the same work a later time before a rig falls silent, and earlier jobs stay good (users-ask 6)', async () => {
    await using bridge = await startTestBridge({ rolls: true });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    bridge.skewMs = 24_600;
    const [first, rolled] = await notified(rig, 2);
    expect([first?.params?.[2], rolled?.params?.[2]]).toEqual([true, false]);
    const timeIn = (message: WireMessage | undefined) =>
      decodeHeader(Buffer.from(String(message?.params?.[1]), 'hex')).creationTime;
    const passed = Number(timeIn(rolled) - timeIn(first));
    expect(passed).toBeGreaterThan(24e6);
    expect(passed).toBeLessThan(30e6);
    const late = await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)]);
    expect(late.result).toBe(true);
    const variant = bridge.book.find(String(rolled?.params?.[0])).job ?? expect.fail();
    const newer = await rig.request(4, 'mining.submit', ['a.r', variant.id, mine(variant, nonce1, TARGET)]);
    expect(newer.result).toBe(true);
  });

  it('is as fast as the rig needs it (users-ask 24)', () => {
    expect(jobIntervalMs(0)).toBe(25_000);
    expect(jobIntervalMs(1e12)).toBe(25_000);
    expect(Math.round(jobIntervalMs(140e12))).toBe(1005);
    expect(jobIntervalMs(1e18)).toBe(500);
  });

  it('carries an urgent change of target, and judges earlier jobs by theirs (users-ask 1)', async () => {
    const vardiff = { startDifficulty: 1, minDifficulty: 1, secondsPerShare: 10 };
    await using bridge = await startTestBridge({ rolls: true, shareDifficulty: 'vardiff', vardiff });
    const job = bridge.offer(HARD);
    const { rig } = await bridge.readyRig('tcp');
    for (let i = 0; i < 60; i++)
      rig.send(JSON.stringify({ id: i, method: 'mining.submit', params: ['a.r', job.id, i.toString(16)] }));
    await notified(rig, 2);
    const [before, after] = rig.notices('mining.set_target').map(difficultyIn);
    expect(before).toBe(1n);
    expect(after).toBeGreaterThan(50n);
    const methods = rig.lines.map((line) => (JSON.parse(line) as WireMessage).method).filter(Boolean);
    expect(methods).toEqual(['mining.set_target', 'mining.notify', 'mining.set_target', 'mining.notify']);
    // Judged, and credited, by what the job was issued with.
    const easy = await rig.request('easy', 'mining.submit', ['a.r', job.id, 'abcdef']);
    expect(easy.result).toBe(true);
    expect(bridge.shares.at(-1)?.difficulty).toBe(1n);
  });
});
