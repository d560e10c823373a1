/** What nodes say that the paying account has is compared with what its blocks give, and a person says which is right. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askOf } from '../../../../src/ledger/database/statements.js';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import { payerReport } from '../../../../src/ledger/transactions/view.js';
import { useBooks } from '../../../helpers/books/books.js';
import { expectProved } from '../../../helpers/books/money.js';
import { coins, earn, expectPaidOnChain, PayerStory } from '../../../helpers/payouts/story.js';
import { World } from '../../../helpers/payouts/world.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(5);
  payer = await PayerStory.start(world, books);
  await payer.blocks(2);
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Nodes say a balance of 1,001 where it is 1,000. */
const sayMore = (more = '1001'): void =>
  world.a.liar.lie({ local: (_, text) => text.replace('"data":1000', `"data":${more}`) });
const balance = async () => (await payer.seat.state()).chains.find(({ chainId }) => chainId === 0)?.balance;

describe('a balance that nodes say otherwise than the blocks', () => {
  it('pauses payouts, with both figures; the chain shows it', async () => {
    sayMore();
    await payer.blocks(1);
    expect(await payer.pause()).toBe('balance-differs');
    const { pause } = await payer.seat.state();
    expect(pause?.says).toMatch(
      /has 1001\.0{12} on chain 0 at height \d+, and by the blocks it has 1000\.0{12}$/,
    );
    const [first] = (await payerReport(askOf(books.pool))).chains;
    expect(first?.trouble).toBe(pause?.says);
    expect(await balance()).toBe(coins('1000'));
  });

  it('is taken over once somebody lets payouts go on with it, and they do', async () => {
    sayMore();
    await payer.blocks(2);
    expect(await balance()).toBe(coins('1000'));
    await resumePayer(books.pool, 'compared', 'anna');
    await payer.blocks(2);
    expect(await payer.pause()).toBeUndefined();
    expect(await balance()).toBe(coins('1001'));
    await earn(books, { 1: '5' });
    await payer.prepare();
    world.a.liar.beHonest();
    await payer.round();
    expect(await payer.states()).toEqual(['sent']);
    await expectProved(books.pool);
  });

  it('pauses again where it differs by something else than what was told', async () => {
    sayMore();
    await payer.blocks(1);
    await resumePayer(books.pool, 'compared', 'anna');
    sayMore('1002');
    await payer.blocks(1);
    expect(await payer.pause()).toBe('balance-differs');
    expect(await balance()).toBe(coins('1000'));
  });

  it('is forgotten where nodes say the same again: payouts go on as before', async () => {
    sayMore();
    await payer.blocks(1);
    world.a.liar.beHonest();
    await resumePayer(books.pool, 'compared', 'anna');
    await earn(books, { 1: '5' });
    await payer.blocks(1);
    await payer.prepare();
    await payer.blocks(9);
    expect(await payer.pause()).toBeUndefined();
    await expectPaidOnChain(world, books, [1]);
    await expectProved(books.pool);
  });
});
