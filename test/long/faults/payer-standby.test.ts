/**
 * A payer whose ledger goes back: a real standby is promoted that had not heard of the last seconds, in which a payment was planned, built, signed
 * and sent. It is found on its chain, and nobody is paid twice.
 */
import { describe, expect, it } from 'vitest';
import type { PayerRole } from '../../../src/bridge/payouts/payer-books.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { type Pair, startPair } from '../../helpers/books/standby.js';
import { PAST_TIME_S, PayerStory, type StartedPayer } from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

/** As far as the standby has got, and what is committed next and never gets there. */
const LOST = [
  ...[['nothing', 'plan'] as const, ['planned', 'build'] as const, ['built', 'asking'] as const],
  ...[['asked', 'keepSignatures'] as const, ['signed', 'sending'] as const],
];
type Got = (typeof LOST)[number][0];

const GOT = `SELECT coalesce(max(CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN is_signed THEN 'signed' WHEN asked_at IS NOT NULL THEN 'asked'
    WHEN t.id IS NOT NULL THEN 'built' ELSE 'planned' END), 'nothing')
  FROM stratum_bridge.payout_line n LEFT JOIN stratum_bridge.chain_transaction t ON t.line_id = n.id`;

interface Standby extends AsyncDisposable {
  readonly pair: Pair;
  readonly story: PayerStory;
}

/** A story on the primary of a pair. */
async function open(): Promise<Standby> {
  const pair = await startPair();
  const { connectionString } = pair;
  const story = await PayerStory.open({ connectionString }).catch(async (error) => {
    await pair[Symbol.asyncDispose]();
    throw error;
  });
  return {
    ...{ pair, story },
    [Symbol.asyncDispose]: async () => {
      await story[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}

/** 5 are sent and in no block, of which the standby has so much. It knows of 7 that are due, too. */
async function sent({ pair, story }: Standby, got: Got): Promise<StartedPayer> {
  const next: keyof PayerRole | undefined = LOST.find(([each]) => each === got)?.[1];
  let isCut = false;
  await story.mempool({ hold: true });
  const payer = story.pay({
    before: async (step) => {
      if (step !== next || isCut) return;
      isCut = true;
      await story.give({ 2: '7' });
      await pair.caughtUp();
      await pair.cut();
    },
  });
  await story.owe({ 1: '5' });
  await story.arrived();
  return payer;
}

const waits = (story: PayerStory, place = 'here') =>
  until('the role is taken anew, and waits', async () => {
    const { holder, isPaying, isReady } = await story.shown();
    return isPaying && !isReady && holder === place;
  });

/** What was sent is entered while the payer waits; the rest is paid after it. */
async function expectPaidOnce(story: PayerStory, payer: StartedPayer): Promise<void> {
  await askForPayout(story.pool);
  await story.mempool({ hold: false });
  await story.mineUntil('1 paid');
  await payer.turn();
  expect(await story.shown()).toMatchObject({ isReady: false, isAsked: true, lines: 0 });
  await story.waitIsOver();
  await story.mineUntil('1 paid', '1 paid');
  expect(await story.pauses()).toEqual([]);
  expect(new Set(story.sent).size).toBe(2);
  await story.expectPaid({ 1: '5', 2: '7' });
}

describe('PA2: a living payer whose ledger is a promoted standby', () => {
  it.each(LOST)(
    'that has %s of a payment that was sent loses the role, waits, and pays it once',
    async (got) => {
      await using standby = await open();
      const { pair, story } = standby;
      const payer = await sent(standby, got);
      await pair.promote();
      expect(await pair.askStandby(GOT)).toBe(got);
      await pair.letIn();
      await payer.turn();
      // Who holds it by these rows is silent from now on.
      await story.pass(31);
      await waits(story);
      await expectPaidOnce(story, payer);
    },
  );

  it('that does not know that one attempt is dead, and the next one sent, books both and pays nothing else', async () => {
    await using standby = await open();
    const { pair, story } = standby;
    await story.mempool({ drop: true });
    story.pay();
    await story.owe({ 1: '5' });
    await story.are(['1 open sent']);
    await pair.caughtUp();
    await pair.cut();
    await story.mempool({ drop: false, hold: true });
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead', '2 open sent']);
    await story.arrived();
    await pair.promote();
    expect(await pair.askStandby(GOT)).toBe('sent');
    await pair.letIn();
    await story.pass(31);
    await waits(story);
    await story.are(['1 dead']);
    await story.mempool({ hold: false });
    await story.mineUntil('1 dead', '2 paid');
    await story.waitIsOver();
    await story.owe({ 2: '7' });
    await story.mineUntil('1 dead', '2 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});

describe('PA3: a standby at another machine, where another payer signs by a signer log of its own', () => {
  it.each(LOST)('and that has %s of a payment that was sent: it waits, and pays it once', async (got) => {
    await using standby = await open();
    const { pair, story } = standby;
    const former = await sent(standby, got);
    await pair.promote();
    expect(await pair.askStandby(GOT)).toBe(got);
    // It reaches no ledger any more, so it cannot say that it goes.
    await former[Symbol.asyncDispose]();
    await story.stopFollowing();
    await pair.letIn();
    story.follow();
    const payer = story.pay({ isNewLedger: false, terms: { place: 'there' } });
    await story.pass(31);
    await waits(story, 'there');
    await expectPaidOnce(story, payer);
  });
});

describe('PA4: a promoted standby that lacks a payment that a block has', () => {
  it.each(['nothing', 'planned', 'signed'] as const)(
    'and has %s of it: it is booked anew from the block, and paid once',
    async (got) => {
      await using standby = await open();
      const { pair, story } = standby;
      const payer = await sent(standby, got);
      await story.mempool({ hold: false });
      await story.mineUntil('1 paid');
      await pair.promote();
      expect(await pair.askStandby(GOT)).toBe(got);
      await pair.letIn();
      await story.are(['1 paid']);
      await story.pass(31);
      await waits(story);
      await expectPaidOnce(story, payer);
    },
  );

  it('and lacks that alone: it is booked anew, the role is kept, and nothing waits', async () => {
    await using standby = await open();
    const { pair, story } = standby;
    await story.mempool({ hold: true });
    let isHeldUp = false;
    let stands = false;
    const payer = story.pay({
      before: async (step) => {
        if (step !== 'state' || !isHeldUp) return;
        stands = true;
        await until('it goes on', () => !isHeldUp);
      },
    });
    await story.owe({ 1: '5' });
    await story.arrived();
    // Its last commit is one that the standby has: whatever it has sent was committed before.
    isHeldUp = true;
    await until('it stands', () => stands);
    await pair.caughtUp();
    await pair.cut();
    await story.mempool({ hold: false });
    await story.mineUntil('1 paid');
    await pair.promote();
    expect(await pair.askStandby(GOT)).toBe('sent');
    await pair.letIn();
    await story.are(['1 paid']);
    isHeldUp = false;
    await payer.turn();
    expect(await story.shown()).toMatchObject({ holder: 'here', isPaying: true, isReady: true });
    await story.owe({ 2: '7' });
    await story.mineUntil('1 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});
