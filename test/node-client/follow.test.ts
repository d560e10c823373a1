/** Following chains against development nodes: each block once, in order, whatever happens to branches and nodes. */
import { afterEach, describe, expect, it } from 'vitest';
import { decodeHeader } from '../../src/core/work/header.js';
import type { DevNode } from '../../src/devnode/dev-node.js';
import { type Followed, type FollowOptions, NodeClient } from '../../src/node-client/client.js';
import type { Link } from '../../src/node-client/following/links.js';
import { ask, mineMany, solve, testNodes } from '../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../devnode/long-chain.js';
import { startNodeProcess } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { freePorts } from '../helpers/processes/ports.js';
import { until } from '../helpers/until.js';

const { easyNode, newFolder, cleanUp } = testNodes();
const clients: NodeClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await cleanUp();
});

async function connect(...nodes: readonly DevNode[]): Promise<NodeClient> {
  const client = await NodeClient.connect({ nodes: nodes.map(({ rootUrl }) => rootUrl) });
  clients.push(client);
  return client;
}

/** Follows in the background; every block has to fit on the one before it, with its own payload. */
function follow(client: NodeClient, options: FollowOptions) {
  const ending = new AbortController();
  const chains = new Map<number, Link[]>();
  const stills: { chainId: number; why: string }[] = [];
  const take = (event: Followed): void => {
    if (event.kind === 'still') {
      stills.push({ chainId: event.chainId, why: event.why });
      return;
    }
    const { chainId, payload, ...block } = event;
    const chain = chains.get(chainId) ?? [];
    chains.set(chainId, chain);
    if (chain.length > 0) expect(block.parent).toBe(chain.at(-1)?.hash);
    expect([decodeHeader(block.header).chainId, block.payloadHash]).toEqual([chainId, payload.payloadHash]);
    chain.push(block);
  };
  const run = async (): Promise<void> => {
    for await (const event of client.follow({ ...options, signal: ending.signal })) take(event);
  };
  const done = run();
  return {
    stills,
    hashes: (chainId: number): string[] => (chains.get(chainId) ?? []).map(({ hash }) => hash),
    end: async (): Promise<void> => {
      ending.abort();
      await done;
    },
    done,
  };
}

type Follower = ReturnType<typeof follow>;

/** Hashes of a chain from its first block up to the one at the depth. */
async function truth(client: NodeClient, chainId: number, depth: number): Promise<string[]> {
  const { hashes } = await client.maintenance.cut();
  const all: string[] = [];
  const upper = [hashes[chainId]?.hash ?? ''];
  for await (const hash of client.chain(chainId).hashes.eachInBranch({ upper })) all.push(hash);
  return all.reverse().slice(0, depth === 0 ? undefined : -depth);
}

/** The first blocks, as what the caller has. */
async function firstOf(client: NodeClient, chains = CHAINS): Promise<Record<number, string>> {
  const all = chains.map(async (id) => [id, (await truth(client, id, 0))[0] ?? ''] as const);
  return Object.fromEntries(await Promise.all(all));
}

/** All of the chain up to the depth but the blocks that the caller had. */
async function untilTold(client: NodeClient, followed: Follower, depth: number, had = 1, chains = CHAINS) {
  await until('all chains are told to their depth', async () => {
    for (const id of chains) {
      if (String(followed.hashes(id)) !== String((await truth(client, id, depth)).slice(had))) return false;
    }
    return true;
  });
}

const CHAINS: readonly number[] = [0, 1, 2];
const TRIANGLE = { graph: 'triangle', control: { host: '127.0.0.1', port: 0 } } as const;
const rewind = async (node: DevNode, height: number): Promise<void> => {
  const { status } = await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height } });
  expect(status).toBe(200);
};

describe('following', () => {
  it('gives each block at the depth once, with its payload, also over a reorganisation above it', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    const followed = follow(client, { depth: 3, after: await firstOf(client) });
    await mineMany(node, 30);
    await untilTold(client, followed, 3);
    const { hashes } = await client.maintenance.cut();
    await rewind(node, Math.max(...CHAINS.map((id) => hashes[id]?.height ?? 0)) - 2);
    await mineMany(node, 15);
    await untilTold(client, followed, 3);
    await followed.end();
    expect(followed.stills).toEqual([]);
  });

  it('stands still, once and with a sentence, at a reorganisation that reaches below the depth', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    let cuts = 0;
    const onRequest = ({ endpoint }: { endpoint: string }) => void (endpoint === 'GET /cut' && cuts++);
    const followed = follow(client, {
      chains: [1],
      depth: 2,
      after: await firstOf(client),
      policy: { onRequest },
    });
    await mineMany(node, 24);
    await untilTold(client, followed, 2, 1, [1]);
    const told = followed.hashes(1);
    await rewind(node, 1);
    const behind = `the node is behind block ${told.at(-1)} of height ${told.length}, which was given`;
    await until('it is told', () => followed.stills.length > 0);
    expect(followed.stills).toEqual([{ chainId: 1, why: behind }]);
    await mineMany(node, 45);
    const left = new RegExp(
      `shows a chain without block ${told.at(-1)} of height ${told.length}, which was taken`,
    );
    await until('it is told', () => left.test(followed.stills.at(-1)?.why ?? ''));
    await mineMany(node, 9);
    const asked = cuts;
    await until('it was looked at twice', () => cuts > asked + 2);
    await followed.end();
    // It may be looked at just as it grows through that height.
    const stills = followed.stills.filter(({ why }) => !why.endsWith(`is behind, at height ${told.length}`));
    expect(stills).toEqual([
      { chainId: 1, why: behind },
      { chainId: 1, why: expect.stringMatching(left) },
    ]);
    expect(followed.hashes(1)).toEqual(told);
  });

  it('begins above the block at the depth, and keeps to the chains that are named', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    await mineMany(node, 30);
    const before = (await truth(client, 1, 4)).length;
    let asked = 0;
    const followed = follow(client, { chains: [1], depth: 4, policy: { onRequest: () => asked++ } });
    await until('it was begun', () => asked > 3);
    await mineMany(node, 15);
    await untilTold(client, followed, 4, before, [1]);
    await followed.end();
    expect([0, 2].flatMap((id) => followed.hashes(id))).toEqual([]);
  });

  it('goes on after the block that its caller has, over a chain that grew long meanwhile', async () => {
    const blocks = 4_000;
    await using folder = await temporaryFolder();
    await writeLongChain(folder.path, blocks);
    await using node = await startNodeProcess('--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
    const client = await NodeClient.connect({ nodes: node.rootUrl });
    clients.push(client);
    const all = await truth(client, 0, 1);
    const followed = follow(client, { depth: 1, after: { 0: all[9] ?? '' } });
    await until('all are told', () => followed.hashes(0).length === all.length - 10);
    expect(followed.hashes(0)).toEqual(all.slice(10));
    await followed.end();
  });

  it('CH3: tells that the node is away, and goes on without a gap when it is back', async () => {
    const [port] = await freePorts(1);
    const options = {
      ...TRIANGLE,
      dataDir: newFolder(),
      listen: { host: '127.0.0.1', port: port ?? 0 },
    };
    const node = await easyNode(options);
    const client = await connect(node);
    let asked = 0;
    const followed = follow(client, {
      depth: 1,
      after: await firstOf(client),
      policy: { onRequest: () => asked++ },
    });
    await mineMany(node, 12);
    await untilTold(client, followed, 1);
    await node.close();
    await until('all are told of', () =>
      CHAINS.every((id) => followed.stills.some(({ chainId }) => chainId === id)),
    );
    expect(followed.stills[0]?.why).toContain(`127.0.0.1:${port}`);
    const before = asked;
    await until('it has tried twice more', () => asked > before + 2);
    const told = followed.stills.map((still) => JSON.stringify(still));
    expect(told).toEqual([...new Set(told)]);
    const again = await easyNode(options);
    await mineMany(again, 12);
    await untilTold(client, followed, 1);
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
    const followed = follow(client, { depth: 1, after: await firstOf(client) });
    await mineMany(a, 9);
    await untilTold(client, followed, 1);
    const isSame = () => JSON.stringify(a.cut().hashes) === JSON.stringify(b.cut().hashes);
    await until('both are at one cut', isSame);
    await a.close();
    await mineMany(b, 9);
    await untilTold(client, followed, 1);
    expect(client.address.baseUrl).toBe(b.url);
    await followed.end();
  });

  it('follows chains that begin later from their first block on', async () => {
    const graphs = [
      [0, 'pair'],
      [4, 'triangle'],
    ] as const;
    const node = await easyNode({ graphs });
    const client = await connect(node);
    const followed = follow(client, { depth: 1, after: await firstOf(client, [0, 1]) });
    await mineMany(node, 6);
    await untilTold(client, followed, 1, 1, [0, 1]);
    await mineMany(node, 24);
    await untilTold(client, followed, 1);
    await followed.end();
    expect(followed.stills).toEqual([]);
  });

  it('CH4: asks two questions a block besides the cut, and none where no head is new', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    const asked: string[] = [];
    const onRequest = ({ endpoint }: { endpoint: string }) => void asked.push(endpoint);
    const followed = follow(client, { depth: 2, after: await firstOf(client), policy: { onRequest } });
    const cuts = () => asked.filter((endpoint) => endpoint === 'GET /cut').length;
    await mineMany(node, 18);
    await untilTold(client, followed, 2);
    const [before, had] = [asked.length - cuts(), blocksOf(followed)];
    for (let i = 0; i < 3; i++) {
      await mineMany(node, 3);
      await untilTold(client, followed, 2);
    }
    const blocks = blocksOf(followed) - had;
    expect(blocks).toBeGreaterThan(3);
    expect(asked.length - cuts() - before).toBeLessThanOrEqual(2 * blocks);
    const [others, looks] = [asked.length - cuts(), cuts()];
    await until('it looked twice more', () => cuts() > looks + 2);
    expect(asked.length - cuts()).toBe(others);
    await followed.end();
  });

  it('CH17: refuses what nobody can follow at once, and names it', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    await expect(follow(client, { chains: [1, 15], depth: 1 }).done).rejects.toThrow(
      new RangeError('the network has no chain 15: it has 0, 1, 2'),
    );
    const hash = 'A'.repeat(43);
    await expect(follow(client, { depth: 1, after: { 2: hash } }).done).rejects.toMatchObject({
      name: 'NodeError',
      code: 'not-found',
      details: { key: hash },
    });
    await expect(follow(client, { depth: -1 }).done).rejects.toThrow(RangeError);
  });

  it('ends with its client', async () => {
    const node = await easyNode(TRIANGLE);
    const client = await connect(node);
    const followed = follow(client, { depth: 1, after: await firstOf(client) });
    await mineMany(node, 9);
    await untilTold(client, followed, 1);
    await client.close();
    await followed.done;
  });
});

const blocksOf = (followed: Follower): number => CHAINS.flatMap((id) => followed.hashes(id)).length;

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

  it('CH21: sends a solution to the node that gave its work, a hundred works later', async () => {
    const [a, b] = [await easyNode({ control: TRIANGLE.control }), await easyNode()];
    const client = await connect(a, b);
    const miner = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
    const { header } = await client.work({ miner, timeoutMs: 60_000 });
    await ask(`${a.controlUrl}/faults`, { method: 'PUT', json: { refuse: true } });
    await ask(`${a.controlUrl}/cut-connections`, { method: 'POST' });
    for (let i = 0; i < 100; i++) await client.work({ miner, timeoutMs: 60_000 });
    expect(client.address.baseUrl).toBe(b.url);
    await ask(`${a.controlUrl}/faults`, { method: 'DELETE' });
    await client.solved(solve(header), 60_000);
    expect([a.cut().height, b.cut().height]).toEqual([1, 0]);
  });

  it('takes the first that can be found, and none of another network', async () => {
    const [a, other] = [await easyNode(TRIANGLE), await easyNode({ network: 'test-singleton' })];
    const client = await NodeClient.connect({ nodes: ['http://127.0.0.1:1', a.rootUrl, other.rootUrl] });
    clients.push(client);
    expect(client.address.baseUrl).toBe(a.url);
    await a.close();
    await expect(client.maintenance.cut()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
