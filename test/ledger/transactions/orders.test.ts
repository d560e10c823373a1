/** What people order of payments on chain: each order does what it says, once, and each refusal says why and changes nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PayerSeat } from '../../../src/bridge/payouts/payer-books.js';
import { insertPayout } from '../../../src/ledger/payments/prepare.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import {
  allowByOrder,
  approveBatch,
  holdByOrder,
  listBatches,
  listHolds,
  pauseByOrder,
  readBatch,
  rejectBatch,
  resumePayer,
  takeWish,
} from '../../../src/ledger/transactions/orders.js';
import { useBooks } from '../../helpers/books/books.js';
import { eventsIn, linesIn } from '../../helpers/books/lists.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import {
  coins,
  earn,
  madeUp,
  paid,
  prepareAll,
  sendAll,
  takeSeat,
} from '../../helpers/payouts/chain-payments.js';

const books = useBooks();
beforeEach(() => books.empty());

/** A batch of `a` and `b` that waits for approvals. */
async function waiting(approvalsNeeded = 1): Promise<{ readonly seat: PayerSeat; readonly name: string }> {
  await earn(books.pool, { a: '5', b: '4' });
  const seat = await takeSeat(books.pool);
  const approvalFor = 'each batch waits for somebody';
  const name = await prepareAll(seat, { approvalsNeeded, approvalFor });
  return { seat, name: name ?? expect.fail('nothing prepared') };
}

async function told(): Promise<(readonly [by: string | null, says: string])[]> {
  const lines = await timelineBook(books.pool).readLines({ limit: 20, kinds: ['ordered', 'payoutsPaused'] });
  return lines.map(({ by, says }) => [by, says] as const).reverse();
}

const dueNow = async (seat: PayerSeat) =>
  (await seat.due(coins('1'), 9)).map(({ account }) => account).sort();

describe('an approval', () => {
  it('is of one batch and of what stands in it, and says how many are missing', async () => {
    const { seat, name } = await waiting(2);
    expect(await approveBatch(books.pool, name, 'ab', 'anna')).toBe(1);
    expect(await approveBatch(books.pool, name, 'ab', 'anna')).toBe(1);
    expect(await seat.open(9)).toEqual([]);
    expect(await approveBatch(books.pool, name, 'ab', 'bert')).toBe(0);
    expect((await seat.open(9)).map(({ account }) => account)).toEqual(['a', 'b']);
    expect(await readBatch(books.pool, name)).toMatchObject({ approvals: 2, approvalsNeeded: 2 });
    expect((await told()).at(-1)).toEqual(['bert', `payout ${name} is approved by bert: 2 of 2`]);
  });

  it('of another content is refused, and names the content that is there', async () => {
    const { seat, name } = await waiting();
    await expect(approveBatch(books.pool, name, 'cd', 'anna')).rejects.toThrow(
      `payout ${name} has the content hash ab, and not cd`,
    );
    expect(await seat.open(9)).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('counts no more once the content is another', async () => {
    const { seat, name } = await waiting();
    await approveBatch(books.pool, name, 'ab', 'anna');
    await books.pool.query("UPDATE payout SET content_hash = 'cd'");
    expect(await seat.open(9)).toEqual([]);
    expect(await readBatch(books.pool, name)).toMatchObject({ approvals: 0 });
  });

  it('is refused where there is nothing to approve', async () => {
    await earn(books.pool, { a: '5' });
    const seat = await takeSeat(books.pool);
    const name = (await prepareAll(seat)) ?? expect.fail();
    const approve = (which: string) => approveBatch(books.pool, which, 'ab', 'anna');
    await expect(approve(name)).rejects.toThrow(`payout ${name} waits for nobody's approval`);
    await expect(approve('3f9ea-77')).rejects.toThrow('there is no payout 3f9ea-77');
    await expect(approve('no name')).rejects.toThrow('a payout has a name such as 3f9ea-7 or a number');
    const [{ id } = expect.fail()] = await sendAll(seat);
    await seat.found([paid(id)]);
    await expect(approve(name)).rejects.toThrow(`payout ${name} is settled`);
  });

  it('is none of a payout that is paid by hand', async () => {
    const id = await insertPayout(books.pool as never, { minimum: coins('1'), by: 'test' });
    await expect(approveBatch(books.pool, id, 'ab', 'anna')).rejects.toThrow('is paid by hand');
    await expect(rejectBatch(books.pool, id, 'no', 'anna')).rejects.toThrow('is paid by hand');
    await expect(readBatch(books.pool, id)).rejects.toThrow('is paid by hand: `ledger payout show');
  });
});

describe('a rejection', () => {
  it('puts amounts back, closes the batch, and is told with its reason of each payment', async () => {
    const { seat, name } = await waiting();
    const [line = expect.fail()] = await linesIn(books.pool);
    await rejectBatch(books.pool, name, 'wrong rates', 'anna');
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5', b: '4' });
    expect(await coinsIn(books.pool, 'paying')).toEqual({});
    expect(await readBatch(books.pool, name)).toMatchObject({
      ...{ isRejected: true, isClosed: true, note: 'wrong rates' },
      payments: { prepared: 0, failed: 2 },
    });
    expect(await told()).toEqual([['anna', `payout ${name} is rejected by anna: wrong rates`]]);
    expect(await eventsIn(books.pool, line.id)).toMatchObject([
      { by: 'anna', was: 'prepared', now: 'failed', evidence: { why: 'rejected: wrong rates' } },
    ]);
    await expectProved(books.pool);
    // What was rejected is due again.
    expect(await dueNow(seat)).toEqual(['a', 'b']);
    expect(await prepareAll(seat)).toBeDefined();
  });

  it('happens once, and ends approvals', async () => {
    const { name } = await waiting();
    await rejectBatch(books.pool, name, 'no', 'anna');
    const was = `payout ${name} was rejected`;
    await expect(rejectBatch(books.pool, name, 'no', 'anna')).rejects.toThrow(was);
    await expect(approveBatch(books.pool, name, 'ab', 'bert')).rejects.toThrow(was);
    await expect(rejectBatch(books.pool, '99', 'no', 'anna')).rejects.toThrow('there is no payout 99');
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5', b: '4' });
  });

  /** Payment of `a` was given to somebody who signs, that of `b` was not. */
  async function halfAsked() {
    const { seat, name } = await waiting();
    await approveBatch(books.pool, name, 'ab', 'anna');
    const [a = expect.fail()] = await seat.open(9);
    await seat.build([madeUp(a)]);
    const ids = (await seat.live()).map(({ id }) => id);
    await seat.asking(ids);
    const rejected = await rejectBatch(books.pool, name, 'the signer refuses', 'anna');
    return { seat, name, ids, rejected, id: ids[0] ?? expect.fail() };
  }

  it('follows what somebody was asked to sign, and takes it back once it is proven that nobody has it', async () => {
    const { seat, name, ids, id, rejected } = await halfAsked();
    expect(rejected).toEqual({ returned: 1, followed: 1 });
    expect(await coinsIn(books.pool, 'balance')).toEqual({ b: '4' });
    expect(await coinsIn(books.pool, 'paying')).toEqual({ a: '5' });
    expect(await readBatch(books.pool, name)).toMatchObject({ isRejected: true, isClosed: false });
    expect((await told()).at(-1)?.[1]).toContain('1 payments may be on the chain, and are followed');
    // Nobody is asked again, and nothing is sent that was not.
    expect((await seat.live()).map(({ isRejected }) => isRejected)).toEqual([true]);
    await expect(seat.asking(ids)).rejects.toThrow('were dropped meanwhile');
    await seat.keepSignatures([{ id, sigs: ['00'] }]);
    expect(await seat.sending(ids)).toEqual(new Set());
    expect((await seat.live()).map(({ state }) => state)).toEqual(['signed']);
    await expectProved(books.pool);
    expect(await seat.faults()).toEqual([]);
    // Another batch may be made beside it.
    expect(await prepareAll(seat)).toBeDefined();
    await seat.found([{ id, now: 'expired', why: 'no block has it', evidence: { height: 9 } }]);
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5' });
    expect(await readBatch(books.pool, name)).toMatchObject({
      ...{ isRejected: true, isClosed: true, payments: { failed: 2 } },
    });
    expect((await seat.open(9)).map(({ account }) => account)).toEqual(['b']);
    await expectProved(books.pool);
    expect(await seat.faults()).toEqual([]);
  });

  it('leaves paid what was on the chain after all', async () => {
    const { seat, name, id } = await halfAsked();
    await seat.keepSignatures([{ id, sigs: ['00'] }]);
    await seat.found([paid(id)]);
    expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '5' });
    expect(await readBatch(books.pool, name)).toMatchObject({ isRejected: true, isClosed: true });
    await expectProved(books.pool);
  });

  it('leaves paid what was on the chain though nobody has brought its signatures back', async () => {
    const { seat, name, id } = await halfAsked();
    await seat.found([{ id, now: 'included', place: { height: 7, hash: 'h7' }, evidence: {} }]);
    expect((await seat.live()).map(({ state }) => state)).toEqual(['included']);
    await expectProved(books.pool);
    await seat.found([paid(id)]);
    expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '5' });
    expect(await readBatch(books.pool, name)).toMatchObject({ isRejected: true, isClosed: true });
    await expectProved(books.pool);
  });

  it('is refused where all was sent', async () => {
    const { seat, name } = await waiting();
    await approveBatch(books.pool, name, 'ab', 'anna');
    await sendAll(seat);
    await expect(rejectBatch(books.pool, name, 'too late', 'anna')).rejects.toThrow(
      `all payments of payout ${name} were sent`,
    );
  });

  it('between two steps of the payer leaves nothing to be signed', async () => {
    const { seat, name } = await waiting();
    await approveBatch(books.pool, name, 'ab', 'anna');
    const [a = expect.fail(), b = expect.fail()] = await seat.open(9);
    await seat.build([madeUp(a)]);
    const built = (await seat.live()).map(({ id }) => id);
    await rejectBatch(books.pool, name, 'stop', 'anna');
    // The payer does not know of it yet.
    await seat.build([madeUp(b)]);
    await expect(seat.asking(built)).rejects.toThrow('were dropped meanwhile');
    expect(await seat.live()).toEqual([]);
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5', b: '4' });
    await expectProved(books.pool);
  });
});

describe('a pause by order', () => {
  it('stops all that is new, whatever the payer has begun, and lets what is on its way go on', async () => {
    await earn(books.pool, { a: '5', b: '4' });
    const seat = await takeSeat(books.pool);
    await prepareAll(seat);
    const [a = expect.fail(), b = expect.fail()] = await seat.open(9);
    await seat.build([madeUp(a)]);
    const ids = (await seat.live()).map(({ id }) => id);
    await seat.asking(ids);
    await pauseByOrder(books.pool, 'I look first', 'anna');
    for (const step of [() => seat.build([madeUp(b)]), () => seat.asking(ids), () => prepareAll(seat)])
      await expect(step()).rejects.toThrow('payouts are paused');
    await seat.keepSignatures(ids.map((id) => ({ id, sigs: ['00'] })));
    await expect(seat.sending(ids)).rejects.toThrow('payouts are paused');
    expect((await seat.live()).map(({ state }) => state)).toEqual(['signed']);
    // It may be on the chain all the same: who has signed may have sent.
    await seat.found(ids.map(paid));
    expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '5' });
    expect(await told()).toEqual([['anna', 'payouts are paused: I look first']]);
  });

  it('keeps its first reason, and ends by name of who resumes', async () => {
    const seat = await takeSeat(books.pool);
    expect(await resumePayer(books.pool, 'nothing to do', 'bert')).toBeUndefined();
    await seat.pause({ kind: 'foreign-debit', says: '3 left the account', evidence: { height: 9 } });
    await pauseByOrder(books.pool, 'I look first', 'anna');
    const { pause } = await seat.state();
    expect(pause).toMatchObject({ kind: 'foreign-debit', by: 'the payer', evidence: { height: 9 } });
    const former = await resumePayer(books.pool, 'it was me', 'bert');
    const says = '3 left the account; besides: I look first';
    expect(former).toEqual({ kind: 'foreign-debit', says, accepted: [] });
    expect((await seat.state()).pause).toBeUndefined();
    expect((await told()).at(-1)).toEqual(['bert', `payouts go on (it was me); they were paused: ${says}`]);
  });
});

describe('who resumes', () => {
  it('ends the pause that he has looked at, and no other one that has come meanwhile', async () => {
    const seat = await takeSeat(books.pool);
    const looked = async () => (await seat.state()).pause ?? expect.fail('nothing is paused');
    await pauseByOrder(books.pool, 'I move house', 'anna');
    const first = await looked();
    await seat.pause({ kind: 'foreign-debit', says: '3 left the account', evidence: {} });
    const resumed = () => resumePayer(books.pool, 'I have moved', 'anna', first);
    await expect(resumed()).rejects.toThrow('I move house; besides: 3 left the account');
    await resumePayer(books.pool, 'I know of both', 'bert', await looked());
    expect(await resumed()).toBeUndefined();
    await pauseByOrder(books.pool, 'I move house', 'anna');
    await expect(resumed()).rejects.toThrow('there is another reason by now');
    expect((await looked()).says).toBe('I move house');
  });
});

describe('a hold by order', () => {
  const order = { account: 'a', chainId: undefined, note: 'asked us to wait', by: 'anna' };

  it('keeps an account out until it is allowed', async () => {
    await earn(books.pool, { a: '5', b: '4' });
    const seat = await takeSeat(books.pool);
    await holdByOrder(books.pool, order, undefined);
    expect(await dueNow(seat)).toEqual(['b']);
    expect(await listHolds(books.pool, 9)).toMatchObject([
      { account: 'a', chainId: null, untilMs: null, note: 'asked us to wait', by: 'anna' },
    ]);
    expect(await allowByOrder(books.pool, { ...order, by: 'bert' })).toBe(true);
    expect(await allowByOrder(books.pool, order)).toBe(false);
    expect(await dueNow(seat)).toEqual(['a', 'b']);
    expect(await listHolds(books.pool, 9)).toEqual([]);
    expect((await told()).map(([by]) => by)).toEqual(['anna', 'bert']);
  });

  it('brings back what is prepared for it, of one chain or of all', async () => {
    await earn(books.pool, { a: '5', b: '4' });
    const seat = await takeSeat(books.pool);
    const lineOf = (account: string, part: number, amount: string, chainId: number) => ({
      ...{ account, part, chainId, amount: coins(amount) },
    });
    const lines = [lineOf('a', 1, '3', 2), lineOf('a', 2, '2', 3), lineOf('b', 1, '4', 2)];
    const batch = { minimum: coins('1'), contentHash: 'ab', approvalFor: undefined, approvalsNeeded: 0 };
    expect(await seat.prepare({ lines, ...batch, by: 'test' })).toEqual(expect.any(String));
    await holdByOrder(books.pool, { ...order, chainId: 2 }, undefined);
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '3' });
    const states = async () =>
      (await linesIn(books.pool)).map(({ account, state, note }) => [account, state, note]);
    expect(await states()).toEqual([
      ['a', 'held', 'its account is held: asked us to wait'],
      ['a', 'prepared', ''],
      ['b', 'prepared', ''],
    ]);
    await holdByOrder(books.pool, order, undefined);
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5' });
    expect((await seat.open(9)).map(({ account }) => account)).toEqual(['b']);
    expect(await allowByOrder(books.pool, order)).toBe(true);
    expect(await dueNow(seat)).toEqual(['a']);
    await expectProved(books.pool);
  });

  it('ends by itself, and a later one takes the place of the first', async () => {
    await earn(books.pool, { a: '5' });
    const seat = await takeSeat(books.pool);
    await holdByOrder(books.pool, order, new Date('2000-01-01'));
    expect(await dueNow(seat)).toEqual(['a']);
    await holdByOrder(books.pool, { ...order, note: 'again' }, new Date('2999-01-01'));
    expect(await dueNow(seat)).toEqual([]);
    expect(await listHolds(books.pool, 9)).toMatchObject([{ note: 'again' }]);
  });

  it('of one chain leaves others, and is allowed by its chain or with all', async () => {
    await earn(books.pool, { a: '5' });
    const seat = await takeSeat(books.pool);
    await takeWish(books.pool, { account: 'a', minimum: undefined, chainId: 3, atMs: 1 });
    await holdByOrder(books.pool, { ...order, chainId: 2 }, undefined);
    expect(await dueNow(seat)).toEqual(['a']);
    await holdByOrder(books.pool, { ...order, chainId: 3 }, undefined);
    expect(await dueNow(seat)).toEqual([]);
    expect(await allowByOrder(books.pool, { ...order, chainId: 3 })).toBe(true);
    expect(await dueNow(seat)).toEqual(['a']);
    expect(await allowByOrder(books.pool, order)).toBe(true);
    expect(await listHolds(books.pool, 9)).toEqual([]);
  });

  it('is of accounts that are in the books, and makes none', async () => {
    const slip = { ...order, account: 'alcie' };
    await expect(holdByOrder(books.pool, slip, undefined)).rejects.toThrow(
      'the books have no account "alcie"',
    );
    await expect(allowByOrder(books.pool, slip)).rejects.toThrow('the books have no account "alcie"');
    const { rows } = await books.pool.query("SELECT FROM account WHERE name = 'alcie'");
    expect(rows).toEqual([]);
  });
});

describe('a wish', () => {
  it('sets minimum and chain of its account, and only a newer one changes it again', async () => {
    await earn(books.pool, { a: '5', b: '4' });
    const seat = await takeSeat(books.pool);
    const wish = { account: 'a', minimum: coins('4.5'), chainId: 3, atMs: 200_000 };
    expect(await takeWish(books.pool, wish)).toBe(true);
    expect(await takeWish(books.pool, { ...wish, minimum: coins('1') })).toBe(false);
    expect(await takeWish(books.pool, { ...wish, minimum: coins('1'), atMs: 259_999 })).toBe(false);
    const of = async (name: string) =>
      (await seat.due(coins('1'), 9)).find(({ account }) => account === name);
    expect(await of('a')).toMatchObject({ minimum: coins('4.5'), wishedChain: 3 });
    expect(await takeWish(books.pool, { ...wish, minimum: coins('6'), atMs: 260_000 })).toBe(true);
    expect(await dueNow(seat)).toEqual(['b']);
    expect(
      await takeWish(books.pool, { account: 'a', minimum: undefined, chainId: undefined, atMs: 900_000 }),
    ).toBe(true);
    expect(await of('a')).toMatchObject({ minimum: coins('1'), wishedChain: undefined });
    // It is told, and pushes out no order of an operator.
    const wishes = await timelineBook(books.pool).readLines({ limit: 9, kinds: ['payoutWish'] });
    expect(wishes.map(({ by }) => by)).toEqual([null, null, null]);
  });

  it('of an account that is not in the books makes none', async () => {
    const wish = { account: 'stranger', minimum: undefined, chainId: 0, atMs: 1 };
    await expect(takeWish(books.pool, wish)).rejects.toThrow('the books have no account "stranger"');
  });
});

describe('lists', () => {
  it('show batches, lines and events from the latest or first on, with what pays each', async () => {
    const { seat, name } = await waiting();
    await approveBatch(books.pool, name, 'ab', 'anna');
    const [sent = expect.fail()] = await sendAll(seat);
    await seat.found([paid(sent.id)]);
    expect(await listBatches(books.pool, 9, true)).toMatchObject([
      {
        name,
        contentHash: 'ab',
        isClosed: false,
        total: '9.000000000000',
        payments: { confirmed: 1, sent: 1 },
      },
    ]);
    const { id } = await readBatch(books.pool, name);
    const lines = await linesIn(books.pool, id);
    expect(lines).toMatchObject([
      {
        ...{ account: 'a', part: 0, chainId: 0, state: 'confirmed', transaction: 'confirmed', attempt: 1 },
        ...{ requestKey: sent.requestKey, blockHeight: 7, blockHash: 'h7', gasPaid: '0.000010000000' },
      },
      { account: 'b', state: 'sent', transaction: 'sent', blockHeight: null, gasPaid: null },
    ]);
    expect(await linesIn(books.pool, '99')).toEqual([]);
    const events = await eventsIn(books.pool, lines[0]?.id ?? '');
    expect(events.map(({ was, now }) => [was, now])).toEqual([
      ['sent', 'confirmed'],
      ['signed', 'sent'],
      ['planned', 'built'],
    ]);
  });
});
