import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/core/jobs/job.js';
import type { Nonce1 } from '../../../src/core/jobs/nonce.js';
import { NonceSpace, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { decodeHeader } from '../../../src/core/work/header.js';
import { difficultyOf, targetFromHexBigEndian, targetOf } from '../../../src/core/work/target.js';
import { jobIntervalMs } from '../../../src/stratum/jobs/job-feed.js';
import type { WireMessage, WireRig } from '../../helpers/rigs/wire-rig.js';
import { makeWork } from '../../helpers/rigs/works.js';
import {
  mine,
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

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

  it('of mode key are such as a chain can pay', async () => {
    await using bridge = await startTestBridge({ accounts: { mode: 'key' }, limits: { refusalDelayMs: 0 } });
    bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    for (const account of ['bob', `k:02${'0'.repeat(62)}`])
      expect(await rig.request(account, 'mining.authorize', [`${account}.r`, 'x'])).toMatchObject({
        result: false,
        error: [24, expect.stringMatching(/cannot be paid.* Ed25519 public key/), null],
      });
    const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
    expect((await rig.request(4, 'mining.authorize', [`k:${key}.r`, 'x'])).result).toBe(true);
    await rig.until(isNotify);
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
    ['by password', 'a.r', 'x,fd=1e6', 1_000_000n],
    ['by login', 'a.r+500000', 'x', 500_000n],
    ['not below the least', 'a.r', 'fd=1', 100n],
    ['not above the most', 'a.r', 'fd=1e30', 1_000_000_000n],
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

  it.each([
    ['where it begins', 'x,d=1e6', 1_000_000n],
    ['how fast it is', 'h=50k', 500_000n],
    ['how fast it is in terahashes', 'th=1', 1_000_000_000n],
    ['both, of which the difficulty counts', 'h=50k;d=2k', 2000n],
    ['what is below the least', 'd=1', 100n],
    ['what is above the most', 'x d=1e30', 1_000_000_000n],
    ['what is no number', 'd=many', 1000n],
  ])(
    'begins where the password says %s, and vardiff goes on from there',
    async (_what, password, difficulty) => {
      const vardiff = { startDifficulty: 1000, minDifficulty: 100, maxDifficulty: 1e9, secondsPerShare: 10 };
      await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff, rolls: true });
      bridge.offer(HARD);
      const rig = await bridge.connect('tcp');
      await rig.request(1, 'mining.subscribe', []);
      await rig.request(2, 'mining.authorize', ['a.r', password]);
      await rig.until(isNotify);
      const newest = (): bigint => difficultyIn(rig.notices('mining.set_target').at(-1));
      expect(newest()).toBe(difficulty);
      bridge.skewMs += 3_600_000;
      await until('silence has lowered it', () => newest() === 100n || newest() < difficulty);
    },
  );

  it('does not begin anew for a password that comes again, nor for what the software suggests beside it', async () => {
    const vardiff = { startDifficulty: 1000, minDifficulty: 1 };
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', vardiff });
    bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    await rig.request(2, 'mining.authorize', ['a.r', 'd=5000']);
    await rig.until(isNotify);
    expect((await rig.request(3, 'mining.suggest_difficulty', [7])).error?.[1]).toBe(
      'the share difficulty is fixed here, or said in the password',
    );
    await rig.request(4, 'mining.authorize', ['a.r', 'd=8000']);
    bridge.offer({ ...HARD, parent: 2 });
    await until('a second job', () => rig.notices('mining.notify').length > 1);
    expect(rig.notices('mining.set_target').map(difficultyIn)).toEqual([5000n]);
  });

  it('starts where the rig suggests, where it was, or at the floor of its kind', async () => {
    const vardiff = { startDifficulty: 2 ** 20, minDifficulty: 1 };
    await using bridge = await startTestBridge({
      shareDifficulty: 'vardiff',
      vardiff,
      agents: [{ agent: 'asic/', floor: 2 ** 40 }],
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
    expect((await bridge.server.watch.rigs({ ...ALL, q: 'slow' })).items).toMatchObject([
      { account: 'a', accepted: 1 },
    ]);
    const [account] = (await bridge.server.watch.accounts(ALL)).items;
    expect(account?.hashRates[0]?.hashesPerSecond).toBeGreaterThan(0);
  });

  it('that is fixed is not open to suggestions', async () => {
    await using bridge = await startTestBridge();
    const { rig } = await bridge.readyRig('tcp');
    expect((await rig.request(3, 'mining.suggest_difficulty', [5])).error).toEqual([
      20,
      'the share difficulty is fixed here, or said in the password',
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

  it('tells what it learns late at most once a minute, and the last word at once', async () => {
    const accounts = { mode: 'list', accounts: ['a'] } as const;
    const limits = { invalidMessages: 2, idleTimeoutMs: 3_600_000, refusalDelayMs: 0 };
    await using bridge = await startTestBridge({ standsStill: true, accounts, limits });
    bridge.offer(HARD);
    const rig = await bridge.connect('ws');
    await rig.request(1, 'mining.subscribe', ['stratum-bridge/1']);
    await rig.request(2, 'mining.authorize', ['a.r', 'x']);
    const told = async (count: number): Promise<unknown> => {
      await until('it is told', () => rig.notices('client.show_message').length >= count);
      // Whatever else it was told by now came before this.
      await rig.request(`told ${count}`, 'mining.ping');
      expect(rig.notices('client.show_message')).toHaveLength(count);
      return rig.notices('client.show_message').at(-1)?.params?.[0];
    };
    const refuse = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const { error } = await rig.request(`${i} of ${count}`, 'mining.submit', ['a.r', 'ffff', `${i}`]);
        expect(error?.[0]).toBe(21);
      }
    };
    await refuse(9);
    await told(0);
    await refuse(1);
    expect(await told(1)).toMatch(/^10 submits in a row were refused; the last: .*job/);
    await bridge.server.operator.difficulty({ account: 'a', rig: 'r', difficulty: '5000' }, 'me');
    await told(1);
    bridge.skewMs += 60_000;
    expect(await told(2)).toBe('the operator holds this rig at share difficulty 5000');
    await rig.request(3, 'mining.authorize', ['b.r', 'x']);
    await bridge.server.operator.difficulty({ account: 'a', rig: 'r', difficulty: null }, 'me');
    await told(2);
    bridge.skewMs += 60_000;
    expect(await told(3)).toBe('the operator holds the share difficulty of this rig no more');
    for (let i = 0; i < 3; i++) rig.send('no JSON');
    await rig.untilClosed();
    expect(rig.notices('client.show_message').at(-1)?.params?.[0]).toMatch(
      /^more than 2 invalid messages; the last: /,
    );
  });

  it('tells a rig that may not mine under its name why, once it has shown that it takes it', async () => {
    await using bridge = await startTestBridge({ accounts: { mode: 'list', accounts: ['a'] } });
    const rig = await bridge.connect('tcp');
    expect((await rig.request(1, 'mining.authorize', ['b.r', 'x'])).error?.[0]).toBe(24);
    await rig.request(2, 'mining.extranonce.subscribe', []);
    const { params } = await rig.until(({ method }) => method === 'client.show_message');
    expect(params).toEqual(['the account b is not on the list of this bridge']);
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
  /** A rig that has vanished with a job, having asked for a token. */
  async function leave(bridge: TestBridge) {
    const job = bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    const { result } = await rig.request(1, 'mining.subscribe', ['x', '']);
    const [token, nonce1] = result as [string, string];
    await rig.request(2, 'mining.authorize', ['a.r']);
    await rig.until(isNotify);
    return { rig, job, token, nonce1 };
  }
  async function vanished(bridge: TestBridge) {
    const left = await leave(bridge);
    left.rig.vanish();
    await until('its session waits for its return', () => bridge.server.resumable === 1);
    return left;
  }
  const come = async (bridge: TestBridge, ...requests: [method: string, params: unknown[]][]) => {
    const rig = await bridge.connect('tcp');
    const answers: unknown[] = [];
    for (const [method, params] of requests) answers.push((await rig.request(method, method, params)).result);
    return { rig, answers };
  };
  const lateShare = async (rig: WireRig, job: Job, nonce1: string) => {
    const nonce2 = mine(job, nonce1FromHex(nonce1) ?? expect.fail(), TARGET);
    return (await rig.request('late', 'mining.submit', ['a.r', job.id, nonce2])).result;
  };
  const rest = () => ({ nonceSpace: new NonceSpace(60_000) });
  const AUTHORIZE: [string, unknown[]] = ['mining.authorize', ['a.r']];

  it('A3: gets its nonce1 by naming it once it is authorized, with a new token, and late shares count (users-ask 19)', async () => {
    await using bridge = await startTestBridge(rest());
    const { job, nonce1, token } = await vanished(bridge);
    const { rig, answers } = await come(bridge, AUTHORIZE, ['mining.subscribe', ['x', nonce1]]);
    expect(answers[1]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), nonce1, 6]);
    expect(answers[1]).not.toContain(token);
    expect(await lateShare(rig, job, nonce1)).toBe(true);
    expect(bridge.server.resumable).toBe(0);
  });

  it('A3: that names its nonce1 before its login gets another one, and its late shares count all the same', async () => {
    await using bridge = await startTestBridge(rest());
    const { job, nonce1 } = await vanished(bridge);
    const { rig, answers } = await come(bridge, ['mining.subscribe', ['x', nonce1]], AUTHORIZE);
    expect(answers[0]).not.toContain(nonce1);
    expect(await lateShare(rig, job, nonce1)).toBe(true);
    const [own] = rig.notices('mining.notify').map(({ params }) => bridge.book.find(String(params?.[0])).job);
    expect(await lateShare(rig, own ?? expect.fail(), String((answers[0] as unknown[])[1]))).toBe(true);
  });

  it('A3: leaves nothing to those who name its nonce1 under another login or none, and loses nothing by them', async () => {
    await using bridge = await startTestBridge(rest());
    const { job, nonce1, token } = await vanished(bridge);
    const naming: [string, unknown[]] = ['mining.subscribe', ['x', nonce1]];
    for (const requests of [[naming], [['mining.authorize', ['a.thief']] as typeof naming, naming]]) {
      const { rig, answers } = await come(bridge, ...requests);
      expect(answers.at(-1)).not.toContain(token);
      expect(answers.at(-1)).not.toContain(nonce1);
      expect(await lateShare(rig, job, nonce1)).not.toBe(true);
    }
    const { rig, answers } = await come(bridge, ['mining.subscribe', ['x', token]], AUTHORIZE);
    expect((answers[0] as unknown[])[1]).toBe(nonce1);
    expect(await lateShare(rig, job, nonce1)).toBe(true);
  });

  it('A3: gets a new token with each return, and the old one is worth nothing', async () => {
    await using bridge = await startTestBridge(rest());
    const { token, nonce1 } = await vanished(bridge);
    const { rig, answers } = await come(bridge, ['mining.subscribe', ['x', token]], AUTHORIZE);
    const [next] = answers[0] as [string];
    expect(next).not.toBe(token);
    rig.vanish();
    await until('it waits again', () => bridge.server.resumable === 1);
    const thief = await come(bridge, ['mining.subscribe', ['x', token]]);
    expect(thief.answers[0]).not.toContain(nonce1);
    const back = await come(bridge, ['mining.subscribe', ['x', next]]);
    expect(back.answers[0]).toContain(nonce1);
  });

  it('A3: takes over from its half-dead connection with token and login, and with the token alone ends nothing', async () => {
    await using bridge = await startTestBridge(rest());
    const { rig: old, job, token, nonce1 } = await leave(bridge);
    const other = await come(
      bridge,
      ['mining.subscribe', ['x', token]],
      ['mining.authorize', ['a.thief']],
      ['mining.subscribe', ['x', token]],
    );
    expect(other.answers[0]).not.toContain(nonce1);
    expect(bridge.closings).toEqual([]);
    expect((await old.request(3, 'mining.ping')).result).toBe('pong');
    const back = await come(bridge, AUTHORIZE, ['mining.subscribe', ['x', token]]);
    expect(back.answers[1]).toContain(nonce1);
    await old.untilClosed();
    expect(bridge.closings).toEqual(['the rig came back on another connection']);
    expect(await lateShare(back.rig, job, nonce1)).toBe(true);
  });

  it('A3: takes over also when it says its login after the token', async () => {
    await using bridge = await startTestBridge(rest());
    const { rig: old, job, token, nonce1 } = await leave(bridge);
    const back = await come(bridge, ['mining.subscribe', ['x', token]], AUTHORIZE);
    await old.untilClosed();
    expect(await lateShare(back.rig, job, nonce1)).toBe(true);
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
    await back.request(1, 'mining.authorize', ['a.r']);
    await back.request(2, 'mining.subscribe', ['x', '0000']);
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
    expect(bridge.server.resumable).toBe(0);
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
    await using bridge = await startTestBridge({ nonceSpace, residue: 8, rolls: true, standsStill: true });
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
  const GIVEN = decodeHeader(makeWork({}).header).creationTime;
  const timeIn = (message: WireMessage | undefined) =>
    decodeHeader(Buffer.from(String(message?.params?.[1]), 'hex')).creationTime;

  it.each<[string, Partial<TestBridgeOptions>, string, number?]>([
    ['of which nothing is known', { shareDifficulty: 'vardiff' }, 'x'],
    ['that solves blocks alone', { shareDifficulty: 'block' }, 'x'],
    ['with the difficulty of all', { shareDifficulty: 1n << 60n }, 'x'],
    ['with a difficulty of its choice', { shareDifficulty: 'vardiff' }, 'fd=1e15'],
    ['that says where to begin', { shareDifficulty: 'vardiff' }, 'd=1e15'],
    ['that says how fast it is', { shareDifficulty: 'vardiff' }, 'h=1e14'],
    ['that suggests one', { shareDifficulty: 'vardiff' }, 'x', 1e15],
  ])('R4: gives a job a second to a rig %s', async (_what, options, password, suggestion) => {
    await using bridge = await startTestBridge({ rolls: true, ...options });
    bridge.offer(HARD);
    const rig = await bridge.connect('tcp');
    if (suggestion) await rig.request(0, 'mining.suggest_difficulty', [suggestion]);
    await rig.request(1, 'mining.subscribe', []);
    await rig.request(2, 'mining.authorize', ['a.r', password]);
    for (const count of [1, 2, 3]) {
      await until('a job', () => rig.notices('mining.notify').length >= count);
      bridge.skewMs += 1000;
    }
  });

  it('gives the same work a later time before a rig falls silent, and earlier jobs stay good (users-ask 6)', async () => {
    await using bridge = await startTestBridge({ rolls: true });
    const job = bridge.offer(HARD);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    await notified(rig, 1);
    bridge.skewMs = 24_600;
    await until(
      'it has a job of then',
      () => timeIn(rig.notices('mining.notify').at(-1)) - GIVEN > 24_000_000n,
    );
    const [[first], rolled] = [rig.notices('mining.notify'), rig.notices('mining.notify').at(-1)];
    expect([first?.params?.[2], rolled?.params?.[2]]).toEqual([true, false]);
    const late = await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, TARGET)]);
    expect(late.result).toBe(true);
    const variant = bridge.book.find(String(rolled?.params?.[0])).job ?? expect.fail();
    const newer = await rig.request(4, 'mining.submit', ['a.r', variant.id, mine(variant, nonce1, TARGET)]);
    expect(newer.result).toBe(true);
  });

  it('R4: is as fast as the rig needs it, and fast while that is not known (users-ask 24)', () => {
    expect(jobIntervalMs(0)).toBe(1000);
    expect(jobIntervalMs(1e12)).toBe(25_000);
    expect(Math.round(jobIntervalMs(140e12))).toBe(1005);
    expect(jobIntervalMs(1e18)).toBe(500);
  });

  it('R20: carries an urgent change of target, each with a new job, and judges earlier jobs by theirs (users-ask 1)', async () => {
    const vardiff = { startDifficulty: 1, minDifficulty: 1, secondsPerShare: 10 };
    await using bridge = await startTestBridge({ rolls: true, shareDifficulty: 'vardiff', vardiff });
    const job = bridge.offer(HARD);
    const { rig } = await bridge.readyRig('tcp');
    for (let i = 0; i < 60; i++)
      rig.send(JSON.stringify({ id: i, method: 'mining.submit', params: ['a.r', job.id, i.toString(16)] }));
    await until('a target with a job of its own', () => {
      const methods = rig.lines.map((line) => (JSON.parse(line) as WireMessage).method).filter(Boolean);
      return methods.join().endsWith('mining.set_target,mining.notify') && methods.length > 2;
    });
    const sent = rig.lines.map((line) => (JSON.parse(line) as WireMessage).method);
    sent.forEach((method, i) => {
      if (method === 'mining.set_target') expect(sent[i + 1]).toBe('mining.notify');
    });
    const [before, after] = rig.notices('mining.set_target').map(difficultyIn);
    expect(before).toBe(1n);
    expect(after).toBeGreaterThanOrEqual(2n);
    // Judged, and credited, by what the job was issued with.
    const easy = await rig.request('easy', 'mining.submit', ['a.r', job.id, 'abcdef']);
    expect(easy.result).toBe(true);
    expect(bridge.shares.at(-1)?.difficulty).toBe(1n);
  });
});
