/** What people order of payments on chain. */
import { describe, expect, it } from 'vitest';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import {
  accountOf,
  OTHER_PAYER,
  PAST_TIME_S,
  PayerStory,
  prepared,
} from '../../helpers/payouts/payer-story.js';
import { PAYER } from '../../helpers/payouts/payer-terms.js';
import { command, GAS, transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { until } from '../../helpers/until.js';

const refused = (why: string) => ({ refused: 'busy', why: expect.stringContaining(why) });
const NOTE = { note: 'a test' };

describe('PA11: a payout that waits for two people', () => {
  it('counts each person once, all of this machine as one, and exactly the lines that were shown', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ rules: { payoutMode: 'approve', approvals: 2 } });
    await story.owe({ 1: '5' });
    const { id, hash } = await prepared(story);
    const approves = (by: string, of = hash) => story.orders.approvePayout({ id, hash: of }, by);
    expect(await approves('alice', 'ab'.repeat(32))).toEqual(refused('has other lines'));
    expect(await approves('ctl alice')).toEqual({ missing: 1 });
    for (const by of ['ctl bob', 'ctl', 'root at here', 'admin link', 'admin token'])
      expect(await approves(by)).toEqual(refused('already'));
    await payer.turn();
    expect(await story.states()).toEqual([]);
    expect(await approves('bob')).toEqual({ missing: 0 });
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });

  it('32: is one token that comes twice; and pays nothing of lines that are changed after it was approved', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ rules: { payoutMode: 'approve', approvals: 2 } });
    await story.owe({ 1: '5', 2: '7' });
    const { id, hash } = await prepared(story);
    const approves = (by: string) => story.orders.approvePayout({ id, hash }, by);
    expect(await approves('bob')).toEqual({ missing: 1 });
    expect(await approves('bob')).toEqual(refused('already'));
    await story.orders.pausePayments(NOTE, 'bob');
    expect(await approves('alice')).toEqual({ missing: 0 });
    await story.pool.query('UPDATE payout_line SET amount = amount + 0.5');
    await story.give({ 1: '1', 2: '1' });
    await story.orders.resumePayments(NOTE, 'bob');
    await payer.turn();
    expect(await story.states()).toEqual([]);
    await story.pool.query('UPDATE payout_line SET amount = amount - 0.5');
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});

describe('an order', () => {
  it('holds an account also where its line is prepared, and allows it again', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ rules: { payoutMode: 'approve' } });
    await story.owe({ 1: '5', 2: '7' });
    const { id, hash } = await prepared(story);
    await story.orders.holdAccount({ account: accountOf(1), note: 'disputed' }, 'alice');
    await story.orders.approvePayout({ id, hash }, 'alice');
    await story.mineUntil('1 paid');
    await story.owe({ 1: '1' });
    await payer.turn();
    expect(await story.shown()).toMatchObject({ isAsked: false, waiting: 0 });
    expect(await story.states()).toEqual(['1 paid']);
    await story.expectPaid({ 1: '0', 2: '7' });
    const allowed = await story.orders.allowAccounts(
      { all: true, account: undefined, note: 'agreed' },
      'alice',
    );
    expect(allowed).toEqual({ allowed: [accountOf(1)] });
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('rejects a payout that has no transaction yet: all of it is due again', async () => {
    await using story = await PayerStory.open();
    story.pay({ rules: { payoutMode: 'approve' } });
    await story.owe({ 1: '5', 2: '7' });
    const { id } = await prepared(story);
    expect(await story.orders.rejectPayout({ id, ...NOTE }, 'alice')).toEqual({ lines: 2 });
    const due = { [accountOf(1)]: '5', [accountOf(2)]: '7' };
    expect(await coinsIn(story.pool, 'due')).toMatchObject(due);
    await story.owe({});
    const next = await prepared(story);
    await story.orders.approvePayout(next, 'alice');
    await story.arrived(2);
    expect(await story.orders.rejectPayout({ id: next.id, ...NOTE }, 'alice')).toEqual(
      refused('is being paid'),
    );
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('PA15: says of a payment that it was made; what a block says against it is booked, and pauses', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [{ line, requestKey } = { line: '', requestKey: '' }] = await story.arrived();
    const settle = (paid?: string) =>
      story.orders.settleLine({ line, paid, notPaid: paid === undefined, ...NOTE }, 'alice');
    expect(await settle()).toEqual({ done: true });
    expect(await settle(requestKey)).toEqual(refused('already'));
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(1)]: '5' });
    await story.owe({});
    const [, second] = await until('it is paid anew', async () => {
      const all = await story.transactions();
      return all.length === 2 && all;
    });
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid', '1 paid');
    await story.paused('paidAfterAll');
    expect(second?.requestKey).not.toBe(requestKey);
    await story.expectPaid({ 1: '10' });
    await story.orders.resumePayments(NOTE, 'alice');
    // Paid twice, it earns that first.
    await story.owe({ 1: '7' });
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '12' });
  });

  it('PA15: settles by the request key of what paid it, once, and of no other payment', async () => {
    await using story = await PayerStory.open();
    await story.faults({ dropTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '5', 2: '7' });
    const [one, two] = await story.are(['1 open sent', '1 open sent']);
    const settle = (line = '', paid = '') =>
      story.orders.settleLine({ line, paid, notPaid: false, ...NOTE }, 'alice');
    expect(await settle(one?.line, one?.requestKey)).toEqual({ done: true });
    expect(await settle(two?.line, one?.requestKey)).toEqual(refused('of another payment'));
    const elsewhere = 'x'.repeat(43);
    expect(await settle(two?.line, elsewhere)).toEqual({ done: true });
    expect(await coinsIn(story.pool, 'paid')).toEqual({ [accountOf(1)]: '5', [accountOf(2)]: '7' });
    await story.pass(PAST_TIME_S);
    await story.bury();
    await payer.turn();
    expect(await story.states()).toEqual(['1 paid', '1 dead']);
    await expectProved(story.pool);
  });

  it('PA7: binds the ledger to another account once nothing is open, and that pays after the wait', async () => {
    await using story = await PayerStory.open();
    const first = story.pay();
    await story.owe({ 1: '5' });
    await story.arrived();
    const rebind = () => story.orders.rebindPayer({ to: OTHER_PAYER.account, note: 'stolen' }, 'alice');
    expect(await rebind()).toEqual(refused('transactions are open'));
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
    await first[Symbol.asyncDispose]();
    await story.owe({ 2: '7' });
    const openSigner = () => story.fileSigner({ key: OTHER_PAYER });
    const second = story.pay({
      isNewLedger: false,
      openSigner,
      terms: { from: payerOfKey(OTHER_PAYER.key) },
    });
    await second.turn();
    expect(await story.shown()).toMatchObject({ account: PAYER.account, isPaying: false });
    expect(await rebind()).toEqual({ done: true });
    await until('it has the role', async () => (await story.shown()).isPaying);
    await second.turn();
    expect(await story.shown()).toMatchObject({ account: OTHER_PAYER.account, isReady: false });
    await story.waitIsOver();
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 2: '7' }, OTHER_PAYER);
  });
});

describe('coins that leave the paying account', () => {
  it('by anything but a command of this ledger pause payments, also by its gas alone', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay();
    await until('the role is taken', async () => (await story.shown()).isPaying);
    await story.send(transfer(PAYER, keyPair(9), '3.0'));
    await until('it is found', async () => {
      await story.mine();
      return (await story.pauses()).includes('foreignDebit');
    });
    await story.owe({ 1: '5' });
    await payer.turn();
    expect(await story.states()).toEqual([]);
    await story.orders.resumePayments({ note: 'it was me' }, 'alice');
    await story.mineUntil('1 paid');
    const code = `(coin.get-balance "${PAYER.account}")`;
    await story.send(command({ code, signers: [[PAYER, [GAS]]] }));
    await until('it is found', async () => {
      await story.mine();
      return (await story.pauses()).includes('foreignDebit');
    });
    await story.expectPaid({ 1: '5' });
  });
});
