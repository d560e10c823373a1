/** Following chains against the development node: each block once, in order, whatever happens to streams, branches and nodes. */
import { afterEach, describe, expect, it } from 'vitest';
import type { DevNode } from '../../src/devnode/server.js';
import { type Followed, type FollowOptions, NodeClient } from '../../src/node-client/client.js';
import { ask, mineMany, solve, testNodes } from '../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../devnode/long-chain.js';
import { startNodeProcess } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { freePorts } from '../helpers/processes/ports.js';
import { until } from '../helpers/until.js';

const { easyNode, cleanUp } = testNodes();
const clients: NodeClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await cleanUp();
});

async function connect(...nodes: readonly DevNode[]): Promise<NodeClient> {
  const client = await NodeClient.connect(nodes.map(({ rootUrl }) => rootUrl));
  clients.push(client);
  return client;
}

/** Follows in the background; what is told is put together, and has to fit at every step. */
function follow(client: NodeClient, options: FollowOptions, had: Record<number, string[]> = {}) {
  const ending = new AbortController();
  const chains = new Map(Object.entries(had).map(([id, hashes]) => [Number(id), [...hashes]]));
  let left = 0;
  const take = (event: Followed): void => {
    const chain = chains.get(event.chainId) ?? [];
    chains.set(event.chainId, chain);
    if (event.kind === 'left') {
      left += event.headers.length;
      for (const { hash } of event.headers) expect(chain.pop()).toBe(hash);
      return;
    }
    if (chain.length > 0) expect(event.header.parent).toBe(chain.at(-1));
    chain.push(event.header.hash);
  };
  const run = async (): Promise<void> => {
    for await (const event of client.follow({ ...options, signal: ending.signal })) take(event);
  };
  const done = run();
  return {
    chains,
    left: () => left,
    end: async (): Promise<void> => {
      ending.abort();
      await done;
    },
    done,
  };
}

/** Every hash of a chain down from its head, less the depth; ascending. */
async function truth(client: NodeClient, chainId: number, depth: number): Promise<string[]> {
  const { hashes } = await client.maintenance.cut();
  const all: string[] = [];
  const upper = [hashes[chainId]?.hash ?? ''];
  for await (const { items } of client.chain(chainId).hashBranchPages({ upper })) all.push(...items);
  return all.reverse().slice(0, depth === 0 ? undefined : -depth);
}

async function untilTrue(client: NodeClient, told: ReadonlyMap<number, readonly string[]>, depth: number) {
  await until('all chains are told to their depth', async () => {
    for (const chainId of [0, 1, 2]) {
      if (String(told.get(chainId) ?? []) !== String(await truth(client, chainId, depth))) return false;
    }
    return true;
  });
}

const TRIANGLE = { graph: 'triangle', control: { host: '127.0.0.1', port: 0 } } as const;
const rewind = async (node: DevNode, height: number): Promise<void> => {
  const { status } = await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height } });
  expect(status).toBe(200);
};

describe('following', () => {
  it.each([0, 2])(
    'tells each block at depth %d once, over streams that end and branches that change',
    async (depth) => {
      const node = await easyNode(TRIANGLE);
      const client = await connect(node);
      const followed = follow(client, { depth, from: 0, pollMs: 200 });
      await mineMany(node, 15);
      await untilTrue(client, followed.chains, depth);
      await ask(`${node.controlUrl}/end-streams`, { method: 'POST' });
      await mineMany(node, 9);
      await untilTrue(client, followed.chains, depth);
      // What was told and is on the chain still is not told again, whatever its depth is now.
      await rewind(node, 3);
      await until('some have left', () => followed.left() > 0);
      await mineMany(node, 30);
      await untilTrue(client, followed.chains, depth);
      await followed.end();
    },
  );

  it('begins above what is there, goes without a stream, and keeps to the chains that are named', async () => {
    const node = await easyNode({ ...TRIANGLE, headerStream: false });
    const client = await connect(node);
    await mineMany(node, 9);
    const before = await truth(client, 1, 0);
    const followed = follow(client, { chains: [1], pollMs: 20 });
    // It may begin before or after the next block, and misses none after it began.
    await until('a block is told', async () => {
      await mineMany(node, 3);
      return (followed.chains.get(1)?.length ?? 0) > 0;
    });
    await until('it is up to the head', async () => {
      const all = await truth(client, 1, 0);
      return all.slice(-(followed.chains.get(1)?.length ?? 0)).join() === followed.chains.get(1)?.join();
    });
    expect([...followed.chains.keys()]).toEqual([1]);
    expect(before).not.toContain(followed.chains.get(1)?.[0]);
    await followed.end();
  });

  it('goes on where its caller was, and says first what has left meanwhile', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    await mineMany(node, 30);
    const had = Object.fromEntries(
      await Promise.all([0, 1, 2].map(async (id) => [id, await truth(client, id, 0)] as const)),
    ) as Record<number, string[]>;
    const after = Object.fromEntries(Object.entries(had).map(([id, all]) => [id, all.at(-1) ?? '']));
    await rewind(node, 4);
    await mineMany(node, 20);
    const followed = follow(client, { after }, had);
    await untilTrue(client, followed.chains, 0);
    expect(followed.left()).toBeGreaterThan(3);
    await followed.end();
  });

  it('walks a long way in steps, from the first block on', async () => {
    const blocks = 4_000;
    await using folder = await temporaryFolder();
    await writeLongChain(folder.path, blocks);
    await using node = await startNodeProcess('--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
    const client = await NodeClient.connect(node.rootUrl);
    clients.push(client);
    const followed = follow(client, { from: 0 });
    await until('all are told', () => followed.chains.get(0)?.length === blocks + 1);
    expect(followed.chains.get(0)).toEqual(await truth(client, 0, 0));
    await followed.end();
  });

  it('goes on at another node when the one that it asks is gone', async () => {
    const ports = await freePorts(2);
    const [a, b] = (await Promise.all(
      ports.map((port, i) =>
        easyNode({
          ...TRIANGLE,
          ...{
            listen: { host: '127.0.0.1', port },
            peers: [`http://127.0.0.1:${ports[1 - i]}`],
            peerPollMs: 100,
          },
        }),
      ),
    )) as [DevNode, DevNode];
    const client = await connect(a, b);
    const followed = follow(client, { from: 0, pollMs: 100 });
    await mineMany(a, 9);
    await untilTrue(client, followed.chains, 0);
    await until(
      'both are at one cut',
      () => JSON.stringify(a.cut().hashes) === JSON.stringify(b.cut().hashes),
    );
    await a.close();
    await mineMany(b, 9);
    await untilTrue(client, followed.chains, 0);
    expect([client.address.baseUrl, followed.left()]).toEqual([b.url, 0]);
    await followed.end();
  });

  it('ends with an error that says why, when the node stays away', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    const followed = follow(client, { pollMs: 20, policy: { attempts: 2 } });
    await node.close();
    await expect(followed.done).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('several nodes as one', () => {
  it('asks the next where one fails, and goes on there', async () => {
    const [a, b] = [await easyNode(TRIANGLE), await easyNode(TRIANGLE)];
    await mineMany(a, 3);
    const client = await connect(a, b);
    expect((await client.maintenance.cut()).height).toBe(3);
    expect(client.address.baseUrl).toBe(a.url);
    await ask(`${a.controlUrl}/faults`, { method: 'PUT', json: { refuse: true } });
    await ask(`${a.controlUrl}/cut-connections`, { method: 'POST' });
    expect((await client.maintenance.cut()).height).toBe(0);
    expect(client.address.baseUrl).toBe(b.url);
    await ask(`${a.controlUrl}/faults`, { method: 'DELETE' });
    expect((await client.maintenance.cut()).height).toBe(0);
    await b.close();
    expect((await client.maintenance.cut()).height).toBe(3);
    await a.close();
    await expect(client.maintenance.cut()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('sends a solution to the node that gave its work', async () => {
    const [a, b] = [await easyNode({ control: TRIANGLE.control }), await easyNode()];
    const client = await connect(a, b);
    const miner = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
    const { header } = await client.work({ miner, timeoutMs: 60_000 });
    await ask(`${a.controlUrl}/faults`, { method: 'PUT', json: { refuse: true } });
    await ask(`${a.controlUrl}/cut-connections`, { method: 'POST' });
    await client.work({ miner, timeoutMs: 60_000 });
    expect(client.address.baseUrl).toBe(b.url);
    await ask(`${a.controlUrl}/faults`, { method: 'DELETE' });
    await client.solved(solve(header), 60_000);
    expect([a.cut().height, b.cut().height]).toEqual([1, 0]);
  });

  it('takes the first that can be found, and none of another network', async () => {
    const [a, other] = [await easyNode(TRIANGLE), await easyNode({ network: 'test-singleton' })];
    const client = await NodeClient.connect(['http://127.0.0.1:1', a.rootUrl, other.rootUrl]);
    clients.push(client);
    expect(client.address.baseUrl).toBe(a.url);
    await a.close();
    await expect(client.maintenance.cut()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
