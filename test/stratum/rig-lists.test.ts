/** Lists of rigs: their states, what is counted for each, every query, and what is forgotten. */
import { describe, expect, it, vi } from 'vitest';
import { composeNonce, type Nonce1, nonce1FromHex, nonce2FromHex } from '../../src/core/jobs/nonce.js';
import { hashSubmit } from '../../src/core/shares/share.js';
import { targetOf } from '../../src/core/work/target.js';
import { RIG_SORTS, type RigSort } from '../../src/operations/enums.js';
import type { Rig, RigQuery } from '../../src/operations/rigs.js';
import { RigBook } from '../../src/stratum/resume/rig-book.js';
import { RigRecord } from '../../src/stratum/resume/rig-record.js';
import type { WireRig } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
const ALL = { offset: 0, limit: 100 };
const TARGET = targetOf(4n);

interface Miner {
  readonly rig: WireRig;
  readonly nonce1: Nonce1;
  readonly login: string;
}

async function come(bridge: TestBridge, login: string, agent = 'asic/1'): Promise<Miner> {
  // No two things happen in the same millisecond.
  bridge.skewMs += 1;
  const rig = await bridge.connect('tcp');
  const { result } = await rig.request(1, 'mining.subscribe', [agent]);
  await rig.request(2, 'mining.authorize', [login, 'x']);
  return { rig, nonce1: nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail(), login };
}

/** So many good shares, and so many below the target; the highest difficulty that a good one has reached. */
async function submit(
  bridge: TestBridge,
  { rig, nonce1, login }: Miner,
  good: number,
  bad = 0,
): Promise<number> {
  const job = bridge.book.liveJobs[0] ?? expect.fail('no job');
  bridge.skewMs += 1;
  let best = 0;
  for (let i = 0, from = Math.floor(Math.random() * 1e9); i < good + bad; i++) {
    const nonce2 = mine(job, nonce1, TARGET, i < good, from);
    from = Number.parseInt(nonce2, 16) + 1;
    const { result } = await rig.request(`${login} ${i} ${from}`, 'mining.submit', [login, job.id, nonce2]);
    expect(result).toBe(i < good);
    const nonce = composeNonce(nonce1, nonce2FromHex(nonce2) ?? expect.fail());
    if (i < good) best = Math.max(best, hashSubmit(job, nonce).reached);
  }
  return best;
}

/** Lists are up to a second old. */
async function look(bridge: TestBridge, query: Partial<RigQuery> = {}): Promise<readonly Rig[]> {
  bridge.skewMs += 1000;
  return (await bridge.server.watch.rigs({ ...ALL, ...query })).items;
}

const loginsIn = (rigs: readonly Rig[]): string[] =>
  rigs.map(({ account, rig }) => (rig === '' ? account : `${account}.${rig}`));
/** For who only wants to know who is there: at once, and without a look. */
const online = async (bridge: TestBridge): Promise<string[]> => {
  const names: string[] = [];
  for await (const part of bridge.server.watch.online()) names.push(...part.map(({ rig }) => rig));
  return names;
};
const stateOf = async (bridge: TestBridge, login: string): Promise<string | undefined> =>
  (await look(bridge)).find((each) => loginsIn([each])[0] === login)?.state;

describe('the state of a rig', () => {
  it('is online while it submits, however badly, idle when it is silent for long, and offline when it has gone', async () => {
    await using bridge = await startTestBridge({ standsStill: true });
    bridge.offer(HARD);
    const miner = await come(bridge, 'a.r');
    expect(await stateOf(bridge, 'a.r')).toBe('online');
    // Nothing is known of its rate: some minutes.
    bridge.skewMs += 290_000;
    expect(await stateOf(bridge, 'a.r')).toBe('online');
    bridge.skewMs += 20_000;
    expect(await stateOf(bridge, 'a.r')).toBe('idle');
    await submit(bridge, miner, 0, 1);
    expect(await stateOf(bridge, 'a.r')).toBe('online');
    miner.rig.close();
    await until('it has gone', () => bridge.server.sessions === 0);
    // It had no share: a name alone leaves nothing behind.
    expect(await look(bridge)).toEqual([]);
  });

  it('goes by its own rate: a silence is long where shares were frequent, and usual where they were rare', async () => {
    await using bridge = await startTestBridge({ standsStill: true });
    bridge.offer(HARD);
    const [fast, slow] = [await come(bridge, 'a.fast'), await come(bridge, 'a.slow')];
    for (let i = 0; i < 10; i++) {
      await submit(bridge, fast, 10);
      await submit(bridge, slow, 1);
      bridge.skewMs += 30_000;
    }
    // Shares in 3 s and in 30 s: a dozen times that, and a minute at the least.
    bridge.skewMs += 60_000;
    expect([await stateOf(bridge, 'a.fast'), await stateOf(bridge, 'a.slow')]).toEqual(['idle', 'online']);
    expect(await online(bridge)).toEqual(['slow']);
    bridge.skewMs += 360_000;
    expect(await stateOf(bridge, 'a.slow')).toBe('idle');
    for (const { rig } of [fast, slow]) rig.close();
    await until('both have gone', () => bridge.server.sessions === 0);
    expect([await stateOf(bridge, 'a.fast'), await stateOf(bridge, 'a.slow')]).toEqual([
      'offline',
      'offline',
    ]);
    expect(await online(bridge)).toEqual([]);
  });

  it('comes of what a rig says and not of what it is sent, nor of its pings', async () => {
    await using bridge = await startTestBridge({ standsStill: true });
    bridge.offer(HARD);
    const { rig } = await come(bridge, 'a.r', '');
    bridge.skewMs += 310_000;
    for (let parent = 2; parent < 5; parent++) bridge.offer({ ...HARD, parent });
    await until('jobs', () => rig.notices('mining.notify').length === 4);
    await rig.request('ping', 'mining.ping');
    expect(await stateOf(bridge, 'a.r')).toBe('idle');
    await rig.request('modern', 'mining.extranonce.subscribe', []);
    const { id } = await rig.until(({ method }) => method === 'client.get_version');
    expect(await stateOf(bridge, 'a.r')).toBe('idle');
    rig.send(JSON.stringify({ id, result: 'asic/2', error: null }));
    await rig.request('after', 'mining.ping');
    expect(await look(bridge)).toMatchObject([{ state: 'online', agent: 'asic/2' }]);
  });

  it('is banned when it has gone and would not be let in, and of those whom no ban meets it is not', async () => {
    await using bridge = await startTestBridge();
    bridge.offer(HARD);
    const [met, other] = [await come(bridge, 'a.r'), await come(bridge, 'b.r')];
    await submit(bridge, met, 1);
    await submit(bridge, other, 1);
    const ban = { kind: 'account', account: 'a', reason: 'dust' } as const;
    const done = await bridge.server.operator.ban(ban, 'me');
    await met.rig.untilClosed();
    other.rig.close();
    await until('both have gone', () => bridge.server.sessions === 0);
    expect([await stateOf(bridge, 'a.r'), await stateOf(bridge, 'b.r')]).toEqual(['banned', 'offline']);
    expect(loginsIn(await look(bridge, { state: 'banned' }))).toEqual(['a.r']);
    const { operator } = bridge.server;
    const order = (list: 'allow' | 'deny', addresses: string, isOn: boolean) =>
      operator.address({ list, addresses, isOn }, 'me');
    await operator.unban({ id: 'ban' in done ? done.ban.id : '' }, 'me');
    expect(await stateOf(bridge, 'a.r')).toBe('offline');
    // Nor would it be where a list keeps its address out.
    await order('deny', '127.0.0.0/8', true);
    expect([await stateOf(bridge, 'a.r'), await stateOf(bridge, 'b.r')]).toEqual(['banned', 'banned']);
    await order('deny', '127.0.0.0/8', false);
    await order('allow', '192.0.2.0/24', true);
    expect(await stateOf(bridge, 'b.r')).toBe('banned');
    await order('allow', '192.0.2.0/24', false);
    expect(await stateOf(bridge, 'b.r')).toBe('offline');
  });

  it('of CPU threads is online while they have shares, and idle when they rest', async () => {
    await using bridge = await startTestBridge({ standsStill: true });
    const session = { id: 1, transport: 'cpu', peer: 'thread 1' } as const;
    const accepted = { outcome: 'accepted', difficulty: 1_000_000n, reached: 2e6 } as const;
    bridge.events.emit('submit', { session, account: 'me', rig: 'cpu', jobId: '1', detail: '', ...accepted });
    expect(await look(bridge)).toMatchObject([{ state: 'online', bestShare: '2000000', sessions: 0 }]);
    expect(await online(bridge)).toEqual([]);
    bridge.skewMs += 70_000;
    expect(await stateOf(bridge, 'me.cpu')).toBe('idle');
  });
});

describe('what is counted for a rig', () => {
  it('is the sum of its sessions, stays when they have gone, and knows the best share', async () => {
    await using bridge = await startTestBridge();
    bridge.offer(HARD);
    const [one, two] = [await come(bridge, 'a.r', 'first/1'), await come(bridge, 'a.r', 'second/2')];
    await come(bridge, 'a.waits');
    const best = Math.max(await submit(bridge, one, 3, 2), await submit(bridge, two, 1));
    two.rig.send('{"id":9,"method":"mining.submit","params":["a.r","ffffffff","1"]}');
    await two.rig.until(({ id }) => id === 9);
    const counted = {
      accepted: 4,
      rejected: { lowDifficulty: 2, unknownJob: 1 },
      bestShare: `${Math.round(best)}`,
    };
    const [report, waiting] = await look(bridge, { account: 'a' });
    expect(report).toMatchObject({
      ...counted,
      state: 'online',
      sessions: 2,
      difficulty: '4',
      agent: 'second/2',
    });
    expect(report?.hashRates.map(({ minutes }) => minutes)).toEqual([1, 5, 15, 60, 1440]);
    expect(waiting).toMatchObject({
      rig: 'waits',
      accepted: 0,
      rejected: {},
      bestShare: null,
      lastShareAt: null,
    });
    const detail = (await bridge.server.watch.rig('a', 'r')) ?? expect.fail();
    expect(detail.sessions.map(({ agent }) => agent)).toEqual(['second/2', 'first/1']);
    expect(Math.max(...detail.sessions.map(({ bestShare }) => Number(bestShare)))).toBe(Math.round(best));
    expect(detail.rig.connectedSince).toBe(detail.sessions[1]?.openedAt);
    expect(await bridge.server.watch.rig('a', '')).toBeUndefined();
    for (const { rig } of [one, two]) rig.close();
    await until('both have gone', () => bridge.server.sessions === 1);
    expect(await look(bridge, { state: 'offline' })).toMatchObject([
      {
        ...counted,
        sessions: 0,
        connectedSince: null,
        difficulty: null,
        agent: expect.stringMatching(/\/\d/),
      },
    ]);
    expect((await bridge.server.watch.rig('a', 'r'))?.sessions).toEqual([]);
  });

  it('is of one rig, however its login is written and how often it authorizes', async () => {
    await using bridge = await startTestBridge();
    const { rig } = await come(bridge, 'a.r');
    for (const login of ['a.r+500', 'a.r', 'a.s']) await rig.request(login, 'mining.authorize', [login, 'x']);
    expect((await look(bridge)).map(({ rig: name, sessions }) => [name, sessions])).toEqual([
      ['s', 1],
      ['r', 1],
    ]);
    rig.close();
    await until('it has gone', () => bridge.server.sessions === 0);
    expect(await look(bridge)).toEqual([]);
  });

  it('is forgotten of the longest silent when there are too many, but not of those who are here', () => {
    const book = new RigBook({ limits: { remembered: 2 }, accounts: { areProven: false } });
    const share = { difficulty: 1, nextDifficulty: undefined, addressKey: 'here', sinceMs: 0 };
    const session = {
      openedAtMs: 0,
      answeredAtMs: 0,
      cameFrom: { host: '192.0.2.1', port: 'tcp' },
      agent: '',
      difficulty: 1n,
      report: () => expect.fail(),
    };
    const login = (rig: string) => ({ account: 'a', rig });
    book.entered(login('here'), session, 'here');
    for (const [i, rig] of ['here', 'one', 'two', 'three'].entries())
      book.share(book.recordOf(login(rig)), share, i);
    expect([...book.rigs()].map(({ key }) => key)).toEqual(['a.two', 'a.three', 'a.here']);
    expect([book.find(login('here'))?.accepted, book.find(login('one'))]).toEqual([1, undefined]);
    book.share(book.recordOf(login('here')), share, 9);
    expect([...book.rigs()].map(({ key, accepted }) => [key, accepted])).toEqual([
      ['a.three', 1],
      ['a.here', 2],
    ]);
    book.left(login('here'), session);
    book.left(login('here'), session);
    expect(book.find(login('here'))?.sessions).toEqual([]);
  });
});

describe('a query of rigs', () => {
  /** Three rigs, one better than the other. */
  async function startThree() {
    // Rates are compared: no second counts but those that pass here.
    const bridge = await startTestBridge({ standsStill: true });
    bridge.offer(HARD);
    const [b, a, c] = [
      await come(bridge, 'K:Two.b', 'Miner/1'),
      await come(bridge, 'k:one.A', 'zig/1'),
      await come(bridge, 'k:one', 'asic/1'),
    ];
    const best = {
      b: await submit(bridge, b, 4, 4),
      A: await submit(bridge, a, 2, 0),
      c: await submit(bridge, c, 1, 9),
    };
    await come(bridge, 'k:one.A', 'zig/1');
    await bridge.server.operator.difficulty({ account: 'k:one', rig: 'A', difficulty: '1000' }, 'me');
    bridge.offer({ ...HARD, parent: 2 });
    await until('its target', () => a.rig.notices('mining.set_target').length === 2);
    b.rig.close();
    await until('one has gone', () => bridge.server.sessions === 3);
    return Object.assign(bridge, { best });
  }
  const ORDERS: Readonly<Record<Exclude<RigSort, 'bestShare'>, readonly string[]>> = {
    name: ['k:one', 'k:one.A', 'K:Two.b'],
    account: ['k:one', 'k:one.A', 'K:Two.b'],
    agent: ['k:one', 'K:Two.b', 'k:one.A'],
    // By login, where nothing else tells them apart.
    state: ['k:one', 'k:one.A', 'K:Two.b'],
    hashRate: ['K:Two.b', 'k:one.A', 'k:one'],
    rate1h: ['K:Two.b', 'k:one.A', 'k:one'],
    rate24h: ['K:Two.b', 'k:one.A', 'k:one'],
    accepted: ['K:Two.b', 'k:one.A', 'k:one'],
    rejected: ['k:one', 'K:Two.b', 'k:one.A'],
    lastShare: ['k:one', 'k:one.A', 'K:Two.b'],
    difficulty: ['k:one.A', 'k:one', 'K:Two.b'],
    sessions: ['k:one.A', 'k:one', 'K:Two.b'],
    connected: ['k:one', 'k:one.A', 'K:Two.b'],
  };

  it('puts them in every order, both ways, and cuts slices', async () => {
    await using bridge = await startThree();
    const byBest = Object.entries({
      'K:Two.b': bridge.best.b,
      'k:one.A': bridge.best.A,
      'k:one': bridge.best.c,
    })
      .toSorted(([, x], [, y]) => y - x)
      .map(([login]) => login);
    const orders = { ...ORDERS, bestShare: byBest };
    expect(Object.keys(orders).sort()).toEqual([...RIG_SORTS].sort());
    for (const sort of RIG_SORTS) {
      const shown = loginsIn(await look(bridge, { sort }));
      expect(shown, sort).toEqual(orders[sort]);
      const falls = ['name', 'account', 'state', 'agent'].includes(sort) ? 'desc' : 'asc';
      expect(loginsIn(await look(bridge, { sort, order: falls })), sort).toEqual(shown.toReversed());
    }
    expect(loginsIn(await look(bridge, { sort: 'name', offset: 1, limit: 1 }))).toEqual(['k:one.A']);
    expect(await bridge.server.watch.rigs({ offset: 5, limit: 5 })).toMatchObject({ total: 3, items: [] });
  });

  it('compares rates over the window that is asked for', async () => {
    await using bridge = await startTestBridge({ standsStill: true });
    bridge.offer(HARD);
    const [early, middle, late] = [
      await come(bridge, 'a.early'),
      await come(bridge, 'a.middle'),
      await come(bridge, 'a.late'),
    ];
    await submit(bridge, early, 8);
    bridge.skewMs += 2 * 3_600_000;
    await submit(bridge, middle, 4);
    bridge.skewMs += 1_800_000;
    await submit(bridge, late, 1);
    const sorted = async (sort: RigSort) => (await look(bridge, { sort })).map(({ rig }) => rig);
    expect(await sorted('hashRate')).toEqual(['late', 'middle', 'early']);
    expect(await sorted('rate1h')).toEqual(['middle', 'late', 'early']);
    expect(await sorted('rate24h')).toEqual(['early', 'middle', 'late']);
  });

  it.each<[query: Partial<RigQuery>, logins: readonly string[]]>([
    [{ account: 'k:one' }, ['k:one', 'k:one.A']],
    [{ account: 'k:on' }, []],
    [{ q: 'ONE' }, ['k:one', 'k:one.A']],
    [{ q: 'e.a' }, ['k:one.A']],
    [{ q: 'two', account: 'k:one' }, []],
    [{ q: '' }, ['k:one', 'k:one.A', 'K:Two.b']],
    [{ state: 'online' }, ['k:one', 'k:one.A']],
    [{ state: 'offline' }, ['K:Two.b']],
    [{ state: 'banned' }, []],
  ])('%j finds %j', async (query, logins) => {
    await using bridge = await startThree();
    expect(loginsIn(await look(bridge, { ...query, sort: 'name' }))).toEqual(logins);
  });

  it('is worked out once a second, however many different ones are asked', async () => {
    let nowMs = 1_000_000_000;
    await using bridge = await startTestBridge({ clock: { nowMs: () => nowMs } });
    bridge.offer(HARD);
    await come(bridge, 'a.one');
    await come(bridge, 'a.two');
    const states = vi.spyOn(RigRecord.prototype, 'stateAt');
    const ask = () =>
      Promise.all(
        ['', 'o', 'tw', 'x'].flatMap((q) =>
          (['state', 'name'] as const).map((sort) =>
            bridge.server.watch.rigs({ ...ALL, q, sort, state: 'online' }),
          ),
        ),
      );
    await ask();
    expect(states).toHaveBeenCalledTimes(2);
    nowMs += 1000;
    await ask();
    expect(states).toHaveBeenCalledTimes(4);
    vi.restoreAllMocks();
  });
});
