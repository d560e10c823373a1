/** A ledger that is restored from a dump of yesterday: what was paid since is found on the chains, and nobody is paid twice. */
import { describe, expect, it } from 'vitest';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { coinsIn } from '../../helpers/books/money.js';
import { accountOf, OTHER_PAYER, PayerStory } from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

const isTaken = (story: PayerStory) => until('the role is taken', async () => (await story.shown()).isPaying);

/** Owed in the dump: 5, 7 and 9. Since then 5 was paid, and 7 was sent and is in no block yet. @param hasPaid before the dump. */
async function restored(hasPaid = true): Promise<PayerStory> {
  const story = await PayerStory.open();
  try {
    if (hasPaid) {
      story.pay();
      await isTaken(story);
    }
    await story.give({ 1: '5', 2: '7', 3: '9' });
    const dump = await story.dump();
    if (!hasPaid) story.pay();
    await story.pool.query('UPDATE account SET held_why = $1 WHERE name = ANY ($2)', [
      ...['not yet', [accountOf(2), accountOf(3)]],
    ]);
    await askForPayout(story.pool);
    await story.mineUntil('1 paid');
    await story.faults({ holdTransactions: true });
    await story.pool.query('UPDATE account SET held_why = NULL WHERE name = $1', [accountOf(2)]);
    await askForPayout(story.pool);
    await story.arrived();
    await story.restore(dump);
    // Who paid when it was written is silent.
    await story.pass(31);
    expect(await story.states()).toEqual([]);
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(1)]: '5', [accountOf(2)]: '7' });
    return story;
  } catch (error) {
    await story[Symbol.asyncDispose]();
    throw error;
  }
}

describe('26: a ledger that is restored', () => {
  it.each([
    ['', true],
    [', also of before the first payment', false],
  ])('books what was paid and sent since, while it waits, and then pays the rest%s', async (_, hasPaid) => {
    await using story = await restored(hasPaid);
    await story.followed();
    const payer = story.pay({ isNewLedger: false });
    await isTaken(story);
    await askForPayout(story.pool);
    await story.are(['1 paid']);
    await payer.turn();
    expect(await story.shown()).toMatchObject({ isReady: false, isAsked: true });
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid', '1 paid');
    await story.waitIsOver();
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5', 2: '7', 3: '9' });
  });

  it('and bound to another account does so, too: the former one paid for the same ledger', async () => {
    await using story = await restored();
    expect(await story.orders.rebindPayer({ to: OTHER_PAYER.account, note: 'lost' }, 'alice')).toEqual({
      done: true,
    });
    const openSigner = () => story.fileSigner({ key: OTHER_PAYER });
    story.pay({ isNewLedger: false, openSigner, terms: { from: payerOfKey(OTHER_PAYER.key) } });
    await isTaken(story);
    await askForPayout(story.pool);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid', '1 paid');
    await story.waitIsOver();
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    expect(await story.pauses()).toEqual([]);
    expect(await coinsIn(story.pool, 'paid')).toEqual({
      ...{ [accountOf(1)]: '5', [accountOf(2)]: '7', [accountOf(3)]: '9' },
    });
    await story.expectPaid({ 3: '9' }, OTHER_PAYER);
  });
});
