/** A payer that has many blocks to read reads some in each round: orders are taken up in between, and nothing is concluded too early. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askOf } from '../../../../src/ledger/database/statements.js';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import { askForBatch, payerReport } from '../../../../src/ledger/transactions/view.js';
import type { Eyes } from '../../../../src/payouts/evidence/eyes.js';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../../helpers/books/money.js';
import { earn, expectPaidOnChain, PayerStory, type StoryOptions } from '../../../helpers/payouts/story.js';
import { PAYER, payment, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { funds } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

async function begin(options: WorldOptions = {}, mined = 5): Promise<void> {
  world = await World.start(options);
  await world.mine(mined);
}

/** The other chains are read at once. */
const onlyChain0: StoryOptions['around'] = (part, name) => {
  if (name !== 'eyes') return part;
  const { look } = part as unknown as Eyes;
  const limited: Eyes['look'] = (chainId, from, signal, most) =>
    look(chainId, from, signal, chainId === 0 ? most : undefined);
  return { ...part, look: limited };
};

/** A later start, on the same books. Of each chain eight blocks a round. */
async function restart(options: StoryOptions = {}): Promise<void> {
  await payer.close();
  payer = await PayerStory.start(world, books, { blocksARound: 8, ...options });
}

const report = () => payerReport(askOf(books.pool));
const chain0 = async () => (await payer.seat.state()).chains.find(({ chainId }) => chainId === 0);

it('was away: the account is read on from round to round, other chains pay meanwhile, and a batch waits for it', async () => {
  await begin({ funds: [funds(PAYER, '1000', 0), funds(PAYER, '1000', 1)] });
  payer = await PayerStory.start(world, books);
  await payer.round();
  await earn(books, { 1: '5' });
  await payer.prepare(1);
  await world.mine(40);
  await restart({ around: onlyChain0 });
  await payer.round();
  expect((await chain0())?.read.height).toBeLessThan(10);
  expect((await report()).chains.map(({ trouble }) => trouble)).toEqual([
    'blocks of chain 0 are being read: 38 to go',
    '',
    '',
  ]);
  // What waits for chain 1 is sent.
  expect(await payer.states()).toEqual(['sent']);
  await earn(books, { 2: '4' });
  await askForBatch(books.pool, 'anna');
  await payer.round();
  expect(await report()).toMatchObject({
    whyNot: 'blocks of chain 0 are being read: 30 to go',
  });
  // What was read is in the books: a restart does not begin anew.
  const read = (await chain0())?.read.height ?? 0;
  expect(read).toBeGreaterThan(10);
  await restart({ around: onlyChain0 });
  await payer.round(7);
  expect((await report()).chains.map(({ trouble }) => trouble)).toEqual(['', '', '']);
  expect(await payer.states()).toHaveLength(2);
  expect((await chain0())?.read.height).toBe(42);
  await world.mine(8, { chains: [0, 1] });
  await payer.round(3);
  expect(await payer.pause()).toBeUndefined();
  expect(await coinsIn(books.pool, 'paid')).toMatchObject({
    [keyPair(101).account]: '5',
    [keyPair(102).account]: '4',
  });
  await expectPaidOnChain(world, books, [1, 2]);
  await expectProved(books.pool);
});

it('begins with the balance at the depth of the whole chain, and not of what was read of it first', async () => {
  await begin({}, 35);
  payer = await PayerStory.start(world, books, {
    blocksARound: 8,
    eyes: { depth: 10 },
    terms: { depth: 10 },
  });
  await payer.round();
  expect(await chain0()).toBeUndefined();
  await payer.round(2);
  expect((await chain0())?.read.height).toBe(25);
});

it('finds a foreign debit among them, and coins that came later do not look as if they were gone', async () => {
  const friend = keyPair(9);
  await begin({ funds: [funds(PAYER, '30', 0), funds(friend, '50', 0)] });
  payer = await PayerStory.start(world, books);
  await payer.round();
  await earn(books, { 1: '20' });
  await payer.prepare();
  const move = async (from: typeof friend, to: typeof friend, amount: string) => {
    const nonce = `${amount} ${to.key}`;
    await payer.eyes.send(0, payment({ from, to, amount, creationTimeS: world.clock.nowS - 30, nonce }));
    await world.mine(20);
  };
  await move(PAYER, keyPair(66), '15.0');
  await move(friend, PAYER, '10.0');
  await restart();
  await payer.round();
  expect(await payer.pause()).toBe('foreign-debit');
  await resumePayer(books.pool, 'my own', 'anna');
  await payer.round();
  const { trouble = '', balance } = (await report()).chains[0] ?? {};
  expect([trouble, balance]).toEqual([
    'blocks of chain 0 are being read: 30 to go',
    expect.stringMatching(/^14\.99/),
  ]);
  await payer.round(5);
  await payer.blocks(8);
  expect(await payer.pause()).toBeUndefined();
  expect(await payer.states()).toEqual(['final']);
  await expectPaidOnChain(world, books, [1]);
});

it('compares books and chain once all was read that it needs, and keeps what was read until then', async () => {
  await begin();
  payer = await PayerStory.start(world, books);
  await earn(books, { 1: '5' });
  await payer.round();
  await payer.prepare();
  await payer.round();
  await payer.blocks(30);
  await restart();
  await payer.round(3);
  await books.pool.query(
    'UPDATE payer SET reconcile_asked_at = now(), reconcile_since = 0, reconcile_applies = false',
  );
  const reconciled = async () =>
    (await books.pool.query('SELECT reconciled FROM payer')).rows[0].reconciled as { chains: unknown } | null;
  const asked = () =>
    world.a.liar.asked.filter((one) => one.includes('chain/0/payload/outputs/batch')).length;
  const before = asked();
  await payer.round();
  expect(await reconciled()).toBeNull();
  await payer.round(4);
  expect((await reconciled())?.chains).toContainEqual({ chainId: 0, from: 0, to: 35 });
  // Eight blocks a question, and none of them twice.
  expect(asked() - before).toBeLessThanOrEqual(4);
});
