/** 25: a database that was copied while a payout was to be approved: two ledgers with the same lines and the same key pay at once. */
import { describe, expect, it } from 'vitest';
import type { Signer } from '../../../src/payouts/signer/signer.js';
import { PayerStory, prepared } from '../../helpers/payouts/payer-story.js';

/** A ledger and its copy, in both of which the same payout is approved; and both pay, with these signers. */
async function pays(story: PayerStory, copy: PayerStory, signers: readonly Signer[]): Promise<void> {
  await story.faults({ holdTransactions: true });
  for (const [i, each] of [story, copy].entries()) {
    const { id, hash } = await prepared(each);
    await each.orders.approvePayout({ id, hash }, 'alice');
    const signer = signers[i];
    each.pay({
      rules: { payoutMode: 'approve' },
      openSigner: async () => signer && { ...signer, close: async () => {} },
    });
    // The other one's transaction has another time in it.
    await each.are([i === 0 || signers[0] !== signers[1] ? '1 open sent' : '1 open']);
    await story.pass(3);
    await story.mine();
  }
}

async function planned(): Promise<PayerStory> {
  const story = await PayerStory.open();
  const payer = story.pay({ rules: { payoutMode: 'approve' } });
  await story.owe({ 1: '5' });
  await prepared(story);
  await payer[Symbol.asyncDispose]();
  return story;
}

describe('25: a copied database', () => {
  it('with one signer log pays a line once: what the copy asks for is refused, and the copy pauses', async () => {
    await using story = await planned();
    await using copy = await story.copy();
    const signer = await story.fileSigner();
    await pays(story, copy, [signer, signer]);
    await expect
      .poll(() => copy.transactions())
      .toMatchObject([{ sentAt: null, why: expect.stringContaining('the signer refuses it') }]);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    await copy.are(['1 open', '1 paid']);
    await copy.paused('anotherPayer');
    expect(await story.pauses()).toEqual([]);
    for (const each of [story, copy]) await each.expectPaid({ 1: '5' });
    await signer.close();
  });

  it('with two signer logs pays a line twice, and no more: both ledgers book that, and pause', async () => {
    await using story = await planned();
    await using copy = await story.copy();
    const signers = [await story.fileSigner(), await story.fileSigner()];
    await pays(story, copy, signers);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid', '1 paid');
    for (const each of [story, copy]) {
      await each.are(['1 paid', '1 paid']);
      await each.paused('anotherPayer');
      await each.owe({ 1: '3' });
    }
    await story.bury();
    for (const each of [story, copy]) {
      expect(await each.states()).toEqual(['1 paid', '1 paid']);
      await each.expectPaid({ 1: '10' });
    }
    for (const signer of signers) await signer.close();
  });
});
