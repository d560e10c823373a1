/** 21: debits of the paying account that are no transactions of ours, and what somebody who has looked at them accepts. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import { useBooks } from '../../../helpers/books/books.js';
import { earn, expectPaidOnChain, PayerStory } from '../../../helpers/payouts/story.js';
import { PAYER, payment, World } from '../../../helpers/payouts/world.js';
import { funds } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start({ funds: [funds(PAYER, '1000'), funds(keyPair(9), '1')] });
  await world.mine(5);
  payer = await PayerStory.start(world, books);
  await payer.round();
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Of the payer's key, and in no books. Resolves with its request key. */
async function send(amount: string): Promise<string> {
  const creationTimeS = world.clock.nowS - 30;
  const envelope = payment({ to: keyPair(66), amount, creationTimeS, nonce: `mine ${amount}` });
  expect(await payer.eyes.send(0, envelope)).toMatchObject([{ kind: 'accepted' }]);
  return envelope.hash;
}

const paused = async () => (await payer.seat.state()).pause;
const resume = () => resumePayer(books.pool, 'my own', 'anna');
async function restart(): Promise<void> {
  await payer.close();
  payer = await PayerStory.start(world, books);
}
async function reconcile(): Promise<{ foreign: { requestKey: string }[]; isDone: boolean }> {
  await books.pool.query('UPDATE payer SET reconcile_asked_at = now(), reconcile_applies = false');
  await payer.round();
  const { rows } = await books.pool.query('SELECT reconciled FROM payer');
  return rows[0].reconciled;
}

it('all of a block are told and accepted together, pause nothing again, not after a restart, and a later one does', async () => {
  const [seven, three] = [await send('7.0'), await send('3.0')];
  await world.mine(1);
  await payer.round(2);
  expect(await paused()).toMatchObject({
    says: expect.stringMatching(/^7\.0+ left .* besides: 3\.0+ left/),
    evidence: { requestKey: seven, amount: '7.000000000000' },
  });
  expect(await resume()).toMatchObject({
    kind: 'foreign-debit',
    accepted: [{ requestKey: seven, chainId: 0, account: keyPair(66).account }, { requestKey: three }],
  });
  await restart();
  await payer.round();
  expect(await paused()).toBeUndefined();
  const two = await send('2.0');
  await world.mine(1);
  await payer.round();
  expect((await paused())?.evidence).toMatchObject({ requestKey: two, amount: '2.000000000000' });
  expect((await resume())?.accepted).toMatchObject([{ requestKey: two }]);
  // The block is above the depth, and is read with each round.
  await earn(books, { 1: '5' });
  await payer.round(2);
  await payer.prepare();
  await payer.round();
  await restart();
  await payer.blocks(8);
  expect(await paused()).toBeUndefined();
  expect(await payer.states()).toEqual(['final']);
  await expectPaidOnChain(world, books, [1]);
  const said = "SELECT says FROM happening WHERE says LIKE 'payouts go on%' ORDER BY id";
  const { rows } = await books.pool.query<{ says: string }>(said);
  expect(rows.map(({ says }) => says)).toEqual([
    expect.stringContaining(
      `accepted as known: 7.000000000000 to ${keyPair(66).account} on chain 0 at height`,
    ),
    expect.stringContaining(two),
  ]);
});

it('of a transaction that was shown to be dead is none that is expected: another attempt pays its line', async () => {
  await earn(books, { 1: '5' });
  await payer.prepare();
  await payer.round();
  const [{ id, requestKey } = expect.fail()] = await payer.seat.live();
  expect(await payer.states()).toEqual(['sent']);
  // As if nodes had shown a chain that is not the one that stays.
  await payer.seat.found([{ id, now: 'expired', why: 'in no block', evidence: { from: 1, to: 2 } }]);
  await world.mine(1);
  await payer.round();
  expect(await paused()).toMatchObject({ kind: 'foreign-debit', evidence: { requestKey } });
  expect((await paused())?.says).toContain('shown to be dead');
});

it('all that were listed and told since the pause are accepted together, and are not listed again', async () => {
  const keys = [await send('7.0'), await send('3.0'), await send('2.0')];
  await world.mine(1);
  await payer.round();
  const { foreign } = await reconcile();
  expect(new Set(foreign.map(({ requestKey }) => requestKey))).toEqual(new Set(keys));
  const later = await send('1.5');
  await world.mine(1);
  await payer.round();
  expect(new Set((await resume())?.accepted.map(({ requestKey }) => requestKey))).toEqual(
    new Set([...keys, later]),
  );
  await payer.round();
  expect(await paused()).toBeUndefined();
  expect((await reconcile()).foreign).toEqual([]);
});

it('what was listed before the pause is none of its business', async () => {
  await reconcile();
  await send('7.0');
  await world.mine(1);
  expect((await reconcile()).foreign).not.toEqual([]);
  await payer.round();
  await resume();
  await payer.seat.pause({ kind: 'preflight', says: 'all fail', evidence: {} });
  expect(await resume()).toEqual({ kind: 'preflight', says: 'all fail', accepted: [] });
});
