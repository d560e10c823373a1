/** A block that was taken over without its payload: what it held of transactions only people can find out. */
import { describe, expect, it } from 'vitest';
import { held, keepPayload, PAST_TIME_S, PayerStory, skipBlock } from '../../helpers/payouts/payer-story.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';

const NOTE = { note: 'looked up' };

/** The transaction that was open when its chain was gone on with. @param isIncluded the block has it. */
async function left(story: PayerStory, isIncluded: boolean) {
  const { payer, transaction } = await held(story);
  const { chainId, line } = transaction;
  if (isIncluded) await story.faults({ holdTransactions: false });
  else await story.control(story.first.node, 'DELETE', 'mempool');
  // Into the first of these.
  await story.mine(DEPTH);
  await story.followed();
  await story.faults({ holdTransactions: false });
  const stop = keepPayload(story, chainId);
  await story.mine(1);
  await skipBlock(story, chainId);
  stop();
  // It ends by no block, and by no time.
  await story.pass(PAST_TIME_S);
  await story.bury();
  await payer.turn();
  expect(await story.transactions()).toMatchObject([
    { ...transaction, state: 'open', attempt: 1, why: 'it is for people to settle' },
  ]);
  return {
    payer,
    transaction,
    settle: (paid?: string) =>
      story.orders.settleLine({ line, paid, notPaid: paid === undefined, ...NOTE }, 'alice'),
  };
}

describe('`ledger follow skip` over a block while a transaction is open', () => {
  it('pauses, and decides nothing of it: people say that it was paid', async () => {
    await using story = await PayerStory.open();
    const { transaction, settle } = await left(story, true);
    expect(await settle(transaction.requestKey)).toEqual({ done: true });
    expect(await story.orders.resumePayments(NOTE, 'alice')).toEqual({ ended: ['skipped'] });
    await story.owe({ 2: '7' });
    await story.mineUntil('1 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('or that it was not: it is due again, and paid by another one', async () => {
    await using story = await PayerStory.open();
    const { settle } = await left(story, false);
    expect(await settle()).toEqual({ done: true });
    await story.orders.resumePayments(NOTE, 'alice');
    await story.owe({});
    await story.mineUntil('1 dead', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });
});
