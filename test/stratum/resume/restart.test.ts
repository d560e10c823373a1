/** What rigs find again after a restart of the bridge. */
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { type Difficulty, targetOf } from '../../../src/core/work/target.js';
import type { WireRig } from '../../helpers/rigs/wire-rig.js';
import {
  mine,
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const WORK = { difficulty: 1n << 100n };
const OPTIONS: TestBridgeOptions = { rolls: true, standsStill: true, residue: 8 };
const REST_MS = 60_000;

interface Rig {
  readonly wire: WireRig;
  readonly nonce1: Nonce1;
  readonly token: string;
}

async function come(bridge: TestBridge, token = '', login = 'a.r'): Promise<Rig> {
  const wire = await bridge.connect('tcp');
  const { result } = await wire.request('s', 'mining.subscribe', ['old/1', token]);
  await wire.request('a', 'mining.authorize', [login, 'x']);
  const [given, hex] = result as [string, string];
  return { wire, nonce1: nonce1FromHex(hex) ?? expect.fail(), token: given };
}

const start = (options: TestBridgeOptions = {}): Promise<TestBridge> =>
  startTestBridge({ nonceSpace: new NonceSpace(REST_MS), ...OPTIONS, ...options });

/** The same bridge in its next start, through the text of a file. */
async function startAgain(
  former: TestBridge,
  agoMs = 0,
  options: TestBridgeOptions = {},
): Promise<TestBridge> {
  await former[Symbol.asyncDispose]();
  return start({ former: { rigs: former.server.kept, agoMs }, formerJobs: former.book.kept, ...options });
}

async function submit({ wire, nonce1 }: Rig, job: Job, from = 0, difficulty = 4n): Promise<unknown> {
  const nonce2 = mine(job, nonce1, targetOf(difficulty as Difficulty), true, from);
  const { result, error } = await wire.request(`${job.id} ${from}`, 'mining.submit', ['a.r', job.id, nonce2]);
  return result === true || error?.[0];
}

describe('after a restart of the bridge', () => {
  it('a rig with a token has its nonce1, its late shares, and what is known of it', async () => {
    const former = await start();
    const job = former.offer(WORK);
    const before = await come(former);
    expect(await submit(before, job)).toBe(true);
    const [shown] = (await former.server.watch.sessions({ offset: 0, limit: 1 })).items;

    await using bridge = await startAgain(former);
    bridge.offer(WORK);
    const after = await come(bridge, before.token);
    expect(after.nonce1).toBe(before.nonce1);
    expect(after.token).not.toBe(before.token);
    expect(await submit(after, job)).toBe(22);
    expect(await submit(after, job, 100_000)).toBe(true);
    const [again] = (await bridge.server.watch.sessions({ offset: 0, limit: 1 })).items;
    expect(Number(again?.bestShare)).toBeGreaterThanOrEqual(Number(shown?.bestShare ?? expect.fail()));
    const work = (report: typeof shown): number =>
      (report?.hashRates[0]?.hashesPerSecond ?? 0) * (report?.hashRates[0]?.minutes ?? 0);
    expect(work(again)).toBeGreaterThan(work(shown));
  });

  it('a rig that names nothing has its late shares, and another one not its nonce1', async () => {
    const former = await start();
    const job = former.offer(WORK);
    const before = await come(former);
    await until('it has a job', () => before.wire.notices('mining.notify').length > 0);
    await using bridge = await startAgain(former);
    bridge.offer(WORK);
    const stranger = await come(bridge, '', 'b.r');
    expect(stranger.nonce1).not.toBe(before.nonce1);
    const { wire } = await come(bridge);
    expect(await submit({ ...before, wire }, job)).toBe(true);
  });

  it('a rig begins at the difficulty that vardiff had found for it', async () => {
    const options: TestBridgeOptions = {
      shareDifficulty: 'vardiff',
      vardiff: { startDifficulty: 64, minDifficulty: 1, secondsPerShare: 1 },
    };
    const difficultyOf = async (bridge: TestBridge, { wire }: Rig): Promise<unknown> => {
      await until('it has a job', () => wire.notices('mining.notify').length > 0);
      return (await bridge.server.watch.sessions({ offset: 0, limit: 1 })).items[0]?.difficulty;
    };
    const former = await start(options);
    const job = former.offer(WORK);
    const before = await come(former);
    const first = await difficultyOf(former, before);
    for (let i = 0; i < 40; i++) {
      former.skewMs += 25;
      expect(await submit(before, job, 10_000 * i, 64n)).toBe(true);
    }
    const [[, found] = []] = former.server.kept.difficulties;
    expect(found).toBeGreaterThan(64);
    await using bridge = await startAgain(former, 0, options);
    bridge.offer(WORK);
    const after = await difficultyOf(bridge, await come(bridge));
    expect([first, Number(after)]).toEqual(['64', Math.round(found ?? expect.fail())]);
  });

  it('what has rested long enough is gone, as it would be without one', async () => {
    const former = await start();
    const job = former.offer(WORK);
    const before = await come(former);
    await until('it has a job', () => before.wire.notices('mining.notify').length > 0);
    await using bridge = await startAgain(former, REST_MS);
    bridge.offer(WORK);
    const { wire } = await come(bridge, before.token);
    expect(await submit({ ...before, wire }, job)).toBe(21);
    expect(bridge.server.resumable).toBe(0);
  });

  it('an address is weighed by what it did well before, and so is each of its rigs', async () => {
    const limits = { invalidSubmits: 2, bannedRigsPerAddress: 2 };
    const former = await start({ limits });
    const job = former.offer(WORK);
    const good = ['a.one', 'a.two', 'a.three'];
    for (const login of good)
      for (let i = 0; i < 4; i++) await sendShare(await come(former, '', login), login, job, i * 1000, true);
    await using again = await startAgain(former, 0, { limits });
    await using anew = await start({ limits });
    const misbehave = async (bridge: TestBridge, logins: readonly string[]): Promise<void> => {
      const next = bridge.offer(WORK);
      for (const login of logins) {
        const rig = await come(bridge, '', login);
        for (let i = 0; i < 3; i++) await sendShare(rig, login, next, 50_000 + i, false);
        await rig.wire.untilClosed();
      }
    };
    const banned = async (bridge: TestBridge): Promise<string[]> => {
      const bans = bridge.server.watch.bans();
      return bans.map(({ kind, login = 'of all' }) => `${kind} ${login}`).sort();
    };
    // Four good shares of the last weigh more than three wrong ones.
    await misbehave(again, ['a.bad', 'a.worse', 'a.one']);
    expect(await banned(again)).toEqual(['rig a.bad', 'rig a.worse']);
    // Of a bridge that knows nothing of them.
    await misbehave(anew, ['a.bad', 'a.worse']);
    expect(await banned(anew)).toEqual(['address of all', 'rig a.bad', 'rig a.worse']);
  });
});

async function sendShare(
  { wire, nonce1 }: Rig,
  login: string,
  job: Job,
  from: number,
  isGood: boolean,
): Promise<void> {
  const nonce2 = mine(job, nonce1, targetOf(4n as Difficulty), isGood, from);
  const { result } = await wire.request(`${login} ${from}`, 'mining.submit', [login, job.id, nonce2]);
  expect(result).toBe(isGood);
}
