/** What people say of payments by hand, beside what blocks say of them: facts win, and are booked once. */
import { describe, expect, it } from 'vitest';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import { accountOf, PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

const refused = (why: string) => ({ refused: 'busy', why: expect.stringContaining(why) });
const NOTE = { note: 'a test' };

describe('what people say of a payment, and what a block says then', () => {
  it('of one that was paid by another transaction, they say: its own one, found all the same, is booked beside it, and pauses', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [{ line } = { line: '' }] = await story.arrived();
    const paid = 'x'.repeat(43);
    expect(await story.orders.settleLine({ line, paid, notPaid: false, ...NOTE }, 'alice')).toEqual({
      done: true,
    });
    await expectProved(story.pool);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    await story.paused('paidAfterAll');
    expect(await coinsIn(story.pool, 'paid')).toEqual({ [accountOf(1)]: '10' });
    await expectProved(story.pool);
  });

  it('of one that was paid by its own transaction: the block that has it brings the gas alone', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [{ line, requestKey } = { line: '', requestKey: '' }] = await story.arrived();
    const paid = requestKey;
    expect(await story.orders.settleLine({ line, paid, notPaid: false, ...NOTE }, 'alice')).toEqual({
      done: true,
    });
    await story.faults({ holdTransactions: false });
    await until('its gas is booked', async () => {
      await story.mine();
      return (await coinsIn(story.pool, 'due'))['operator'] !== undefined;
    });
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('of one that an earlier attempt paid: the open one is dead', async () => {
    await using story = await PayerStory.open();
    await story.faults({ dropTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [first] = await story.are(['1 open sent']);
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead', '2 open sent']);
    const { line, requestKey: paid } = first ?? { line: '', requestKey: '' };
    expect(await story.orders.settleLine({ line, paid, notPaid: false, ...NOTE }, 'alice')).toEqual({
      done: true,
    });
    expect(await story.states()).toEqual(['1 paid', '2 dead']);
    await expectProved(story.pool);
  });

  it('of one that the transaction of another payment paid: they are refused', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    story.pay();
    await story.owe({ 1: '5', 2: '7' });
    const [one, two] = await story.arrived(2);
    const said = { line: one?.line ?? '', paid: two?.requestKey, notPaid: false, ...NOTE };
    expect(await story.orders.settleLine(said, 'alice')).toEqual(refused('of another payment'));
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('that they have entered, with the request key of a command that was lost: found on the chain it is the same payment', async () => {
    await using story = await PayerStory.open();
    story.pay({ isNewLedger: false });
    await story.give({ 1: '5' });
    await until('the role is taken', async () => (await story.shown()).isPaying);
    const requestKey = await story.copyPays('4711', 1, '3');
    const payment = { account: accountOf(1), amount: coins('3'), chain: undefined, requestKey, ...NOTE };
    expect(await story.orders.enterPayment(payment, 'alice')).toMatchObject({ account: accountOf(1) });
    await story.mineUntil('1 paid');
    await story.waitIsOver();
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '3' });
  });
});
