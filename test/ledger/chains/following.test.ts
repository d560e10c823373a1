/** Chains as the ledger follows them on development nodes: where it begins, what it takes over, and why it stands still. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevNode, DevNodeOptions } from '../../../src/devnode/dev-node.js';
import { claimBlock, disownBlock } from '../../../src/ledger/blocks/claims.js';
import { skipPayloads } from '../../../src/ledger/chains/orders.js';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import { ledgerOrders } from '../../../src/ledger/watch/orders.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { ask, mineMany, testNodes } from '../../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../../devnode/long-chain.js';
import { startNodeProcess } from '../../devnode/process.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, dueOf, expectProved } from '../../helpers/books/money.js';
import { DEPTH, FollowedLedger, type FoundBlock, SOLO } from '../../helpers/chain/followed-ledger.js';
import { type Liar, openLiar } from '../../helpers/chain/liar.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';
import { until } from '../../helpers/until.js';

const { easyNode, cleanUp } = testNodes();
const books = useBooks();
const liars: Liar[] = [];
let ledger: FollowedLedger;

beforeEach(async () => {
  await books.empty();
  ledger = new FollowedLedger(books.ledger);
});
afterEach(async () => {
  await ledger[Symbol.asyncDispose]();
  await Promise.all(liars.splice(0).map((liar) => liar[Symbol.asyncDispose]()));
  await cleanUp();
});

const MINUTE_MS = 60_000;

/** One chain; blocks are of a minute ago, so that their slots are over. */
async function node(options: DevNodeOptions = {}): Promise<DevNode> {
  const one = await easyNode({ graph: 'singleton', control: { host: '127.0.0.1', port: 0 }, ...options });
  one.orders.skew(-MINUTE_MS);
  return one;
}

async function liarOf(one: DevNode): Promise<Liar> {
  const liar = await openLiar(one);
  liars.push(liar);
  return liar;
}

async function hashAt(one: DevNode, chainId: number, height: number): Promise<string> {
  const client = await NodeClient.connect({ nodes: one.rootUrl });
  try {
    const { hashes } = await client.maintenance.cut();
    const upper = [hashes[chainId]?.hash ?? ''];
    const { items } = await client.chain(chainId).hashes.branch({ upper }, { limit: 360 });
    return items.toReversed()[height] ?? expect.fail(`no block of height ${height}`);
  } finally {
    await client.close();
  }
}

async function rewind(one: DevNode, height: number): Promise<void> {
  const { status } = await ask(`${one.controlUrl}/rewind`, { method: 'POST', json: { height } });
  expect(status).toBe(200);
}

const by = { note: 'a test', by: 'the test' };
const rules = async () => ledger.rules;
const coinsOf = async (kind: Parameters<typeof coinsIn>[1], account: string) =>
  Number((await coinsIn(books.pool, kind))[account] ?? 0);
const kindsTold = async () =>
  (await timelineBook(books.pool).readLines({ limit: 99 })).map(({ kind }) => kind).reverse();

describe('a block of the pool', () => {
  it('is expected, and confirmed at the depth: then it pays who found it', async () => {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    await ledger.reaches(0, 1);
    const block = await ledger.find(one, 0, 'k:finder');
    await mineMany(one, DEPTH - 1);
    await ledger.reaches(0, block.height - 1);
    await ledger.settle();
    expect(await coinsOf('expected', 'k:finder')).toBeGreaterThan(0);
    expect(await ledger.states()).toEqual({ [block.hash]: 'pending' });
    await mineMany(one, 1);
    await ledger.is(block, 'confirmed');
    await ledger.settle();
    expect(await coinsOf('due', 'k:finder')).toBeGreaterThan(0);
    expect(await coinsOf('expected', 'k:finder')).toBe(0);
    expect(await kindsTold()).toEqual(['blockConfirmed']);
    await expectProved(books.pool);
  });

  it('is orphaned when another one is confirmed in its place', async () => {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    const block = await ledger.find(one, 0, 'k:finder');
    await rewind(one, block.height - 1);
    await mineMany(one, 1 + DEPTH);
    await ledger.is(block, 'orphaned');
    await ledger.settle();
    expect(await coinsIn(books.pool, 'expected')).toEqual({});
    expect(await kindsTold()).toEqual(['blockOrphaned']);
    await expectProved(books.pool);
  });

  it('pays nobody where its coinbase pays another account, until that is one of the pool', async () => {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    const block = await ledger.find(one, 0, 'k:finder');
    ledger.rules = { ...SOLO, poolAccounts: ['k:other'] };
    await mineMany(one, DEPTH);
    await ledger.is(block, 'confirmed');
    await ledger.settle();
    expect(await coinsIn(books.pool, 'due')).toEqual({});
    expect(await kindsTold()).toEqual(['blockPaysAnother', 'blockConfirmed']);
    ledger.rules = SOLO;
    await ledger.settle();
    expect(await coinsOf('due', 'k:finder')).toBeGreaterThan(0);
    await expectProved(books.pool);
  });

  it('is taken over once, however many bridges follow and are ended in the middle', async () => {
    const one = await node();
    await mineMany(one, 3);
    const blocks: FoundBlock[] = [];
    for (let i = 0; i < 6; i++) {
      await ledger.follow(one);
      await ledger.follow(one);
      blocks.push(await ledger.find(one, 0, 'k:finder'));
      await mineMany(one, 2);
      await ledger.stop();
    }
    await ledger.follow(one);
    for (const block of blocks) await ledger.is(block, 'confirmed');
    await ledger.settle();
    expect(await kindsTold()).toEqual(blocks.map(() => 'blockConfirmed'));
    await expectProved(books.pool);
  });
});

describe('a chain', () => {
  it('is begun below the oldest block of ours that is not settled, by the word of enough nodes', async () => {
    const [one, other] = [await node(), await node()];
    ledger.rules = { ...SOLO, chainNodes: 2 };
    await mineMany(one, 3);
    const block = await ledger.find(one, 0, 'k:finder');
    await mineMany(one, 20);
    await mineMany(other, 24);
    await ledger.follow(one, other);
    await ledger.standsStill(0, /2 nodes must have the same block at height 3: they differ/);
    await ledger.stop();
    await ledger.follow(one, one);
    await ledger.standsStill(0, /2 nodes/);
    await ledger.stop();
    ledger.rules = SOLO;
    await ledger.follow(one);
    await ledger.reaches(0, 22);
    expect(await ledger.states()).toEqual({ [block.hash]: 'confirmed' });
    const { rows } = await books.pool.query(`SELECT min(height)::float8 AS first FROM ${SCHEMA}.chain_block`);
    expect(rows).toEqual([{ first: block.height - 1 }]);
  });

  it('is followed from its own genesis where it begins later than others', async () => {
    const one = await node({
      graph: 'network',
      graphs: [
        [0, 'singleton'],
        [6, 'pair'],
      ],
    });
    await mineMany(one, 4);
    await ledger.follow(one);
    await ledger.reaches(0, 2);
    expect(await ledger.chain(1)).toBeUndefined();
    const blocks: FoundBlock[] = [];
    for (let i = 0; i < 30 && blocks.length < 2; i++) {
      await mineMany(one, 1);
      if (one.cut().heights[1] !== undefined)
        blocks.push(await ledger.find(one, 1, 'k:finder').catch(() => ledger.find(one, 0)));
    }
    await mineMany(one, 20);
    await ledger.reaches(1, 8);
    expect(Object.values(await ledger.states())).not.toContain('pending');
  });

  it('goes on where another one stands still for a payload that no node has, and on by order, which is told', async () => {
    const one = await node({ graph: 'pair' });
    const liar = await liarOf(one);
    await mineMany(one, 8);
    await ledger.follow(liar);
    await ledger.reaches(0, 1);
    await ledger.reaches(1, 1);
    await mineMany(one, 2);
    const block = await ledger.find(one, 0, 'k:finder').catch(() => ledger.find(one, 1, 'k:finder'));
    await mineMany(one, 14);
    const chainId = 0;
    liar.lie({ hidesPayloads: true });
    await mineMany(one, 8);
    const trouble = await ledger.standsStill(chainId, /no node has its payload/);
    const hash = /block ([\w-]{43}) of height/.exec(trouble)?.[1] ?? expect.fail(trouble);
    await expect(preparePayout(books.pool, { minimum: 1n })).rejects.toThrow(
      /nothing is prepared: chain \d stands still: block/,
    );
    const before = (await ledger.chain(chainId))?.height ?? 0;
    await skipPayloads(books.pool, { chainId, to: hash, ...by });
    await ledger.reaches(chainId, before + 1);
    const told = await timelineBook(books.pool).readLines({ limit: 9, kinds: ['ordered'] });
    expect(told.map(({ says }) => says)).toEqual([
      `chain ${chainId} is followed up to block ${hash} without payloads that no node has: a test`,
    ]);
    // Others may be named at once, as far above as they are.
    await mineMany(one, 90);
    const far = await hashAt(one, chainId, before + 35);
    await ledger.standsStill(chainId, /no node has its payload/);
    await skipPayloads(books.pool, { chainId, to: far, ...by });
    await ledger.reaches(chainId, before + 35);
    liar.beHonest();
    await ledger.is(block, 'confirmed');
  });

  it('says where nodes have left it below the depth, and goes on with theirs by order: all that it brought is taken back', async () => {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    const kept = await ledger.find(one, 0, 'k:kept');
    const lost = await ledger.find(one, 0, 'k:lost');
    await mineMany(one, 8);
    await ledger.is(lost, 'confirmed');
    await ledger.settle();
    await rewind(one, kept.height);
    const instead = await ledger.find(one, 0, 'k:instead');
    await mineMany(one, 24);
    const trouble = await ledger.standsStill(0, /leaves ours .* after block [\w-]{43} of height \d+/);
    expect(trouble).toMatch(
      /^the chain of http:\S+ \(block [\w-]{43} of height \d+\) leaves ours \(block [\w-]{43}/,
    );
    const to = /undo 0 --to ([\w-]{43})/.exec(trouble)?.[1] ?? expect.fail(trouble);
    expect(await coinsOf('due', 'k:lost')).toBeGreaterThan(0);
    await expect(ledger.undo(0, 'x'.repeat(43))).rejects.toThrow(
      /is none of the blocks of chain 0 that were taken over/,
    );
    expect(await ledger.undo(0, to)).toBeGreaterThan(DEPTH);
    expect(await coinsOf('due', 'k:lost')).toBe(0);
    await ledger.is(instead, 'confirmed');
    await ledger.is(lost, 'orphaned');
    await ledger.settle();
    expect(await coinsOf('due', 'k:kept')).toBeGreaterThan(0);
    expect(await coinsOf('due', 'k:instead')).toBeGreaterThan(0);
    expect(await coinsIn(books.pool, 'expected')).toEqual({});
    expect(await kindsTold()).toEqual(expect.arrayContaining(['blockReversed', 'ordered', 'blockOrphaned']));
    await expectProved(books.pool);
  });

  it('that nodes have left below where it was begun is begun anew by order, and what was recorded late is judged again', async () => {
    const one = await node();
    await mineMany(one, 3);
    const low = await ledger.find(one, 0);
    await mineMany(one, 7);
    await ledger.follow(one);
    await ledger.reaches(0, low.height + 7 - DEPTH);
    const high = await ledger.find(one, 0, 'k:high');
    await mineMany(one, DEPTH);
    await ledger.is(high, 'confirmed');
    await ledger.name(low.header, 'k:low');
    await ledger.is(low, 'confirmed');
    await ledger.settle();
    await rewind(one, low.height - 1);
    const instead = await ledger.find(one, 0, 'k:instead');
    await mineMany(one, 24);
    const trouble = await ledger.standsStill(0, /leaves ours .* below height \d+: where theirs/);
    expect(trouble).toMatch(/undo 0 --to beginning --note WHY` takes back all of it, and begins anew$/);
    await expect(preparePayout(books.pool, { minimum: 1n })).rejects.toThrow(/nothing is prepared/);
    expect(await ledger.undo(0, 'beginning')).toBeGreaterThan(DEPTH);
    expect(await coinsIn(books.pool, 'due')).toEqual({});
    await ledger.is(instead, 'confirmed');
    await ledger.is(low, 'orphaned');
    await ledger.is(high, 'orphaned');
    await ledger.settle();
    expect(Object.keys(await coinsIn(books.pool, 'due'))).toEqual(['k:instead']);
    expect(await kindsTold()).toEqual(expect.arrayContaining(['blockReversed', 'ordered', 'blockOrphaned']));
    await expectProved(books.pool);
    // As if it had been begun more than a day ago.
    await books.pool.query(`UPDATE ${SCHEMA}.chain SET begun_at = begun_at - 1`);
    await expect(ledger.undo(0, 'beginning')).rejects.toThrow(/chain 0 was begun more than a day ago/);
  });

  it('is begun anew where a node of developers has, and what was waited for is given up', async () => {
    const [port] = await freePorts(1);
    const listen = { host: '127.0.0.1', port: port ?? 0 };
    const one = await node({ listen });
    await mineMany(one, 12);
    await ledger.follow(one);
    await ledger.reaches(0, 10);
    const block = await ledger.find(one, 0, 'k:finder');
    await one.close();
    await until('it says so', async () => (await ledger.chain(0))?.trouble !== '');
    const again = await node({ listen });
    await mineMany(again, 5);
    await ledger.is(block, 'orphaned');
    const next = await ledger.find(again, 0, 'k:finder');
    await mineMany(again, 4);
    await ledger.is(next, 'confirmed');
    expect(await kindsTold()).toEqual(['blockOrphaned', 'chainBegunAnew', 'blockConfirmed']);
  });

  it.each([
    ['is begun anew on a network of developers', 'development'],
    ['stands still on a public one', 'testnet06'],
  ])('that has another first block %s', async (_, network) => {
    const [port = 0] = await freePorts(1);
    const options = { network, proofOfWork: false, listen: { host: '127.0.0.1', port } };
    const one = await node(options);
    await mineMany(one, 6);
    await ledger.follow(one);
    await ledger.reaches(0, 4);
    await one.close();
    // Its first block has other neighbours.
    const other = await node({ ...options, graph: 'pair' });
    await mineMany(other, 20);
    if (network === 'development') {
      await ledger.reaches(0, 5);
      expect(await kindsTold()).toEqual(['chainBegunAnew']);
      return;
    }
    await ledger.standsStill(
      0,
      /^chain 0 of these nodes begins with block [\w-]{43}, and what was followed began/,
    );
    expect((await ledger.chain(0))?.height).toBe(4);
  });

  it('is caught up with in steps where it was not followed for long, and nothing is split or paid meanwhile', async () => {
    const blocks = 5_000;
    await using folder = await temporaryFolder();
    await writeLongChain(folder.path, blocks);
    await using long = await startNodeProcess('--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
    // Found long ago, and never settled.
    const { header } = makeSolution({}, { chainId: 0, height: 2_200 });
    await ledger.name(header, 'k:finder');
    await ledger.follow({ url: `${long.rootUrl}/` });
    await until('it is behind', async () => ((await ledger.chain(0))?.behind ?? 0) > 100);
    await expect(preparePayout(books.pool, { minimum: 1n })).rejects.toThrow(/chain 0 is \d+ blocks behind/);
    await ledger.reaches(0, blocks - DEPTH);
    await until('it is not', async () => (await ledger.chain(0))?.behind === 0);
    await expect(preparePayout(books.pool, { minimum: 1n })).resolves.toBeUndefined();
  });

  it('PA6: is followed though a node shows chains that no network has', async () => {
    const one = await node();
    await mineMany(one, 6);
    const liar = await liarOf(one);
    liar.lie({
      garbles: (path, answer) =>
        path.includes('/cut') ? answer.replace(/"0":(\{[^}]*\})/, '"0":$1,"20":$1,"x":$1') : answer,
    });
    await ledger.follow(liar, one);
    await ledger.reaches(0, 4);
  });

  it('believes nothing that a node says which shows another one after a restart', async () => {
    // Targets stay as they are, and blocks are worked for all the same.
    const network = { network: 'testnet06', proofOfWork: false };
    const [one, liar] = [await node(network), await node(network)];
    await mineMany(one, 10);
    await ledger.follow(one);
    await ledger.reaches(0, 8);
    const block = await ledger.find(one, 0, 'k:finder');
    await ledger.stop();
    // Longer, and with another block in its place.
    await mineMany(liar, 40);
    await ledger.follow(liar);
    await ledger.standsStill(0, /shows a chain without block|leaves ours/);
    expect(await ledger.states()).toEqual({ [block.hash]: 'pending' });
    await ledger.stop();
    await mineMany(one, DEPTH);
    await ledger.follow(liar, one);
    await ledger.is(block, 'confirmed');
  });
});

describe('a solution that is recorded late', () => {
  it('finds its block among those that were taken over, below them, or is orphaned', async () => {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    await ledger.reaches(0, 1);
    const low = await ledger.find(one, 0);
    const lost = await ledger.find(one, 0);
    await rewind(one, low.height);
    const high = await ledger.find(one, 0);
    await mineMany(one, 12);
    await ledger.reaches(0, 15);
    await ledger.is(low, 'unclaimed');
    // As if they had been taken over more than a day ago.
    await books.pool.query(`DELETE FROM ${SCHEMA}.chain_block WHERE height <= $1`, [low.height + 1]);
    for (const { header } of [low, lost, high]) await ledger.name(header, 'k:finder');
    await ledger.is(low, 'confirmed');
    await ledger.is(high, 'confirmed');
    await ledger.is(lost, 'orphaned');
    await ledger.settle();
    expect(await coinsOf('due', 'k:finder')).toBeGreaterThan(0);
    await expectProved(books.pool);
  });
});

describe('a block that pays the pool and that no log has named', () => {
  async function unclaimed(): Promise<FoundBlock> {
    const one = await node();
    await mineMany(one, 3);
    await ledger.follow(one);
    // Or it might be begun above the block.
    await ledger.reaches(0, 1);
    const block = await ledger.find(one, 0);
    await mineMany(one, DEPTH);
    await ledger.is(block, 'unclaimed');
    await ledger.settle();
    expect(await coinsIn(books.pool, 'due')).toEqual({});
    return block;
  }

  it('is not claimed where no bridge has written rules, and the order says so', async () => {
    const id = await ledger.idOf(await unclaimed());
    const { claimBlock: order } = ledgerOrders(books.pool);
    expect(await order({ id, account: 'k:claimant', note: 'a test' }, 'the test')).toEqual({
      refused: 'busy',
      why: expect.stringMatching(/^these books have no rules yet/),
    });
    await ledger.stop();
  });

  it('is claimed for somebody, once: a log that names it later changes nothing', async () => {
    const block = await unclaimed();
    const id = await ledger.idOf(block);
    await claimBlock(books.pool, { id, ...by }, 'k:claimant', rules);
    await ledger.name(block.header, 'k:late');
    await expect(claimBlock(books.pool, { id, ...by }, 'k:again', rules)).rejects.toThrow(/is confirmed/);
    await ledger.settle();
    expect(Object.keys(await coinsIn(books.pool, 'due'))).toEqual(['k:claimant']);
    await expectProved(books.pool);
  });

  it('is disowned: nobody gets it, unless a log names it later', async () => {
    const block = await unclaimed();
    const skip = skipPayloads(books.pool, { chainId: 0, to: 'x'.repeat(43), ...by });
    await expect(skip).rejects.toThrow('chain 0 does not stand still: there is nothing to skip');
    await disownBlock(books.pool, { id: await ledger.idOf(block), ...by });
    await ledger.settle();
    expect(await dueOf(books.pool, 'k:late')).toBe(0n);
    await ledger.name(block.header, 'k:late');
    await ledger.is(block, 'confirmed');
    await ledger.settle();
    expect(await dueOf(books.pool, 'k:late')).toBeGreaterThan(0n);
    await expectProved(books.pool);
  });
});
