/** Several nodes as one: back to the one that is preferred, and not too often. */
import { afterEach, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/chain/endpoints.js';
import type { DevNode } from '../../src/devnode/dev-node.js';
import { Caller } from '../../src/node-client/asking/call.js';
import { ClientNode, ClientNodes } from '../../src/node-client/asking/client-nodes.js';
import { DEFAULT_SETTINGS } from '../../src/node-client/asking/policy.js';
import { NodeClient } from '../../src/node-client/client.js';
import { ask, mineMany, testNodes } from '../devnode/helpers.js';
import { openTap, type Tap } from '../helpers/stories/tap.js';
import { ANY_PORT } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';

const { easyNode, cleanUp } = testNodes();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await cleanUp();
});

async function tapOf(node: DevNode): Promise<Tap> {
  const tap = await openTap(node.address.port);
  closing.push(async () => tap[Symbol.asyncDispose]());
  return tap;
}

describe('a client of several nodes', () => {
  it('asks the preferred one again once it is well', async () => {
    const [a, b] = [
      await easyNode({ graph: 'triangle', control: ANY_PORT }),
      await easyNode({ graph: 'triangle' }),
    ];
    await mineMany(a, 3);
    const client = await NodeClient.connect({ nodes: [a.rootUrl, b.rootUrl] });
    closing.push(() => client.close());
    const height = async () => (await client.maintenance.cut()).height;
    expect(await height()).toBe(3);
    await ask(`${a.controlUrl}/faults`, { method: 'PUT', json: { refuse: true } });
    await ask(`${a.controlUrl}/cut-connections`, { method: 'POST' });
    expect([await height(), client.address.baseUrl]).toEqual([0, b.url]);
    await ask(`${a.controlUrl}/faults`, { method: 'DELETE' });
    await until('it is asked again', async () => (await height()) === 3);
    expect(client.address.baseUrl).toBe(a.url);
  });

  it('CH7: sends to the next what could not reach the preferred one, and goes on there', async () => {
    const [a, b] = [await easyNode({ graph: 'triangle' }), await easyNode({ graph: 'triangle' })];
    const client = await NodeClient.connect({ nodes: [a.rootUrl, b.rootUrl] });
    closing.push(() => client.close());
    await a.close();
    const { mempool } = client.chain(0);
    await mempool.insert(['{"cmd":"one"}']);
    await mempool.insert(['{"cmd":"two"}']);
    expect((await mempool.getPending()).hashes).toHaveLength(2);
    expect(client.address.baseUrl).toBe(b.url);
  });

  it('CH7: sends nothing twice, but leaves a node that failed at the next call', async () => {
    const [a, b] = [await easyNode({ graph: 'triangle' }), await easyNode({ graph: 'triangle' })];
    const tap = await tapOf(a);
    const client = await NodeClient.connect({ nodes: [tap.url, b.rootUrl] });
    closing.push(() => client.close());
    tap.set({ answers: 503 });
    const { mempool } = client.chain(0);
    await expect(mempool.insert(['{"cmd":"one"}'])).rejects.toMatchObject({ status: 503 });
    await mempool.insert(['{"cmd":"two"}']);
    expect(client.address.baseUrl).toBe(b.url);
    expect((await mempool.getPending()).hashes).toHaveLength(1);
  });

  it('looks at it after twice as long each time it is still away, and beside what is asked', async () => {
    const [a, b] = [await easyNode({ graph: 'triangle' }), await easyNode({ graph: 'triangle' })];
    const tap = await tapOf(a);
    const [one, other] = [tap.url, b.rootUrl].map((url) => new ClientNode(url, {}));
    let nowMs = 0;
    // Without chance the looks are a full rest apart.
    const parts = { timeoutMs: 60_000, random: () => 1, nowMs: () => nowMs };
    const nodes = new ClientNodes(
      [one, other].filter((node) => node !== undefined),
      parts,
    );
    closing.push(() => nodes.close());
    await nodes.connect();
    const caller = new Caller(nodes, DEFAULT_SETTINGS);
    const cut = () => caller.json({ to: ENDPOINTS.cut });
    /** The time of each look, where a call is made every half second; the answer to each comes from the other node. */
    const looksUntil = async (endMs: number): Promise<number[]> => {
      const looks: number[] = [];
      for (; nowMs < endMs; nowMs += 500) {
        const before = tap.requests.length;
        await cut();
        expect(nodes.current).toBe(other);
        await nodes.looked();
        if (tap.requests.length > before) looks.push(nowMs);
      }
      return looks;
    };
    tap.set({ answers: 503 });
    await cut();
    expect(await looksUntil(16_000)).toEqual([1_000, 3_000, 7_000, 15_000]);
    tap.heal();
    // It rests until 31 s.
    nowMs = 30_500;
    await cut();
    await nodes.looked();
    expect(nodes.current).toBe(other);
    nowMs = 31_000;
    await cut();
    await nodes.looked();
    expect(nodes.current).toBe(one);
    // It falls again soon, and rests as long as it would have.
    tap.set({ answers: 503 });
    await cut();
    expect(await looksUntil(62_000)).toEqual([]);
    expect(await looksUntil(64_000)).toEqual([63_000]);
  });
});
