/** Several nodes: blocks and cuts exchanged, forks made by cut links, one cut after healing. */

import { afterEach, describe, expect, it } from 'vitest';
import type { DevNode, DevNodeOptions } from '../../../src/devnode/dev-node.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { until } from '../../helpers/until.js';
import { ask, mineMany, mineOne, startEasyNode, testNodes } from '../helpers.js';

const { easyNode, keep, cleanUp } = testNodes();
afterEach(cleanUp);

/** Nodes that are each other's peers. */
async function startNetwork(count: number, options: DevNodeOptions = {}): Promise<DevNode[]> {
  const ports = await freePorts(count);
  const urls = ports.map((port) => `http://127.0.0.1:${port}/chainweb/0.0/development`);
  const nodes = await Promise.all(
    ports.map((port, i) =>
      startEasyNode({
        graph: 'triangle',
        listen: { host: '127.0.0.1', port },
        peers: urls.filter((_, other) => other !== i),
        peerPollMs: 100,
        ...options,
      }),
    ),
  );
  keep(...nodes);
  return nodes;
}

async function untilAgreed(nodes: readonly DevNode[]): Promise<void> {
  const cuts = (): string[] => nodes.map((node) => JSON.stringify(node.cut().hashes));
  await until('all have one cut', () => new Set(cuts()).size === 1);
}

describe('several nodes', () => {
  it('a block mined at one is the head at all', async () => {
    const [a, b, c] = (await startNetwork(3)) as [DevNode, DevNode, DevNode];
    await mineOne(a, 0);
    await untilAgreed([a, b, c]);
    await mineOne(b, 1);
    await mineOne(c, 2);
    await untilAgreed([a, b, c]);
    expect(a.cut().height).toBe(3);
  });

  it('with four miners at work all agree after a partition, on blocks whose parents all know', async () => {
    const nodes = (await startNetwork(3, { genesisDifficulty: 2000 })) as [DevNode, DevNode, DevNode];
    const [a, b, c] = nodes;
    let mining = true;
    const miner = async (node: DevNode, account: string): Promise<void> => {
      while (mining) {
        // Another miner may be faster with the same chain: then the solution is an orphan.
        await mineOne(node, undefined, { account, predicate: 'keys-all', 'public-keys': ['aa'] });
      }
    };
    const mined = Promise.all([miner(a, 'm1'), miner(b, 'm2'), miner(c, 'm3'), miner(c, 'm4')]);
    mined.catch(() => {}); // told where it is waited for
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    await pause(700);
    c.setPeerConnected(false);
    await pause(1500);
    c.setPeerConnected(true);
    await pause(700);
    mining = false;
    await mined;
    await untilAgreed(nodes);
    expect(a.cut().weight).toBe(c.cut().weight);
    for (const [chain, hash] of Object.entries(a.cut().hashes)) {
      const branches = await Promise.all(
        nodes.map(
          async ({ url }) =>
            (await ask(`${url}/chain/${chain}/hash/branch`, { method: 'POST', json: { upper: [hash] } }))
              .text,
        ),
      );
      expect(new Set(branches).size).toBe(1);
    }
  });

  it('two blocks of equal weight at the same place: all choose the same', async () => {
    const [a, b] = (await startNetwork(2)) as [DevNode, DevNode];
    a.setPeerConnected(false);
    await mineOne(a, 0, { account: 'a', predicate: 'keys-all', 'public-keys': ['aa'] });
    await mineOne(b, 0, { account: 'b', predicate: 'keys-all', 'public-keys': ['aa'] });
    expect(a.cut().hashes[0]).not.toBe(b.cut().hashes[0]);
    a.setPeerConnected(true);
    await untilAgreed([a, b]);
    expect(a.cut().height).toBe(1);
  });

  it('a node that starts late catches up, over more heights than one round', async () => {
    const [port = 0] = await freePorts(1);
    const first = await easyNode({ graph: 'singleton', listen: { host: '127.0.0.1', port } });
    await mineMany(first, 520);
    const late = await easyNode({ graph: 'singleton', peers: [first.url], peerPollMs: 100 });
    await untilAgreed([first, late]);
    expect(late.cut().heights).toEqual(first.cut().heights);
  });

  it('a transaction given to one node is mined by another', async () => {
    const [a, b] = (await startNetwork(2, { payloadRefresh: 1 })) as [DevNode, DevNode];
    await ask(`${a.url}/chain/1/mempool/insert`, { method: 'PUT', json: ['{"cmd":"travels"}'] });
    const pending = async (node: DevNode): Promise<string[]> =>
      (await ask(`${node.url}/chain/1/mempool/getPending`, { method: 'POST' })).json<{ hashes: string[] }>()
        .hashes;
    while ((await pending(b)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await mineOne(b, 1);
    await untilAgreed([a, b]);
    expect(await pending(a)).toEqual([]);
    expect(await pending(b)).toEqual([]);
  });

  it('transactions of blocks that a reorganisation drops wait again', async () => {
    const [a, b] = (await startNetwork(2)) as [DevNode, DevNode];
    a.setPeerConnected(false);
    await ask(`${a.url}/chain/0/mempool/insert`, { method: 'PUT', json: ['{"cmd":"again"}'] });
    await mineOne(a, 0);
    await mineMany(b, 6);
    const key = async (): Promise<string[]> =>
      (await ask(`${a.url}/chain/0/mempool/getPending`, { method: 'POST' })).json<{ hashes: string[] }>()
        .hashes;
    expect(await key()).toEqual([]);
    a.setPeerConnected(true);
    await untilAgreed([a, b]);
    expect(await key()).toHaveLength(1);
  });
});

describe('cut endpoints', () => {
  it('GET /cut gives heads, height and weight; maxheight an earlier cut', async () => {
    const node = await easyNode({ graph: 'triangle' });
    await mineMany(node, 10);
    const cut = (await ask(`${node.url}/cut`)).json<{
      height: number;
      hashes: Record<string, { hash: string }>;
    }>();
    expect(cut).toMatchObject({
      origin: null,
      height: 10,
      instance: 'development',
      id: expect.stringMatching(/^.{43}$/),
    });
    expect(Object.values(cut.hashes).map(({ hash }) => hash)).toEqual(Object.values(node.cut().hashes));
    const early = (await ask(`${node.url}/cut?maxheight=4`)).json<{ height: number }>();
    expect(early.height).toBe(3);
  });

  it.each([
    [{}, 400, 'origin'],
    [{ origin: {} }, 400, 'origin.address'],
    [{ origin: { address: { hostname: 'x', port: 0 } } }, 400, 'port'],
    [{ origin: { address: { hostname: 'x', port: 1 } } }, 400, 'hashes'],
    [{ origin: { address: { hostname: 'x', port: 1 } }, hashes: {} }, 401, 'Unknown peer'],
  ])('PUT /cut %j is %d', async (body, status, named) => {
    const node = await easyNode();
    const answer = await ask(`${node.url}/cut`, { method: 'PUT', json: body });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(named)]);
  });
});
