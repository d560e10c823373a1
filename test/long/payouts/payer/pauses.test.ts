/** Pauses that come with what is found of a payment: they are there whatever dies when, and end when a person says so. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import type { ChainSight } from '../../../../src/payouts/evidence/sight.js';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../../helpers/books/money.js';
import { calling } from '../../../helpers/payouts/killer.js';
import { accountOf, coins, earn, PayerStory, type StoryOptions } from '../../../helpers/payouts/story.js';
import { PAYER, World } from '../../../helpers/payouts/world.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function begin(story: StoryOptions = {}): Promise<void> {
  world = await World.start({ nodes: 2 });
  await world.mine(5);
  await world.agree();
  payer = await PayerStory.start(world, books, story);
  await earn(books, { 1: '5' });
  await payer.round();
  await payer.prepare();
}

async function again(story: StoryOptions = {}): Promise<void> {
  await payer.close();
  payer = await PayerStory.start(world, books, story);
}

/** As a contract would that is not the one that is known: it moves half of what was signed. */
function halved(sight: ChainSight): ChainSight {
  const blocks = sight.blocks.map((block) => ({
    ...block,
    commands: block.commands.map((command) => ({
      ...command,
      transfers: command.transfers.map((one) =>
        one.from === PAYER.account ? { ...one, amount: one.amount / 2n } : one,
      ),
    })),
  }));
  return { ...sight, blocks };
}

const halving: StoryOptions['around'] = (part, name) =>
  name === 'eyes'
    ? calling(part, async (called, call) =>
        called === 'look' ? halved((await call()) as ChainSight) : call(),
      )
    : part;

/** Dies when the books have what was found, before anything else is done. */
const dying: StoryOptions['around'] = (part, name) =>
  name === 'seat'
    ? calling(part, async (called, call) => {
        const done = await call();
        if (called === 'found') throw new Error('killed');
        return done;
      })
    : part;

const both: StoryOptions['around'] = (part, name) => dying(halving(part, name), name);

it('what happened is not the line: paused, though it dies; the amount is held; and who resumes has looked', async () => {
  await begin();
  await payer.round();
  await world.mine(1);
  await again({ around: both });
  await expect(payer.round()).rejects.toThrow('killed');
  expect([await payer.states(), await payer.pause()]).toEqual([['unknown'], 'event-differs']);
  await again({ around: halving });
  await payer.blocks(2);
  expect(await payer.pause()).toBe('event-differs');
  await resumePayer(books.pool, 'I know of it', 'anna');
  await payer.blocks(6);
  expect([await payer.states(), await payer.pause()]).toEqual([['unknown'], undefined]);
  expect(await coinsIn(books.pool, 'paying')).toEqual({ [accountOf(1)]: '5' });
  expect((await payer.seat.spent()).lastDay).toBe(coins('5'));
  await expectProved(books.pool);
});

it('its block leaves the chain from deeper than what is believed: paused, though it dies', async () => {
  await begin();
  world.part();
  world.b.liar.lie({ isSilent: true });
  await payer.blocks(6);
  expect(await payer.states()).toEqual(['confirmed']);
  await world.mine(8, { on: world.b });
  world.b.liar.beHonest();
  await world.join();
  // It has seen the branch that is about to leave.
  const seat = calling(payer.seat, async (called, call) => {
    const done = await call();
    if (called === 'found') throw new Error('killed');
    return done;
  });
  await expect(payer.round(1, seat)).rejects.toThrow('killed');
  expect(await payer.states()).toEqual(['sent']);
  expect(await payer.pause()).toBe('left-deep');
  await expectProved(books.pool);
});
