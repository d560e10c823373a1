/** The books of payments on chain: one payer, each move once, and amounts where they belong whatever is found. */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAmount } from '../../../src/core/money/amount.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { markPayout } from '../../../src/ledger/payments/mark.js';
import { readPayout } from '../../../src/ledger/payments/payouts.js';
import { OPERATOR_ID, post } from '../../../src/ledger/settlement/posting.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import { payerBooks } from '../../../src/ledger/transactions/payer-books.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import {
  coins,
  earn as earnIn,
  GAS,
  madeUp,
  PLACE,
  paid,
  prepareAll,
  takeSeat as seatIn,
  sendAll,
} from '../../helpers/payouts/chain-payments.js';

const books = useBooks();
beforeEach(() => books.empty());

const takeSeat = (gasPaidBy?: 'operator' | 'account') => seatIn(books.pool, gasPaidBy);
const earn = (amounts: Record<string, string>) => earnIn(books.pool, amounts);
const NEVER = { approvalFor: undefined, approvalsNeeded: 0 };
const balancesOf = (book: string) => coinsIn(books.pool, book);
const expectBalanced = () => expectProved(books.pool);

describe('a payment on chain', () => {
  it('holds its amount until it is seen deep enough, and then it is paid, with its gas', async () => {
    await earn({ a: '5', b: '4', small: '0.5' });
    const seat = await takeSeat();
    const name = (await prepareAll(seat)) ?? expect.fail('nothing prepared');
    const sent = await sendAll(seat);
    expect(sent.map(({ account, amount, state }) => [account, formatAmount(amount), state])).toEqual([
      ['a', '5.000000000000', 'sent'],
      ['b', '4.000000000000', 'sent'],
    ]);
    expect(await balancesOf('paying')).toEqual({ a: '5', b: '4' });
    await seat.found(sent.map(({ id }) => ({ id, now: 'included', place: PLACE, evidence: {} })));
    expect(await balancesOf('paid')).toEqual({});
    await seat.found(sent.map(({ id }) => paid(id)));
    expect(await balancesOf('paid')).toEqual({ a: '5', b: '4' });
    expect(await balancesOf('gas')).toEqual({ operator: '0.00002' });
    expect((await readPayout(books.pool, name)).lines.map(({ state }) => state)).toEqual([
      'confirmed',
      'confirmed',
    ]);
    expect((await seat.state()).batches).toBe(1);
    await expectBalanced();
  });

  it('moves once, however often it is found', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat('account');
    await prepareAll(seat);
    const [{ id } = expect.fail()] = await sendAll(seat);
    for (let i = 0; i < 3; i++) await seat.found([paid(id), paid(id)]);
    expect(await balancesOf('paid')).toEqual({ a: '5' });
    expect(await balancesOf('balance')).toEqual({ a: '-0.00001' });
    await expectBalanced();
  });

  it('is taken back when its block leaves the chain, is sent again with the same bytes, and is paid again', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [{ id, cmd } = expect.fail()] = await sendAll(seat);
    for (let i = 0; i < 2; i++) {
      await seat.found([paid(id)]);
      expect(await balancesOf('gas')).toEqual({ operator: '0.00001' });
      await seat.found([{ id, now: 'sent', evidence: { left: 'h7' } }]);
      expect(await balancesOf('gas')).toEqual({});
      expect(await balancesOf('paying')).toEqual({ a: '5' });
      expect(await seat.live()).toMatchObject([{ id, cmd, state: 'sent', included: undefined }]);
      await expectBalanced();
    }
    await seat.found([paid(id), { id, now: 'final', evidence: {} }]);
    expect(await seat.live()).toEqual([]);
    expect(await balancesOf('paid')).toEqual({ a: '5' });
    await expectBalanced();
  });

  it.each([
    ['account', 'operator'],
    ['operator', 'account'],
  ] as const)(
    'gives gas back to who has paid it: %s, though the setting says %s by then',
    async (first, then) => {
      await earn({ a: '5' });
      const before = await takeSeat(first);
      await prepareAll(before);
      const [{ id } = expect.fail()] = await sendAll(before);
      await before.found([paid(id)]);
      await before.close();
      const after = await takeSeat(then);
      await after.found([{ id, now: 'sent', evidence: { left: 'h7' } }]);
      expect([await balancesOf('gas'), await balancesOf('balance')]).toEqual([{}, {}]);
      await expectBalanced();
      await after.found([paid(id)]);
      expect(await balancesOf('gas')).toEqual({ [then === 'account' ? 'a' : 'operator']: '0.00001' });
      await expectBalanced();
    },
  );

  it('gets another attempt only when the one before is dead, and waits for somebody after five', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [sent = expect.fail(`no attempt ${attempt}`)] = await sendAll(seat);
      expect(sent.attempt).toBe(attempt);
      expect(await seat.open(9)).toEqual([]);
      await seat.found([{ id: sent.id, now: 'expired', why: 'not in 5..40', evidence: { from: 5, to: 40 } }]);
    }
    expect(await seat.open(9)).toEqual([]);
    expect(await balancesOf('balance')).toEqual({ a: '5' });
    expect(await seat.due(coins('1'), 9)).toEqual([]);
    await expectBalanced();
  });

  it('that the chain refused gives its amount back, costs its gas, and its account waits', async () => {
    await earn({ a: '5', b: '4' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [a = expect.fail(), b = expect.fail()] = await sendAll(seat);
    const why = 'account guards do not match';
    await seat.found([
      { id: a.id, now: 'refused', place: PLACE, gasPaid: GAS, why, evidence: {} },
      paid(b.id),
    ]);
    expect(await balancesOf('balance')).toEqual({ a: '5', operator: '-0.00002' });
    expect((await seat.due(coins('1'), 9)).map(({ account }) => account)).toEqual([]);
    expect((await seat.state()).batches).toBe(1);
    await expectBalanced();
  });

  it('that nobody can judge keeps its amount on hold', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [{ id } = expect.fail()] = await sendAll(seat);
    await seat.found([{ id, now: 'unknown', why: 'its event is not the line', evidence: {} }]);
    expect(await balancesOf('paying')).toEqual({ a: '5' });
    expect(await seat.open(9)).toEqual([]);
    await expectBalanced();
  });

  it('is held before it is signed where it fails alone, and others go on', async () => {
    await earn({ a: '5', b: '4' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [a = expect.fail()] = await seat.open(9);
    await seat.hold([{ paymentId: a.id, why: 'no k: account' }]);
    await seat.hold([{ paymentId: a.id, why: 'no k: account' }]);
    expect(await balancesOf('balance')).toEqual({ a: '5' });
    expect((await sendAll(seat)).map(({ account }) => account)).toEqual(['b']);
    await expectBalanced();
  });

  it('is nothing that an operator marks', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    const name = (await prepareAll(seat)) ?? expect.fail();
    await expect(markPayout(books.pool, name, { outcome: 'failed' })).rejects.toThrow('is paid on chain');
  });
});

describe('the books', () => {
  it('keep the bytes of a transaction, and one that lives for each line, whoever writes', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [{ id, paymentId } = expect.fail()] = await sendAll(seat);
    const kept = ['payment_id', 'attempt', 'chain_id', 'cmd', 'request_key', 'creation_time', 'ttl'];
    for (const column of kept)
      await expect(
        books.pool.query(`UPDATE transaction SET ${column} = ${column} WHERE id = $1`, [id]),
        column,
      ).rejects.toThrow('never changes');
    await expect(
      books.pool.query(
        `INSERT INTO transaction (payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl, gas_limit, gas_price, birth_height, birth_hash)
         SELECT payment_id, 2, chain_id, cmd, 'another', creation_time, ttl, gas_limit, gas_price, 1, '' FROM transaction WHERE payment_id = $1`,
        [paymentId],
      ),
    ).rejects.toThrow('transaction_alive');
    await expect(books.pool.query('DELETE FROM payment_event')).rejects.toThrow('never changes');
  });

  it('make a move of money once, whatever is said of the state of its transaction', async () => {
    await earn({ a: '5', b: '4' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [a = expect.fail(), b = expect.fail()] = await sendAll(seat);
    await seat.found([paid(a.id)]);
    await books.pool.query("UPDATE transaction SET state = 'sent'");
    await expect(seat.found([paid(b.id), paid(a.id)])).rejects.toThrow(
      `the books were moved by "tx ${a.id} confirmed 0" before`,
    );
    // With the other one, which came with it.
    expect([await balancesOf('paid'), await balancesOf('paying')]).toEqual([{ a: '5' }, { b: '4' }]);
    expect(await balancesOf('gas')).toEqual({ operator: '0.00001' });
  });

  it('give the seat to one, and refuse who has lost it', async () => {
    const first = await takeSeat();
    const other = payerBooks({ pool: books.pool, gasPaidBy: 'operator' });
    expect(await other.takeSeat('there')).toBeUndefined();
    await earn({ a: '5' });
    await prepareAll(first);
    // As if its connection had broken without its knowing, while it was stopped.
    await books.pool.query('UPDATE payer SET fence = fence + 1');
    await expect(sendAll(first)).rejects.toMatchObject({ code: 'seat-lost' });
    await first.close();
    const second = (await other.takeSeat('there')) ?? expect.fail('the seat is free');
    expect(await sendAll(second)).toHaveLength(1);
    await second.close();
  });

  it('wait for approvals of what stands in the batch, and prepare no second one meanwhile', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat, { approvalsNeeded: 2 });
    await earn({ b: '4' });
    expect(await prepareAll(seat)).toBeUndefined();
    const approve = (by: string, hash: string) =>
      books.pool.query('INSERT INTO payout_approval SELECT id, $1, $2 FROM payout', [by, hash]);
    await approve('anna', 'ab');
    await approve('bert', 'of another content');
    expect(await seat.open(9)).toEqual([]);
    await approve('carl', 'ab');
    expect(await seat.open(9)).toHaveLength(1);
  });

  it('prepare nothing of balances that are not what was planned with', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    const lines = [{ account: 'a', part: 0, chainId: 0, amount: coins('6') }];
    const batch = { lines, minimum: coins('1'), contentHash: '', by: 'test', ...NEVER };
    expect(await seat.prepare(batch)).toBeUndefined();
    expect(await balancesOf('balance')).toEqual({ a: '5' });
  });

  it('remember a pause with its first reason, what was read of chains, and whose coins they pay with', async () => {
    const seat = await takeSeat();
    await seat.pause({ kind: 'foreign-debit', says: 'first', evidence: { height: 9 } });
    await seat.pause({ kind: 'operator', says: 'second', evidence: {} });
    await seat.bind('k:aa', 'development');
    await seat.bind('k:aa', 'development');
    await expect(seat.bind('k:bb', 'development')).rejects.toThrow('are paid from k:aa on development');
    const read = { height: 9, hash: 'h9' };
    const seen = { chainId: 3, read, balance: coins('7'), credits: coins('2'), debits: 0n };
    await seat.sawChains([{ chainId: 3, head: { height: 12, timeS: 1 }, trouble: '', read: seen }]);
    await seat.sawChains([{ chainId: 3, head: undefined, trouble: 'nobody answers' }]);
    expect(await seat.state()).toMatchObject({
      ...{ account: 'k:aa', network: 'development', chains: [seen] },
      pause: {
        ...{ kind: 'foreign-debit', says: 'first; besides: second', by: 'the payer' },
        evidence: {
          height: 9,
          besides: [{ kind: 'operator', says: 'second', by: 'the payer', evidence: {} }],
        },
      },
    });
  });

  it('count what was sent within a day against the limits, and all that is on its way: prepared, unknown', async () => {
    await earn({ a: '5', b: '4' });
    const seat = await takeSeat();
    expect(await seat.spent()).toEqual({ lastDay: 0n, formerBatches: [] });
    await prepareAll(seat);
    // It waits for coins, or for its chain, and goes out the day that they come.
    expect((await seat.spent()).lastDay).toBe(coins('9'));
    const [a = expect.fail(), b = expect.fail()] = await sendAll(seat);
    await seat.found([paid(a.id), { id: b.id, now: 'unknown', why: '', evidence: {} }]);
    expect((await seat.spent()).lastDay).toBe(coins('9'));
  });

  it('know their own request keys', async () => {
    await earn({ a: '5' });
    const seat = await takeSeat();
    await prepareAll(seat);
    const [{ requestKey } = expect.fail()] = await sendAll(seat);
    expect(await seat.known([requestKey, 'foreign'])).toEqual(new Set([requestKey]));
  });
});

describe('the timeline', () => {
  const told = async () =>
    (await timelineBook(books.pool).readLines({ limit: 20 }))
      .filter(({ kind }) => kind !== 'payoutPrepared')
      .map(({ kind, says, by }) => [kind, says, by])
      .reverse();

  it('has a line of a batch that is paid, once, and of what failed or came back, and not one a payment', async () => {
    await earn({ a: '5', b: '4', c: '3' });
    const seat = await takeSeat();
    const name = (await prepareAll(seat)) ?? expect.fail();
    const [a = expect.fail(), b = expect.fail(), c = expect.fail()] = await sendAll(seat);
    await seat.found([paid(a.id), paid(b.id)]);
    expect(await told()).toEqual([]);
    await seat.found([
      { id: c.id, now: 'refused', place: PLACE, gasPaid: GAS, why: 'no guard', evidence: {} },
    ]);
    await seat.found([paid(a.id)]);
    const held = `payments of c in payout ${name} are held: no guard; 3.000000000000 are back in the balances`;
    const settled = `payout ${name} is paid on chain: 9.000000000000 to 2 accounts, for 0.000030000000 of gas; 1 payments are held`;
    expect(await told()).toEqual([
      ['paymentsHeld', held, null],
      ['payoutPaid', settled, null],
    ]);
    await seat.found([a, b].map(({ id }) => ({ id, now: 'sent', evidence: { left: 'h7' } })));
    const back = `payments of a and 1 others in payout ${name} have left the chain with their block: 9.000000000000 are on their way again`;
    expect((await told()).at(-1)).toEqual(['paymentsReturned', back, null]);
    await seat.found([paid(a.id), paid(b.id)]);
    expect((await told()).at(-1)).toEqual(['payoutPaid', settled, null]);
  });

  it('has a pause with its first reason, once, and what is found besides while it is paused, each once', async () => {
    const seat = await takeSeat();
    const pauses = [
      ...[['nodes-clock', '61 s'] as const, ['nodes-clock', '62 s'] as const],
      ...[['foreign-debit', '3 left'] as const, ['foreign-debit', '4 left'] as const],
      ['nodes-lag', 'old'] as const,
    ];
    for (const [kind, says] of [...pauses, ...pauses]) await seat.pause({ kind, says, evidence: {} });
    expect(await told()).toEqual([
      ['payoutsPaused', 'payouts are paused: 61 s', null],
      ['payoutsPaused', 'payouts are paused for one more reason: 3 left', null],
      ['payoutsPaused', 'payouts are paused for one more reason: 4 left', null],
      ['payoutsPaused', 'payouts are paused for one more reason: old', null],
    ]);
    expect((await seat.state()).pause).toMatchObject({
      ...{ kind: 'nodes-clock', says: '61 s; besides: 3 left; besides: 4 left; besides: old' },
    });
    for (let i = 0; i < 30; i++)
      await seat.pause({ kind: 'foreign-debit', says: `debit ${i}`, evidence: {} });
    expect((await seat.state()).pause?.evidence['besides']).toHaveLength(20);
  });
});

describe('what is under way', () => {
  it('is read in pages, all of it, by chain and age, with texts that were read before', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `account ${String(i).padStart(3, '0')}`);
    await inTransaction(books.pool, async (client) => {
      const ids = await accountIds(client, many);
      const lines = many.map((name) => ({
        accountId: ids.get(name) ?? 0,
        book: 'balance' as const,
        amount: coins('2'),
      }));
      const total = coins('600');
      await post(client, {
        cause: 'given',
        lines: [...lines, { accountId: OPERATOR_ID, book: 'rewards', amount: -total }],
      });
    });
    const seat = await takeSeat();
    await seat.prepare({
      lines: many.map((account, i) => ({ account, amount: coins('2'), part: 0, chainId: i % 3 })),
      ...{ minimum: coins('1'), contentHash: 'ab', by: 'test', ...NEVER },
    });
    const open = await seat.open(1_000);
    await seat.build(open.map(madeUp));
    const live = await seat.live();
    const expected = [...open].sort((a, b) => a.chainId - b.chainId || Number(a.id) - Number(b.id));
    expect(live.map(({ chainId, account }) => [chainId, account])).toEqual(
      expected.map(({ chainId, account }) => [chainId, account]),
    );
    expect(live.map(({ cmd }) => cmd)).toEqual(expected.map((one) => madeUp(one).cmd));
    const dead = live
      .slice(0, 100)
      .map(({ id }) => ({ id, now: 'dropped' as const, why: 'nobody has it', evidence: { test: 1 } }));
    await seat.found(dead);
    expect(await seat.live()).toEqual(live.slice(100));
  });
});
