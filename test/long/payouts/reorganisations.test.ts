/** Blocks that leave the chain: tests 12 to 17 of `payouts.md` with the whole payer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resumePayer } from '../../../src/ledger/transactions/orders.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import {
  accountOf,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
} from '../../helpers/payouts/story.js';
import { PAYER, payment, World, type WorldNode, type WorldOptions } from '../../helpers/payouts/world.js';
import { funds, pactApi } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Two nodes, whose first one alone is looked at unless the story says otherwise. */
async function begin(options: WorldOptions = { nodes: 2 }, story: StoryOptions = {}): Promise<void> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  payer = await PayerStory.start(world, books, story);
  await earn(books, { 1: '5' });
  await payer.round();
  await payer.prepare();
}

/** Sent to node a alone, while the nodes do not hear each other. */
async function sendToOneSide(): Promise<void> {
  world.part();
  world.b.liar.lie({ isSilent: true });
  await payer.round();
}

/** Node b makes more blocks than node a, and both hear of each other again. */
async function takeOver(blocks: number): Promise<void> {
  await world.mine(blocks, { on: world.b });
  world.b.liar.beHonest();
  await world.join();
  await payer.round();
}

/** What waits there for a block. */
async function forget({ node }: WorldNode): Promise<void> {
  const answer = await fetch(`${node.controlUrl}/mempool`, { method: 'DELETE' });
  expect(answer.status).toBe(200);
}

async function expectPaidOnce(): Promise<void> {
  await expectPaidOnChain(world, books, [1]);
  await expectProved(books.pool);
}

describe('12: the block that pays leaves the chain', () => {
  it.each([
    [1, 'right after it came'],
    [3, 'one block before it is believed'],
  ])('with %s blocks seen, %s: the same bytes are sent again', async (seen) => {
    await begin();
    await sendToOneSide();
    await payer.blocks(seen);
    expect(await payer.states()).toEqual(['included']);
    await takeOver(seen + 1);
    expect(await payer.states()).toEqual(['sent']);
    await payer.round();
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final']);
    expect(await payer.pause()).toBeUndefined();
    expect(payer.signer.signed).toHaveLength(1);
    await expectPaidOnce();
  });

  it('deeper than what is believed: the books take it back, it is sent again, and payouts pause', async () => {
    await begin();
    await sendToOneSide();
    await payer.blocks(5);
    expect(await payer.states()).toEqual(['confirmed']);
    expect(await coinsIn(books.pool, 'paid')).toEqual({ [accountOf(1)]: '5' });
    await takeOver(6);
    expect(await payer.states()).toEqual(['sent']);
    expect(await coinsIn(books.pool, 'paying')).toEqual({ [accountOf(1)]: '5' });
    expect(await payer.pause()).toBeDefined();
    await expectProved(books.pool);
    // Paused or not, it is followed.
    await payer.blocks(9);
    expect(await payer.states()).toEqual(['final']);
    expect(payer.signer.signed).toHaveLength(1);
    await expectPaidOnce();
  });

  it('deeper than what is believed: once somebody has looked, payouts go on', async () => {
    await begin();
    world.part();
    world.b.liar.lie({ isSilent: true });
    await payer.blocks(6);
    await takeOver(8);
    expect(await payer.pause()).toBeDefined();
    await resumePayer(books.pool, 'it was a fork', 'anna');
    await payer.blocks(9);
    expect(await payer.pause()).toBeUndefined();
    expect((await payer.states()).at(-1)).toBe('final');
    await expectPaidOnce();
  });

  it('deeper than what is believed, and coins have left the account on the other branch: that is told', async () => {
    await begin();
    world.part();
    world.b.liar.lie({ isSilent: true });
    await payer.blocks(6);
    await pactApi(world.b).send(payment({ creationTimeS: world.clock.nowS }));
    await takeOver(8);
    expect(await payer.pause()).toBe('foreign-debit');
  });

  it('and its time is over: another attempt, once none can have it', async () => {
    await begin();
    await sendToOneSide();
    await payer.blocks(1);
    expect(await payer.states()).toEqual(['included']);
    await world.mine(40, { on: world.b, everyS: 31 });
    world.b.liar.beHonest();
    await world.join();
    await payer.round(3);
    await payer.blocks(9);
    expect(await payer.states()).toEqual(['expired', 'final']);
    await expectPaidOnce();
  });
});

describe('13: refused on one fork, and paid on the other', () => {
  it('deeper than what is believed: the books take the refusal back, and payouts can go on', async () => {
    await begin({ nodes: 2, funds: [funds(PAYER, '10')] });
    await sendToOneSide();
    // On one fork somebody else spends first, and too little is left.
    await forget(world.a);
    await pactApi(world.a).send(payment({ creationTimeS: world.clock.nowS, to: keyPair(3), amount: '7.0' }));
    await payer.blocks(7);
    expect(await payer.states()).toEqual(['refused']);
    expect(await coinsIn(books.pool, 'balance')).toMatchObject({ [accountOf(1)]: '5' });
    await takeOver(9);
    expect(await payer.states()).toEqual(['sent']);
    expect(await coinsIn(books.pool, 'paying')).toEqual({ [accountOf(1)]: '5' });
    await expectProved(books.pool);
    // What the other one has spent is not spent again.
    for (const node of world.nodes) await forget(node);
    await resumePayer(books.pool, 'it was a fork', 'anna');
    // Node a has had it in a block, and takes it for one that is on the chain.
    for (let i = 0; i < 9; i++) {
      await world.mine(1, { on: world.b });
      await payer.round();
    }
    expect(await payer.pause()).toBeUndefined();
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnce();
  });
});

describe('17: nodes that disagree at the depth', () => {
  it('pause payouts, and nothing of either is believed', async () => {
    await begin({ nodes: 2 }, { terms: { nodes: 2 } });
    world.part();
    await payer.round();
    for (let i = 0; i < 5; i++) {
      await world.mine(1, { on: world.a });
      await world.mine(1, { on: world.b });
      await payer.round();
    }
    expect(await payer.pause()).toBe('nodes-disagree');
    expect(await coinsIn(books.pool, 'paid')).toEqual({});
    await expectProved(books.pool);
  });
});

describe('fewer nodes than are asked for', () => {
  it('move nothing in the books, and it is found again when they are enough', async () => {
    await begin({ nodes: 2 }, { terms: { nodes: 2 } });
    await payer.round();
    world.b.liar.lie({ isSilent: true });
    await payer.blocks(40);
    expect(await payer.states()).toEqual(['sent']);
    expect(await coinsIn(books.pool, 'paid')).toEqual({});
    world.b.liar.beHonest();
    await world.agree();
    await payer.round(2);
    expect(await payer.states()).toEqual(['final']);
    expect(await payer.pause()).toBeUndefined();
    await expectPaidOnce();
  });
});

describe('15: a fork of little work', () => {
  it('without the payment is not gone by', async () => {
    await begin();
    await payer.round();
    world.part();
    await world.mine(3, { on: world.a });
    await world.mine(1, { on: world.b });
    await payer.round();
    expect(await payer.states()).toEqual(['included']);
    await world.join();
    await payer.blocks(6);
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnce();
  });
});

describe('16: outputs that were altered', () => {
  it('are believed of nobody', async () => {
    await begin({ nodes: 1 });
    world.a.liar.lie({ payloads: (all) => all.map((one) => ({ ...one, transactions: [] })) });
    await payer.round();
    await payer.blocks(4);
    expect(await payer.states()).not.toContain('expired');
    world.a.liar.beHonest();
    await payer.blocks(9);
    expect((await payer.states()).at(-1)).toBe('final');
    await expectPaidOnce();
  });
});
