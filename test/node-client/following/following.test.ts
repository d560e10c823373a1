/** A chain at a depth, of development nodes that mine, rewind, lose payloads and go away. */
import { afterEach, describe, expect, it } from 'vitest';
import type { DevNode } from '../../../src/devnode/dev-node.js';
import { NodeClient } from '../../../src/node-client/client.js';
import type { FollowedNode } from '../../../src/node-client/following/asked-node.js';
import { ChainFollower, type Look } from '../../../src/node-client/following/chain-follower.js';
import { followedNode } from '../../../src/node-client/following/followed-node.js';
import type { Link } from '../../../src/node-client/following/links.js';
import { ask, mineMany, testNodes } from '../../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../../devnode/long-chain.js';
import { startNodeProcess } from '../../devnode/process.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { until } from '../../helpers/until.js';

const { easyNode, cleanUp } = testNodes();
const clients: NodeClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await cleanUp();
});

const TRIANGLE = { graph: 'triangle', control: { host: '127.0.0.1', port: 0 } } as const;
const DEPTH = 2;

/** Chain 0 of these nodes, and what was taken over of it so far. */
async function followed(nodes: readonly Pick<DevNode, 'rootUrl'>[], needed: number) {
  const asked = await Promise.all(nodes.map(({ rootUrl }) => NodeClient.connect({ nodes: rootUrl })));
  clients.push(...asked);
  const sides = async () =>
    Promise.all(
      asked.map(async (client, i) => {
        const head = (await client.maintenance.cut()).hashes[0] ?? expect.fail('no chain 0');
        const node = followedNode(`node ${i}`, client.chain(0), head);
        const counted: FollowedNode = {
          ...node,
          branch: (...asked) => {
            questions++;
            return node.branch(...asked);
          },
          payloads: (...asked) => {
            questions++;
            return node.payloads(...asked);
          },
        };
        return counted;
      }),
    );
  let questions = 0;
  const options = { depth: DEPTH, needed, isWorked: false };
  let follower = new ChainFollower(options);
  const begun = await follower.blockAt(0, await sides());
  if (typeof begun === 'string') return expect.fail(begun);
  const taken: Link[] = [begun];
  return {
    taken,
    /** Since it was asked last, besides those for the cut. */
    questions: () => {
      const asked = questions;
      questions = 0;
      return asked;
    },
    restart: () => {
      follower = new ChainFollower(options);
    },
    async look(): Promise<Look> {
      const look = await follower.look(taken.at(-1) ?? begun, await sides(), 1_000);
      for (const block of look.blocks) {
        expect(block.parent).toBe(taken.at(-1)?.hash);
        expect(block.payload?.payloadHash).toBe(block.payloadHash);
        taken.push(block);
      }
      return look;
    },
  };
}

/** All of chain 0 but what lies above the depth, ascending. */
async function truth(node: DevNode): Promise<string[]> {
  const client = await NodeClient.connect({ nodes: node.rootUrl });
  clients.push(client);
  const { hashes } = await client.maintenance.cut();
  const { items } = await client.chain(0).hashes.branch({ upper: [hashes[0]?.hash ?? ''] }, { limit: 360 });
  return items.toReversed().slice(0, -DEPTH);
}

const rewind = async (node: DevNode, height: number): Promise<void> => {
  const { status } = await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height } });
  expect(status).toBe(200);
};

describe('a chain', () => {
  it('is taken over block by block with its payloads, also after a restart', async () => {
    const node = await easyNode(TRIANGLE);
    await mineMany(node, 12);
    const chain = await followed([node], 1);
    expect(await chain.look()).toMatchObject({ behind: 0, trouble: undefined });
    chain.restart();
    await mineMany(node, 9);
    await chain.look();
    expect(chain.taken.map(({ hash }) => hash)).toEqual(await truth(node));
    expect((await chain.look()).blocks).toEqual([]);
  });

  it('takes two questions a block, however many nodes have it', async () => {
    const ports = await freePorts(2);
    const nodes = await Promise.all(
      ports.map((port, i) =>
        easyNode({
          ...TRIANGLE,
          ...{
            listen: { host: '127.0.0.1', port },
            peers: [`http://127.0.0.1:${ports[1 - i]}`],
            peerPollMs: 50,
          },
        }),
      ),
    );
    const [one] = nodes as [DevNode];
    const chain = await followed(nodes, 2);
    await mineMany(one, 12);
    const isSame = () => new Set(nodes.map((node) => JSON.stringify(node.cut().hashes))).size === 1;
    await until('both have it', isSame);
    await chain.look();
    chain.questions();
    const before = chain.taken.length;
    for (let i = 0; i < 6; i++) {
      await mineMany(one, 3);
      await until('both have it', isSame);
      await chain.look();
    }
    const blocks = chain.taken.length - before;
    expect(blocks).toBeGreaterThan(0);
    expect(chain.questions()).toBeLessThanOrEqual(2 * blocks + 2);
  });

  it('goes on over a reorganisation above the depth, and stands still at one below it, and says so', async () => {
    const node = await easyNode(TRIANGLE);
    await mineMany(node, 18);
    const chain = await followed([node], 1);
    await chain.look();
    const cursor = chain.taken.at(-1) ?? expect.fail('nothing');
    await rewind(node, cursor.height + 1);
    await mineMany(node, 9);
    await chain.look();
    expect(chain.taken.map(({ hash }) => hash)).toEqual(await truth(node));
    await rewind(node, 2);
    await mineMany(node, 30);
    const { blocks, trouble } = await chain.look();
    expect(blocks).toEqual([]);
    expect(trouble).toMatch(
      /node 0 shows a chain without block [\w-]{43} of height \d+, which was taken over/,
    );
  });

  it('is caught up with in steps when it was not followed for long', async () => {
    const blocks = 5_000;
    await using folder = await temporaryFolder();
    await writeLongChain(folder.path, blocks);
    await using node = await startNodeProcess('--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
    const chain = await followed([node], 1);
    let looks = 0;
    for (let behind = 1; behind > 0; looks++) ({ behind } = await chain.look());
    // At the end of a step nothing more is seen of it.
    while ((await chain.look()).blocks.length > 0) looks++;
    expect(chain.taken.at(-1)?.height).toBe(blocks - DEPTH);
    expect(chain.taken.map(({ height }) => height)).toEqual(
      Array.from({ length: blocks - DEPTH + 1 }, (_, i) => i),
    );
    expect(looks).toBeLessThan(20);
  });

  it('is not gone on with by the word of fewer nodes than are needed', async () => {
    const [one, other] = [await easyNode(TRIANGLE), await easyNode(TRIANGLE)];
    const chain = await followed([one, other], 2);
    await mineMany(one, 12);
    const { blocks, trouble } = await chain.look();
    expect(blocks).toEqual([]);
    expect(trouble).toMatch(/^2 nodes must have the next block with 2 on top, and 1 have/);
  });
});
