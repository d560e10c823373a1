/**
 * A block that its chain leaves and comes back to: three real nodes, of which one reorganises, and the real books with the
 * settings as they are (confirmed at depth 6, pplns, the reward from the node's own coinbase).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { powHashOf } from '../../../src/core/work/header.js';
import type { DevNode } from '../../../src/devnode/server.js';
import { type BlockFollower, startBlockFollower } from '../../../src/ledger/blocks/block-follower.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { REWARD_RULES } from '../../../src/ledger/settlement/reward-rules.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { createChainReader } from '../../../src/upstream/chain-reader.js';
import { mineOne, startEasyNode } from '../../devnode/helpers.js';
import { type BlockRow, blocksIn } from '../../helpers/books/lists.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { settleAll } from '../../helpers/books/settlement.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { until } from '../../helpers/until.js';

const OURS = { account: 'k:pool', predicate: 'keys-all', 'public-keys': ['aa'] };
const CHAIN = 0;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

it.each([
  [1, 'just found'],
  [5, 'one block before it would have been payable'],
])('orphaned at depth %i, %s: the hold is gone, and the reward is back when the chain is', async (depth) => {
  await using story = await startStory();
  await story.find();
  await story.grow(depth);
  expect(await story.state()).toMatchObject({ state: 'onChain', depth });
  await story.pays('held');

  await story.reorganise();
  expect(await story.state()).toMatchObject({ state: 'orphaned', depth: 0 });
  await story.pays('nothing');

  await story.returns();
  await story.pays('balance');
  expect(await story.journal()).toEqual(['block']);
});

it('orphaned after it was confirmed: what was payable is not any more', async () => {
  await using story = await startStory();
  await story.find();
  expect((await story.state()).state).toBe('onChain');
  await story.grow(6);
  expect(await story.state()).toMatchObject({ state: 'confirmed', depth: 6 });
  await story.pays('balance');

  await story.reorganise();
  expect(await story.state()).toMatchObject({ state: 'orphaned', depth: 0 });
  await story.pays('nothing');

  await story.returns();
  await story.pays('balance');
  expect(await story.journal()).toEqual(['block', 'reversed', 'block']);
});

/** Two nodes that the books ask, and one that keeps the branch of our block while they leave it. */
async function startStory() {
  const ports = await freePorts(3);
  const urls = ports.map((port) => `http://127.0.0.1:${port}/chainweb/0.0/development`);
  const start = (port: number, i: number): Promise<DevNode> =>
    startEasyNode({
      graph: 'triangle',
      listen: { host: '127.0.0.1', port },
      peers: urls.filter((_, other) => other !== i),
      peerPollMs: 50,
    });
  const nodes = await Promise.all(ports.map(start));
  const [near, far, keeper] = nodes as [DevNode, DevNode, DevNode];
  const clients = new Map<string, NodeClient>();
  for (const node of [near, far]) clients.set(node.url, await NodeClient.connect(node.url));
  const ledger = await openLedger({ connectionString: await createDatabase(postgres), log: SILENT });
  const follower = startBlockFollower({
    pool: ledger.pool,
    chain: createChainReader(() => clients, clients.size),
    rules: async () => ({ ...REWARD_RULES, poolAccounts: [OURS.account] }),
    log: SILENT,
    intervalMs: 3_600_000,
    restMs: 0,
  });
  await mineTo(near, 2);
  await agree(nodes);
  return new Story(nodes, near, far, keeper, clients, ledger, follower);
}

class Story {
  readonly #nodes: readonly DevNode[];
  readonly #near: DevNode;
  readonly #far: DevNode;
  readonly #keeper: DevNode;
  readonly #clients: ReadonlyMap<string, NodeClient>;
  readonly #ledger: Ledger;
  readonly #follower: BlockFollower;
  #height = 0;

  constructor(
    nodes: readonly DevNode[],
    near: DevNode,
    far: DevNode,
    keeper: DevNode,
    clients: ReadonlyMap<string, NodeClient>,
    ledger: Ledger,
    follower: BlockFollower,
  ) {
    this.#nodes = nodes;
    this.#near = near;
    this.#far = far;
    this.#keeper = keeper;
    this.#clients = clients;
    this.#ledger = ledger;
    this.#follower = follower;
  }

  /** Rigs worked, and one of them solved a block of the near node; the far node is cut off and does not hear of it. */
  async find(): Promise<void> {
    const shares = [makeShare({ account: 'a' }), makeShare({ account: 'b', difficulty: 3000n })];
    await this.#ledger.recordEntry(
      entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] }),
    );
    this.#far.setPeerConnected(false);
    const header = await mineOne(this.#near, CHAIN, OURS);
    this.#height = this.#near.cut().heights[CHAIN] ?? 0;
    await this.#ledger.writeSolution(
      {
        node: this.#near.url,
        header,
        powHash: powHashOf(header),
        blockDifficulty: 4n,
        account: 'a',
        rig: 'r1',
        // Its slot is over.
        foundAtMs: Date.now() - 20_000,
      },
      'received',
      '',
    );
  }

  /** Until our block has this depth. */
  async grow(depth: number): Promise<void> {
    await mineTo(this.#near, this.#height + depth - 1);
  }

  /** The near node leaves our block for a heavier branch of the far one. */
  async reorganise(): Promise<void> {
    await agree([this.#near, this.#keeper]);
    this.#keeper.setPeerConnected(false);
    const before = (await this.state()).state;
    await mineTo(this.#far, Math.max(...Object.values(this.#near.cut().heights)) + 6);
    // While the two nodes contradict each other nothing changes.
    expect((await this.state()).state).toBe(before);
    this.#far.setPeerConnected(true);
    this.#near.setPeerConnected(true, this.#far.url);
    await agree([this.#near, this.#far]);
  }

  /** The keeper, which saw no rival, has made the branch of our block the heavier one. */
  async returns(): Promise<void> {
    await mineTo(this.#keeper, Math.max(...Object.values(this.#near.cut().heights)) + 2);
    this.#keeper.setPeerConnected(true);
    await agree(this.#nodes);
    const { state, depth } = await this.state();
    expect(state).toBe('confirmed');
    expect(depth).toBe((this.#near.cut().heights[CHAIN] ?? 0) - this.#height + 1);
  }

  async state(): Promise<BlockRow> {
    await this.#follower.look();
    await settleAll(this.#ledger.pool, REWARD_RULES);
    const [block] = await blocksIn(this.#ledger.pool, 1);
    return block ?? expect.fail('no block is followed');
  }

  /** The reward stands in that book and in no other, split by work less the fee; and the books prove it. */
  async pays(book: 'held' | 'balance' | 'nothing'): Promise<void> {
    const { reward, rewardSource } = await this.state();
    expect(rewardSource).toBe('coinbase');
    const total = parseAmount(reward ?? '') ?? expect.fail(`no amount: ${reward}`);
    const { rows } = await this.#ledger.pool.query<{ book: string; owner: string; amount: string }>(
      'SELECT book, name AS owner, amount FROM money JOIN account ON id = account_id WHERE amount <> 0 ORDER BY book, name',
    );
    const told = rows.map((row) => `${row.book} ${row.owner} ${row.amount}`);
    const [a, b] = [total / 4n, total - total / 4n].map((part) => part - part / 100n);
    const due = [
      ['', total - (a ?? 0n) - (b ?? 0n)],
      ['a', a],
      ['b', b],
    ].map(([owner, amount]) => `${book} ${owner} ${formatAmount(amount as bigint)}`);
    const posted = book === 'balance' ? [`rewards  ${formatAmount(-total)}`] : [];
    expect(told).toEqual(book === 'nothing' ? [] : [...due, ...posted]);
    expect((await verifyBooks(this.#ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  }

  /** What was posted for the block, in order. */
  async journal(): Promise<string[]> {
    const text = 'SELECT cause FROM block_split WHERE period IS NOT NULL ORDER BY number';
    const { rows } = await this.#ledger.pool.query<{ cause: string }>(text);
    return rows.map(({ cause }) => cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#follower.close();
    await this.#ledger.close();
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
    await Promise.all(this.#nodes.map((node) => node.close()));
  }
}

/** Until every chain has this height, and none a greater one than braiding needs. */
async function mineTo(node: DevNode, height: number): Promise<void> {
  for (;;) {
    const [lowest] = Object.entries(node.cut().heights).sort(([, a], [, b]) => a - b);
    if (!lowest || lowest[1] >= height) return;
    await mineOne(node, Number(lowest[0]));
  }
}

function agree(nodes: readonly DevNode[]): Promise<unknown> {
  const cuts = (): Set<string> => new Set(nodes.map((node) => JSON.stringify(node.cut().hashes)));
  return until('one cut', () => cuts().size === 1);
}
