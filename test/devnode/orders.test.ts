/** What developers order of a running node: blocks, time, snapshots, and runs that repeat. As processes, over the control port. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { newTransaction } from '../helpers/books/transactions.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';
import { type Answer, ask, EASY, mineOne } from './helpers.js';
import { type NodeProcess, startEasyProcess } from './process.js';

interface Made {
  readonly mined: readonly { chainId: number; height: number; hash: string }[];
  readonly blocked: readonly { chainId: number; waitsFor: number[] }[];
}
interface CutBody {
  readonly height: number;
  readonly hashes: Readonly<Record<string, { readonly height: number; readonly hash: string }>>;
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

function ordersOf(node: Pick<NodeProcess, 'url' | 'controlUrl'>) {
  const order = (method: Method, path: string, json?: unknown): Promise<Answer> =>
    ask(`${node.controlUrl}${path}`, { method, ...(json === undefined ? {} : { json }) });
  return {
    order,
    mine: async (json?: unknown): Promise<Made> => (await order('POST', '/mine', json)).json<Made>(),
    cut: async (): Promise<CutBody> => (await ask(`${node.url}/cut`)).json<CutBody>(),
    headers: async (chain: number): Promise<{ creationTime: number; hash: string }[]> => {
      const accept = 'application/json;blockheader-encoding=object';
      const page = await ask(`${node.url}/chain/${chain}/header`, { headers: { accept } });
      return page.json<{ items: { creationTime: number; hash: string }[] }>().items;
    },
    insert: async (chain: number, nonce: string): Promise<void> => {
      const { text } = newTransaction(nonce);
      const path = `/chain/${chain}/mempool/insert`;
      expect((await ask(node.url + path, { method: 'PUT', json: [text] })).status).toBe(200);
    },
    pending: async (chain: number): Promise<string[]> => {
      const path = `/chain/${chain}/mempool/getPending`;
      return (await ask(node.url + path, { method: 'POST' })).json<{ hashes: string[] }>().hashes;
    },
  };
}
type NodeOrders = ReturnType<typeof ordersOf>;

describe('orders', () => {
  let node: NodeProcess;
  let orders: NodeOrders;
  beforeAll(async () => {
    node = await startEasyProcess('--control', '127.0.0.1:0');
    orders = ordersOf(node);
    await orders.order('PUT', '/snapshots/begin');
  });
  afterAll(() => node[Symbol.asyncDispose]());
  beforeEach(() => orders.order('POST', '/snapshots/begin/revert'));

  describe('blocks', () => {
    it('mines on every chain without more words, with real proof of work', async () => {
      const { mined, blocked } = await orders.mine();
      expect(mined.map(({ chainId, height }) => [chainId, height])).toEqual(
        Array.from({ length: 10 }, (_, id) => [id, 1]),
      );
      expect(blocked).toEqual([]);
      const { hashes } = await orders.cut();
      expect(mined.map(({ chainId, hash }) => hashes[chainId]?.hash === hash)).not.toContain(false);
    });

    it('tells which chains wait for which, and mines neighbours where that is wanted', async () => {
      const { mined, blocked } = await orders.mine({ chains: [0, 2], count: 3 });
      expect(mined.map(({ chainId }) => chainId)).toEqual([0, 2]);
      expect(blocked).toEqual([
        { chainId: 0, waitsFor: [3, 5] },
        { chainId: 2, waitsFor: [4, 7] },
      ]);
      const { mined: more } = await orders.mine({ chains: [0], count: 3, withNeighbours: true });
      expect(more.filter(({ chainId }) => chainId === 0).map(({ height }) => height)).toEqual([2, 3, 4]);
      expect((await orders.cut()).hashes['0']?.height).toBe(4);
    });

    it.each([
      [{ chains: [10] }, 400, 'chain 10'],
      [{ chains: [] }, 400, 'chains'],
      [{ chains: 'all' }, 400, 'chains'],
      [{ count: 0 }, 400, 'count'],
      [{ count: 1e9 }, 400, 'count'],
      [{ cuont: 1 }, 400, 'cuont'],
      [{ withNeighbours: 1 }, 400, 'withNeighbours'],
    ])('refuses %j', async (body, status, named) => {
      const answer = await orders.order('POST', '/mine', body);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(named)]);
    });
  });

  describe('time', () => {
    const now = async (): Promise<number> =>
      (await orders.order('GET', '/clock')).json<{ nowMs: number }>().nowMs;
    const newest = async (chain: number): Promise<number> =>
      ((await orders.headers(chain)).at(-1)?.creationTime ?? 0) / 1000;

    it('is put ahead, for blocks and answers', async () => {
      const before = await now();
      await orders.order('PUT', '/clock', { advanceMs: 3_600_000 });
      await orders.mine({ chains: [1] });
      expect(await newest(1)).toBeGreaterThanOrEqual(before + 3_600_000);
      const { headers } = await ask(`${node.url}/info`);
      expect(Number(headers['x-server-timestamp'])).toBeGreaterThanOrEqual(Math.floor(before / 1000) + 3600);
    });

    it('of the next block is named; the clock is there then, and goes on', async () => {
      const wanted = Date.parse('2040-01-01T00:00:00Z');
      await orders.order('PUT', '/clock', { nextBlockAt: '2040-01-01T00:00:00Z' });
      expect(await now()).toBeLessThan(wanted);
      await orders.mine({ chains: [3] });
      expect(await newest(3)).toBe(wanted);
      expect(await now()).toBeGreaterThanOrEqual(wanted);
      await orders.mine({ chains: [4] });
      expect(await newest(4)).toBeGreaterThan(wanted);
      // After a rewind the same block is made again, and known already.
      await orders.order('POST', '/rewind', { height: 0 });
      await orders.order('PUT', '/clock', { nextBlockAt: '2040-01-01T00:00:00Z' });
      await orders.mine({ chains: [3] });
      expect(
        (await orders.headers(3)).filter(({ creationTime }) => creationTime === wanted * 1000),
      ).toHaveLength(1);
      const answer = await orders.order('PUT', '/clock', { nextBlockAt: '2039-12-31' });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('newest block')]);
    });

    it('stands still but for the step of each block, whose times stay valid', async () => {
      const frozen = (await orders.order('PUT', '/clock', { frozen: true, stepMs: 500 })).json<{
        nowMs: number;
      }>();
      expect(await now()).toBe(frozen.nowMs);
      await orders.mine({ chains: [0, 1] });
      await mineOne(node, 2);
      const times = await Promise.all([0, 1, 2].map(newest));
      // Of double precision, which microseconds of today just exceed.
      expect(times.map((time) => Math.round(time - frozen.nowMs))).toEqual([500, 1000, 1500]);
      await orders.order('PUT', '/clock', { frozen: false });
      await until('it goes on', async () => (await now()) > frozen.nowMs + 1500);
    });

    it.each([
      [{ advanceMs: -1 }, 'advanceMs'],
      [{ advanceMs: 1e300 }, 'advanceMs'],
      [{ nextBlockAt: 'soon' }, 'nextBlockAt'],
      [{ nextBlockAt: 8e15 }, 'nextBlockAt'],
      [{ frozen: true, stepMs: 0 }, 'stepMs'],
      [{ skew: 1 }, 'skew'],
    ])('refuses %j', async (body, named) => {
      const answer = await orders.order('PUT', '/clock', body);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
    });
  });
});

describe('snapshots', () => {
  it.each([
    ['in memory', []],
    ['on disk', ['--data-dir']],
  ])('%s nest, and bring back cut, blocks, mempool and clock', async (_, flags) => {
    await using folder = await temporaryFolder();
    await using node = await startEasyProcess(
      ...['--control', '127.0.0.1:0', '--graph', 'triangle'],
      ...flags.flatMap((flag) => [flag, folder.path]),
    );
    const { order, mine, cut, headers, insert, pending } = ordersOf(node);
    await mine({ count: 2 });
    await insert(1, 'early');
    const first = { cut: await cut(), pending: await pending(1), headers: await headers(1) };
    expect((await order('PUT', '/snapshots/first')).json()).toEqual({ id: 'first', height: 6, waiting: 1 });

    await insert(1, 'late');
    await mine({ chains: [0, 1] });
    await order('PUT', '/clock', { advanceMs: 1e9 });
    const second = { cut: await cut(), headers: await headers(1) };
    await order('PUT', '/snapshots/second');
    await mine({ count: 5 });
    expect(await pending(1)).toEqual([]);

    await order('POST', '/snapshots/second/revert');
    expect({ cut: await cut(), headers: await headers(1) }).toEqual(second);
    await mine();
    await order('POST', '/snapshots/first/revert');
    expect({ cut: await cut(), pending: await pending(1), headers: await headers(1) }).toEqual(first);
    expect((await order('GET', '/clock')).json<{ nowMs: number }>().nowMs).toBeLessThan(Date.now() + 1e8);
    // The later one is gone, the one that was gone back to is not.
    expect((await order('POST', '/snapshots/second/revert')).status).toBe(404);
    expect((await order('GET', '/snapshots')).json()).toEqual({
      snapshots: [{ id: 'first', height: 6, waiting: 1 }],
    });
    await mine();
    expect((await order('POST', '/snapshots/first/revert')).status).toBe(200);
    expect(await cut()).toEqual(first.cut);
    expect((await order('DELETE', '/snapshots/first')).json()).toEqual({ snapshots: [] });
    expect((await order('PUT', '/snapshots/a%20b')).status).toBe(400);
    for (let i = 0; i < 100; i++) expect((await order('PUT', `/snapshots/${i}`)).status).toBe(200);
    expect((await order('PUT', '/snapshots/100')).status).toBe(409);
  });
});

describe('a seed', () => {
  const FLAGS = [
    '--control',
    '127.0.0.1:0',
    '--seed',
    'one',
    '--genesis-time',
    '2026-11-01',
    '--graph',
    'petersen',
  ];

  async function story(...flags: readonly string[]): Promise<unknown> {
    await using node = await startEasyProcess(...FLAGS, ...flags);
    const { mine, order, cut, insert, headers } = ordersOf(node);
    await mine({ count: 2 });
    // Reading changes nothing.
    await cut();
    await insert(4, 'one');
    await order('PUT', '/clock', { advanceMs: 60_000 });
    await mine({ chains: [4], count: 3, withNeighbours: true });
    await mineOne(node);
    return {
      cut: await cut(),
      times: (await headers(0)).slice(0, 3).map(({ creationTime }) => creationTime),
    };
  }

  it('makes the same blocks of the same orders in another process, and others of another seed or time', async () => {
    const [one, again, other] = await Promise.all([story(), story(), story('--seed', 'two')]);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    const begin = Date.parse('2026-11-01') * 1000;
    // Ten chains, and a block of each every millisecond.
    expect(one).toMatchObject({ times: [begin, begin + 100, begin + 1100] });
  });
});

describe('a node that mines by itself', () => {
  it('makes a block each time the period has passed', async () => {
    await using node = await startEasyProcess('--mine-every', '20ms', '--graph', 'triangle');
    await until('twenty blocks', async () => (await ordersOf(node).cut()).height >= 20);
  });

  it('mines what arrives', async () => {
    await using node = await startEasyProcess('--mine-on-transaction', '--graph', 'triangle', '--no-mining');
    const { insert, pending } = ordersOf(node);
    await insert(2, 'waits');
    await until('it is in a block', async () => (await pending(2)).length === 0);
  });

  it('confirms what arrived by so many blocks, and makes one on any chain when nothing comes', async () => {
    const rule = { batchMs: 1, confirmations: 5, confirmationMs: 1, idleMs: 60_000 };
    await using node = await startDevNode({ ...EASY, graph: 'triangle', mineOnTransaction: rule });
    await ordersOf({ url: node.url, controlUrl: '' }).insert(2, 'one');
    await until('a block with it, and five on it', () => (node.cut().heights[2] ?? 0) >= 6);
    await using idle = await startDevNode({ ...EASY, mineOnTransaction: { ...rule, idleMs: 1 } });
    await until('idle blocks', () => idle.cut().height >= 5);
  });
});
