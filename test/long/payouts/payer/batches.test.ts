/** Batches by the schedule: what is due, over the chains, within the limits. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../src/bridge/watch/next-steps.js';
import { askOf } from '../../../../src/ledger/database/statements.js';
import { approveBatch, listBatches, takeWish } from '../../../../src/ledger/transactions/orders.js';
import { payerReport } from '../../../../src/ledger/transactions/view.js';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../../helpers/books/money.js';
import {
  accountOf,
  coins,
  earn,
  expectPaidOnChain,
  PayerStory,
  type StoryOptions,
} from '../../../helpers/payouts/story.js';
import { PAYER, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { funds } from '../../../helpers/processes/commands.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(() => books.empty());
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** Always due, unless the story says otherwise. */
const ALWAYS = (ms: number): number => ms + 1;
const NO_LIMITS = { line: undefined, batch: undefined, day: undefined, usualPercent: undefined };

async function begin(story: StoryOptions = {}, options: WorldOptions = {}): Promise<void> {
  world = await World.start(options);
  await world.mine(5);
  payer = await PayerStory.start(world, books, { nextAfter: ALWAYS, ...story });
}

const batches = () => listBatches(books.pool, 9);

describe('a schedule', () => {
  it('makes batches of what is due, and pays them by itself', async () => {
    await begin();
    await earn(books, { 1: '5', 2: '0.9' });
    await payer.round(3);
    await payer.blocks(8);
    await expectPaidOnChain(world, books, [1, 2]);
    expect(await coinsIn(books.pool, 'balance')).toMatchObject({ [accountOf(2)]: '0.9' });
    expect((await batches()).map(({ isClosed, total }) => [isClosed, total])).toEqual([
      [true, '5.000000000000'],
    ]);
    await expectProved(books.pool);
  });

  it('waits for its time, and is asked for at any time', async () => {
    await begin({ nextAfter: (ms) => ms + 3_600_000 });
    await earn(books, { 1: '5' });
    await payer.round(3);
    expect(await batches()).toEqual([]);
    expect((await payer.seat.state()).nextAtMs).toBeGreaterThan(Date.now());
    await books.pool.query('UPDATE payer SET batch_asked_at = now()');
    await payer.round(2);
    expect(await batches()).toHaveLength(1);
    expect((await payer.seat.state()).isAsked).toBe(false);
  });

  it('says why there is no batch', async () => {
    await begin();
    await earn(books, { 1: '0.5' });
    await payer.round(2);
    expect((await payer.seat.state()).whyNot).toBe('nothing is due');
    await earn(books, { 2: '5000' });
    await payer.round();
    expect((await payer.seat.state()).whyNot).toContain(`1 account waits; ${accountOf(2)}`);
    expect(await batches()).toEqual([]);
  });
});

describe('a batch', () => {
  it.each([
    ['mode approve', { mode: 'approve' as const }, 'payouts.mode is approve'],
    ['the first ones', { firstApprovals: 3 }, 'one of the first 3'],
    [
      'mode approve, and who approves is told that it is above a limit',
      { mode: 'approve' as const, limits: { ...NO_LIMITS, line: coins('4'), batch: coins('6') } },
      `payouts.mode is approve; what ${accountOf(1)} gets is 5.0, above 4.0`,
    ],
    ['a line above its limit', { limits: { ...NO_LIMITS, line: coins('4') } }, 'is 5.0, above 4.0'],
    ['a batch above its limit', { limits: { ...NO_LIMITS, batch: coins('4') } }, 'the batch is 5.0'],
    ['a day above its limit', { limits: { ...NO_LIMITS, day: coins('4') } }, 'last 24 hours'],
  ])('waits for approval: %s', async (_, terms, why) => {
    await begin({ terms });
    await earn(books, { 1: '5' });
    await payer.round(3);
    const [batch = expect.fail('there is no batch')] = await batches();
    expect(batch.approvalFor).toContain(why);
    expect(await payer.states()).toEqual(['prepared']);
    await approveBatch(books.pool, batch.id, batch.contentHash ?? '', 'anna');
    await payer.round(2);
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnChain(world, books, [1]);
    await expectProved(books.pool);
  });

  it('32: counts against the day what is not confirmed, and what is unknown', async () => {
    await begin({ terms: { limits: { ...NO_LIMITS, day: coins('8') } } });
    await earn(books, { 1: '5' });
    await payer.round(3);
    expect(await payer.states()).toEqual(['sent']);
    await earn(books, { 2: '4' });
    await payer.round(2);
    expect((await batches())[0]?.approvalFor).toContain('last 24 hours');
    expect(await payer.states()).toEqual(['sent', 'prepared']);
  });

  it('32: counts against the day what is prepared before and not sent yet', async () => {
    await begin({ terms: { limits: { ...NO_LIMITS, day: coins('8') } } });
    payer.signer.outcome = () => ({ is: 'failed', why: 'it is away' });
    await earn(books, { 1: '5' });
    await payer.round(3);
    expect(await payer.states()).toEqual(['built']);
    await earn(books, { 2: '4' });
    await payer.round(2);
    expect((await batches())[0]?.approvalFor).toContain('last 24 hours');
  });

  it('goes over the chains that have coins, in parts where no chain has enough', async () => {
    await begin({}, { funds: [0, 1, 2].map((chainId) => funds(PAYER, '10', chainId)) });
    await earn(books, { 1: '15', 2: '3' });
    await payer.round(3);
    await payer.blocks(8);
    // However many parts: accounts are counted.
    expect((await batches()).map(({ accounts }) => accounts)).toEqual([2]);
    for (let i = 0; i < 8; i++) {
      await world.a.node.orders.mine({});
      await payer.round();
    }
    expect(new Set(await payer.states())).toEqual(new Set(['final']));
    await expectPaidOnChain(world, books, [1, 2]);
    await expectProved(books.pool);
  });

  it('leaves alone the coins of lines that have no transaction yet', async () => {
    await begin({}, { funds: [0, 1].map((chainId) => funds(PAYER, chainId === 0 ? '20' : '30', chainId)) });
    await earn(books, { 1: '25' });
    await payer.round();
    // For more than chain 0 has: it waits there.
    const first = await payer.prepare();
    await earn(books, { 2: '10', 3: '2' });
    for (const [number, chainId] of [
      [2, 0],
      [3, 1],
    ] as const)
      await takeWish(books.pool, { account: accountOf(number), minimum: undefined, chainId, atMs: 1 });
    await payer.round(2);
    expect(await payer.states()).toEqual(['prepared', 'sent']);
    expect((await batches()).map(({ name, total }) => [name === first, total])).toEqual([
      [false, '2.000000000000'],
      [true, '25.000000000000'],
    ]);
    expect((await payer.seat.state()).whyNot).toContain(
      `${accountOf(2)}: chain 0, where it is wished for, has 0.0 to spend`,
    );
  });

  it('that has not the coins tells how many are missing, and others go on', async () => {
    await begin({ nextAfter: () => undefined }, { funds: [funds(PAYER, '10', 0), funds(PAYER, '10', 1)] });
    await earn(books, { 1: '15' });
    await payer.round();
    await payer.prepare(0);
    await earn(books, { 2: '3' });
    await payer.prepare(1);
    await payer.round(2);
    const report = await payerReport(askOf(books.pool));
    // 15, the reserve and the gas, of 10.
    expect(report.chains.map(({ missing }) => Number(missing))).toEqual([5.100015, 0, 0]);
    expect(nextSteps(report)).toEqual([
      expect.stringContaining(
        `1 payment on chain 0 wait for coins: send 5.100015000000 to ${PAYER.account} there`,
      ),
      expect.stringContaining('1 payment on the way into a block'),
    ]);
  });
});
