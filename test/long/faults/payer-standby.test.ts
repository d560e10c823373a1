/**
 * A payer whose ledger goes back: a real standby is promoted that had not heard of the last seconds, in which a payment was planned, built, signed
 * and sent. It is found on its chain, and nobody is paid twice.
 */
import { describe, expect, it } from 'vitest';
import type { PayerRole } from '../../../src/bridge/payouts/payer-books.js';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { type Pair, startPair } from '../../helpers/books/standby.js';
import { killed } from '../../helpers/payouts/killed-payer.js';
import {
  OTHER_PAYER,
  PAST_TIME_S,
  PAYER,
  PayerStory,
  type StartedPayer,
} from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

/** As far as the standby has got, and what is committed next and never gets there. */
const LOST = [
  ['nothing', 'plan'],
  ['planned', 'build'],
  ['built', 'asking'],
  ['asked', 'keepSignatures'],
  ['signed', 'sending'],
] as const;
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
  await story.faults({ holdTransactions: true });
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

/** The standby takes the place of the primary when 5 are on their way: it lacks what the payer commits from one step on, and the last step fails. */
async function primaryLost(
  { pair, story }: Standby,
  { cut, last }: Record<'cut' | 'last', keyof PayerRole>,
  got: Got,
): Promise<StartedPayer> {
  let isCut = false;
  let isLost = false;
  const payer = story.pay({
    before: async (step) => {
      if (step === cut && !isCut) {
        await pair.caughtUp();
        await pair.cut();
        isCut = true;
      }
      if (step !== last || isLost) return;
      await pair.promote();
      isLost = true;
    },
  });
  await story.owe({ 1: '5' });
  await until('the primary is lost', () => isLost);
  expect(await pair.askStandby(GOT)).toBe(got);
  expect(story.sent).toEqual([]);
  await pair.letIn();
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
  // It has its chance to pay anew before blocks tell what it did.
  await payer.turn();
  await story.faults({ holdTransactions: false });
  await story.mineUntil('1 paid');
  await payer.turn();
  expect(await story.shown()).toMatchObject({ isReady: false, isAsked: true, lines: 0 });
  await story.waitIsOver();
  await story.mineUntil('1 paid', '1 paid');
  expect(await story.pauses()).toEqual([]);
  expect(new Set(story.sent).size).toBe(2);
  await story.expectPaid({ 1: '5', 2: '7' });
}

describe('PA2: a living payer, when a standby is promoted that lacks its last seconds,', () => {
  it.each(LOST)(
    'loses the role, waits, and pays once what was sent: the standby has %s of it',
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

  it('pays what was planned and not sent, after the wait', async () => {
    await using standby = await open();
    const { story } = standby;
    const payer = await primaryLost(standby, { cut: 'plan', last: 'build' }, 'nothing');
    await story.pass(31);
    await waits(story);
    await payer.turn();
    expect(await story.shown()).toMatchObject({ isReady: false, isAsked: true });
    await story.waitIsOver();
    await story.mineUntil('1 paid');
    expect(await story.pauses()).toEqual([]);
    expect(new Set(story.sent).size).toBe(1);
    await story.expectPaid({ 1: '5' });
  });

  it('plans anew what was signed and not sent: the signer signs no other command of its line', async () => {
    await using standby = await open();
    const { story } = standby;
    await primaryLost(standby, { cut: 'build', last: 'sending' }, 'planned');
    await story.pass(31);
    await waits(story);
    await story.waitIsOver();
    await expect
      .poll(() => story.transactions())
      .toMatchObject([
        { state: 'open', sentAt: null, why: expect.stringContaining('the signer refuses it') },
      ]);
    await story.pass(PAST_TIME_S);
    await story.mineUntil('1 dead');
    await askForPayout(story.pool);
    await story.mineUntil('1 dead', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('keeps the role, and waits for nothing, where the standby has all that it has committed', async () => {
    await using standby = await open();
    const { story } = standby;
    await primaryLost(standby, { cut: 'build', last: 'build' }, 'planned');
    await story.mineUntil('1 paid');
    expect(await story.shown()).toMatchObject({ isReady: true, pauses: [] });
    await story.expectPaid({ 1: '5' });
  });

  it('books that an attempt is dead and the next one paid: the standby has the first one as sent', async () => {
    await using standby = await open();
    const { pair, story } = standby;
    await story.faults({ dropTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    await story.are(['1 open sent']);
    await pair.caughtUp();
    await pair.cut();
    await story.faults({ dropTransactions: false, holdTransactions: true });
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
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 dead', '2 paid');
    await story.waitIsOver();
    await story.owe({ 2: '7' });
    await story.mineUntil('1 dead', '2 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});

it('PA7: a standby that lacks that another account was bound, and what that one paid, books it, and nobody is paid twice', async () => {
  await using standby = await open();
  const { pair, story } = standby;
  const first = story.pay();
  await until('the role is taken', async () => (await story.shown()).isPaying);
  await story.give({ 1: '5' });
  await pair.caughtUp();
  await pair.cut();
  await first[Symbol.asyncDispose]();
  const bind = () => story.orders.rebindPayer({ to: OTHER_PAYER.account, note: 'stolen' }, 'alice');
  expect(await bind()).toEqual({ done: true });
  const openSigner = () => story.fileSigner({ key: OTHER_PAYER });
  const payer = story.pay({ isNewLedger: false, openSigner, terms: { from: payerOfKey(OTHER_PAYER.key) } });
  await waits(story);
  await story.waitIsOver();
  await story.owe({});
  await story.mineUntil('1 paid');
  await story.stopFollowing();
  await pair.promote();
  expect(await pair.askStandby('SELECT account FROM stratum_bridge.payer')).toBe(PAYER.account);
  await pair.letIn();
  // Also the time that the story has let pass.
  await story.pass(31);
  story.follow();
  await story.are(['1 paid']);
  await payer.turn();
  expect(await bind()).toEqual({ done: true });
  await waits(story);
  await story.owe({ 2: '7' });
  await story.waitIsOver();
  await story.mineUntil('1 paid', '1 paid');
  expect(await story.pauses()).toEqual([]);
  await story.expectPaid({ 1: '5', 2: '7' }, OTHER_PAYER);
});

describe('PA3: a payer at the machine of the promoted standby, with a signer log of its own,', () => {
  // What is built is the same bytes whoever signs it.
  it.each(LOST.slice(0, 3))(
    'waits, and pays once what another one sent: the standby has %s of it',
    async (got) => {
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
    },
  );

  it('does so where the first payer ever was killed right after it sent: the standby knows of none', async () => {
    await using standby = await open();
    const { pair, story } = standby;
    await story.faults({ holdTransactions: true });
    await story.owe({ 1: '5' });
    await pair.caughtUp();
    await pair.cut();
    // What the process reads of blocks nobody else is to read.
    await story.stopFollowing();
    await killed(story, { keyFile: await story.keyFile(), step: 'the node is sent it', when: 'after' });
    await pair.promote();
    expect(await pair.askStandby(GOT)).toBe('nothing');
    expect(await pair.askStandby('SELECT account IS NULL FROM stratum_bridge.payer')).toBe('true');
    await pair.letIn();
    story.follow();
    await story.give({ 2: '7' });
    const payer = story.pay({ isNewLedger: false, terms: { place: 'there' } });
    await waits(story, 'there');
    await expectPaidOnce(story, payer);
  });
});

describe('PA4: a payment that a block has, and the promoted standby has not,', () => {
  it.each(['nothing', 'planned', 'signed'] as const)(
    'is booked anew from the block, and paid once: the standby has %s of it',
    async (got) => {
      await using standby = await open();
      const { pair, story } = standby;
      const payer = await sent(standby, got);
      await story.faults({ holdTransactions: false });
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

  it('is booked anew where that alone is lost: the role is kept, and nothing waits', async () => {
    await using standby = await open();
    const { pair, story } = standby;
    await story.faults({ holdTransactions: true });
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
    await story.faults({ holdTransactions: false });
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
