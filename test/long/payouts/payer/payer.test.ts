/** The payer on real nodes and real books, round by round. Numbers are those of `payouts.md`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../../helpers/books/money.js';
import {
  accountOf,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
} from '../../../helpers/payouts/story.js';
import { World, type WorldOptions } from '../../../helpers/payouts/world.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function begin(options: WorldOptions = {}, story: StoryOptions = {}): Promise<void> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  payer = await PayerStory.start(world, books, story);
}

const balancesOf = (book: string) => coinsIn(books.pool, book);

it('begins at the depth of a chain, however long that is', async () => {
  const from: unknown[] = [];
  const around: StoryOptions['around'] = (part, name) =>
    name !== 'eyes'
      ? part
      : new Proxy(part, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key);
            if (key !== 'look' || typeof value !== 'function') return value;
            return async (...given: unknown[]) => {
              const sight = await value.apply(target, given);
              from.push(sight.blocks[0]?.height);
              return sight;
            };
          },
        });
  world = await World.start();
  await world.mine(30);
  payer = await PayerStory.start(world, books, { around });
  await payer.round();
  expect(Math.max(...(from as number[]))).toBeGreaterThan(15);
  expect((await payer.seat.state()).chains[0]?.read.height).toBe(27);
});

it('that was away for longer than blocks are kept pauses, and reads the account anew when somebody lets it go on', async () => {
  await begin();
  await payer.round();
  await payer.close();
  await world.mine(20);
  payer = await PayerStory.start(world, books, { eyes: { mostBlocks: 12 } });
  await earn(books, { 1: '5' });
  await payer.round();
  expect((await payer.seat.state()).pause).toMatchObject({
    kind: 'unread',
    says: expect.stringMatching(/^of chain 0 blocks \d+ to \d+ were not read/),
  });
  await resumePayer(books.pool, 'nothing left the account', 'anna');
  await payer.round();
  await payer.prepare();
  await payer.blocks(8);
  expect(await payer.pause()).toBeUndefined();
  expect(await payer.states()).toEqual(['final']);
  await expectPaidOnChain(world, books, [1]);
});

it('whose payment nobody can judge any more pauses once its time has been over for long, and once alone', async () => {
  await begin();
  await payer.round();
  await earn(books, { 1: '5' });
  await payer.prepare();
  await payer.round();
  await payer.close();
  // It is in a block that no node gives any more.
  await world.mine(30, { everyS: 61 });
  const early: StoryOptions = { eyes: { mostBlocks: 24 } };
  payer = await PayerStory.start(world, books, early);
  await payer.round();
  await resumePayer(books.pool, 'nothing left the account', 'anna');
  await payer.round();
  expect(await payer.pause()).toBeUndefined();
  await payer.blocks(3, 61);
  expect(await payer.states()).toEqual(['sent']);
  expect((await payer.seat.state()).pause).toMatchObject({
    kind: 'undecided',
    says: expect.stringMatching(
      /^nobody can say whether the payment of k:\w+ in payout \S+ was made: no node gives blocks/,
    ),
  });
  await resumePayer(books.pool, 'I have no such node', 'anna');
  await payer.blocks(2);
  expect(await payer.pause()).toBeUndefined();
  expect(payer.signer.signed).toEqual([]);
  await payer.close();
  payer = await PayerStory.start(world, books);
  await payer.round(2);
  expect(await payer.states()).toEqual(['final']);
  await expectPaidOnChain(world, books, [1]);
});

describe('a batch', () => {
  it('is paid on chain, and the books say so once it is deep enough', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '4.000000000001', 3: '0.5' });
    await payer.round();
    await payer.prepare();
    await payer.round();
    expect(await payer.states()).toEqual(['sent', 'sent']);
    await payer.blocks(1);
    expect(await payer.states()).toEqual(['included', 'included']);
    expect(await balancesOf('paid')).toEqual({});
    await payer.blocks(3);
    expect(await payer.states()).toEqual(['confirmed', 'confirmed']);
    expect(await balancesOf('paid')).toEqual({ [accountOf(1)]: '5', [accountOf(2)]: '4.000000000001' });
    await payer.blocks(3);
    expect(await payer.states()).toEqual(['final', 'final']);
    expect(await payer.pause()).toBeUndefined();
    await expectPaidOnChain(world, books, [1, 2, 3]);
    await expectProved(books.pool);
    expect(payer.signer.signed).toHaveLength(2);
  });
});
