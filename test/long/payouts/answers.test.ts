/** What nodes answer proves nothing: tests 2 to 8, 10, 11 and 18 of `payouts.md` with the whole payer. */
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askOf } from '../../../src/ledger/database/statements.js';
import { resumePayer } from '../../../src/ledger/transactions/orders.js';
import { payerReport } from '../../../src/ledger/transactions/view.js';
import { useBooks } from '../../helpers/books/books.js';
import { expectProved } from '../../helpers/books/money.js';
import { earn, expectPaidOnChain, PayerStory, type StoryOptions } from '../../helpers/payouts/story.js';
import { MINER, minerOf, PAYER, World, type WorldOptions } from '../../helpers/payouts/world.js';
import { funds } from '../../helpers/processes/commands.js';

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
  await earn(books, { 1: '5' });
  await payer.round();
  await payer.prepare();
}

/** To its end: each attempt dead but the last, which is final. */
async function expectPaidOnce(attempts = 1): Promise<void> {
  expect(await payer.states()).toEqual([...Array(attempts - 1).fill('expired'), 'final']);
  expect(await payer.pause()).toBeUndefined();
  await expectPaidOnChain(world, books, [1]);
  await expectProved(books.pool);
}

describe('a payment is made once', () => {
  it.each([
    ['2: though the answer to it is lost', { send: 'lost' as const }],
    [
      '3: though a node says 400 and has taken it',
      { send: { status: 400, text: 'Transaction already exists on chain' } },
    ],
    ['3: though a node says 500 and has taken it', { send: { status: 500, text: '' } }],
    [
      '7: though a node says that it is badlisted, and another one includes it',
      { send: { status: 400, text: 'Transaction is badlisted because it previously failed to validate.' } },
    ],
  ])('%s', async (_, lie) => {
    await begin();
    world.a.liar.lie(lie);
    await payer.round();
    await payer.blocks(8);
    await expectPaidOnce();
  });

  it('4: though a node says 200 and drops it, as the same bytes are sent again', async () => {
    await begin();
    world.a.liar.lie({ send: 'dropped' });
    await payer.round();
    await payer.blocks(3);
    expect(await payer.states()).toEqual(['sent']);
    world.a.liar.beHonest();
    await payer.blocks(9);
    await expectPaidOnce();
    expect(payer.signer.signed).toHaveLength(1);
  });

  it('5: though the same bytes go to three nodes at once', async () => {
    await begin({ nodes: 3 });
    await payer.round();
    for (let i = 0; i < 8; i++) {
      await world.mine(1, { on: world.at(i % 3) });
      await world.agree();
      await payer.round();
    }
    await expectPaidOnce();
  });

  it('8: though no node knows of it for an hour, and it is included in the last block that may have it', async () => {
    await begin({ nodes: 2 });
    for (const { liar } of world.nodes) liar.lie({ send: 'dropped', hidesCommands: true });
    await payer.round();
    const [{ cmd = '', requestKey = '', sigs = [] } = {}] = await payer.seat.live();
    await payer.blocks(27);
    expect(await payer.states()).toEqual(['sent']);
    for (const { liar } of world.nodes) liar.beHonest();
    const sent = await payer.eyes.send(0, { cmd, hash: requestKey, sigs: sigs.map((sig) => ({ sig })) });
    expect(sent[0]?.kind).toBe('accepted');
    await payer.blocks(8);
    await expectPaidOnce();
  });

  it('9: and again only when it was in no block that could have it', async () => {
    await begin();
    world.a.liar.lie({ send: 'dropped' });
    await payer.round();
    await payer.blocks(31);
    expect(await payer.states()).toEqual(['sent']);
    world.a.liar.beHonest();
    // Sent again with each block, and refused by now: its time is over.
    await payer.blocks(12);
    await expectPaidOnce(2);
    expect(payer.signer.dead).toHaveLength(1);
  });

  it('10, 11: whatever our clock says', async () => {
    await begin();
    world.skewS = 50;
    world.a.liar.lie({ send: 'dropped' });
    await payer.round();
    world.skewS = -50;
    await payer.blocks(2);
    expect(await payer.states()).toEqual(['sent']);
    world.a.liar.beHonest();
    await payer.blocks(8);
    await expectPaidOnce();
  });

  it('18: though all nodes restart and forget', async () => {
    await begin();
    await payer.round();
    for (const { node } of world.nodes) {
      const { body } = await request(`${node.controlUrl}/mempool`, { method: 'DELETE' });
      expect(await body.json()).toEqual({ forgotten: 1 });
    }
    // Nothing sends it again without a new block.
    await payer.blocks(1);
    expect(await payer.states()).toEqual(['sent']);
    await payer.blocks(8);
    await expectPaidOnce();
  });
});

describe('nodes that begin again with their first block', () => {
  it('are not built on where the account was read further up: the chain says so until they are there again', async () => {
    await begin();
    await payer.blocks(8);
    await expectPaidOnce();
    await payer.close();
    await world.restart(0, { initialBalances: [funds(PAYER, '1000')], miners: [minerOf(MINER)] });
    await world.mine(2);
    payer = await PayerStory.start(world, books);
    await earn(books, { 2: '5' });
    await payer.prepare();
    await payer.round(2);
    expect(await payer.states()).toEqual(['final', 'prepared']);
    const [first] = (await payerReport(askOf(books.pool))).chains;
    expect(first?.trouble).toMatch(
      /^nodes are at height 2 of chain 0, and \d+ was read before: they have not caught up$/,
    );
  });
});

describe('payouts pause', () => {
  const says = async () => {
    const { pause } = await payer.seat.state();
    expect(pause?.kind).toBe('nodes-clock');
    return pause?.says;
  };

  it('11: when our clock is an hour off', async () => {
    await begin();
    world.skewS = 3600;
    await payer.round();
    expect(await payer.states()).toEqual(['prepared']);
    expect(await says()).toMatch(
      /^the clock of this machine is 3600 s ahead of that of node a: here it is 2026-09-21T\S+, and there 2026-09-21T\S+$/,
    );
  });

  it('11: when one of two nodes is an hour off, and call neither right', async () => {
    await begin({ nodes: 2 });
    for (const [wrong, sign] of [
      [world.a, 1],
      [world.b, -1],
    ] as const) {
      wrong.liar.lie({ skewS: sign * 3600 });
      await payer.round();
      const said = (await says())?.match(/a says (\S+), b says (\S+), and this machine says (\S+)$/);
      const [, ...times] = said ?? expect.fail(await says());
      const [a = 0, b = 0, own = 0] = times.map((time) => Math.round(Date.parse(time) / 1000));
      expect(wrong === world.a ? [a - own, b - own] : [b - own, a - own]).toEqual([sign * 3600, 0]);
      wrong.liar.beHonest();
      await resumePayer(books.pool, 'it is set', 'anna');
    }
    await payer.round();
    expect(await payer.pause()).toBeUndefined();
  });

  it('11: not when one of three is, as the others have the same time as this machine', async () => {
    await begin({ nodes: 3 });
    world.b.liar.lie({ skewS: -3600 });
    await payer.round();
    // One that starts anew takes no side.
    world.c.liar.lie({ isSilent: true });
    await payer.round();
    world.c.liar.beHonest();
    expect(await payer.pause()).toBeUndefined();
    world.a.liar.lie({ skewS: -3600 });
    world.c.liar.lie({ skewS: -3600 });
    await payer.round();
    expect(await says()).toMatch(
      /^the clock of this machine is 3600 s ahead of those of all nodes that tell theirs \(a, b, c\): /,
    );
  });
});
