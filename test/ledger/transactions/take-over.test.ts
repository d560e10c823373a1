/** Payments that the chain has and restored books do not know of. */
import { beforeEach, expect, it } from 'vitest';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../helpers/books/money.js';
import { earn, GAS, PLACE, prepareAll, sendAll, takeSeat } from '../../helpers/payouts/chain-payments.js';

const books = useBooks();
beforeEach(() => books.empty());

it('waits with an attempt that is found while an earlier one of its line may still come, and enters it then', async () => {
  await earn(books.pool, { a: '5' });
  const seat = await takeSeat(books.pool);
  await prepareAll(seat);
  const [first = expect.fail()] = await sendAll(seat);
  const { paymentId, chainId, account, amount, creationTimeS, ttlS, gasLimit, gasPrice } = first;
  const second = {
    ...{
      paymentId,
      chainId,
      account,
      amount,
      ttlS,
      gasLimit,
      gasPrice,
      attempt: 2,
      status: 'success' as const,
    },
    ...{ requestKey: 'key 2', cmd: 'pays again', creationTimeS: creationTimeS + ttlS },
    ...{ gasPaid: GAS, place: PLACE, parent: 'h6' },
  };
  expect(await seat.takeOver([second])).toBe(1);
  expect(await coinsIn(books.pool, 'paying')).toEqual({ a: '5' });
  expect(await coinsIn(books.pool, 'paid')).toEqual({});
  const evidence = { from: 1, to: 9 };
  await seat.found([{ id: first.id, now: 'expired', why: 'it is in no block', evidence }]);
  expect(await seat.takeOver([second])).toBe(0);
  expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '5' });
  expect(await coinsIn(books.pool, 'paying')).toEqual({});
  expect(await coinsIn(books.pool, 'balance')).toEqual({ operator: '-0.00001' });
  await expectProved(books.pool);
});

it('holds a line of which an attempt is found that failed, as if these books had seen it; should its block leave, all of it is undone', async () => {
  await earn(books.pool, { a: '5' });
  const seat = await takeSeat(books.pool);
  await prepareAll(seat);
  const [{ id: paymentId, chainId, account, amount } = expect.fail()] = await seat.open(9);
  const found = {
    ...{ paymentId, chainId, account, amount, attempt: 1, status: 'failure' as const, gasPaid: GAS },
    ...{ requestKey: 'key 1', cmd: 'pays', creationTimeS: 1000, ttlS: 900, gasLimit: 1000, gasPrice: 1n },
    ...{ place: PLACE, parent: 'h6' },
  };
  expect(await seat.takeOver([found])).toBe(0);
  expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5', operator: '-0.00001' });
  expect(await seat.open(9)).toEqual([]);
  expect(await seat.due(1n, 9)).toEqual([]);
  await expectProved(books.pool);
  const [{ id } = expect.fail()] = await seat.live();
  await seat.found([{ id, now: 'sent', evidence: { left: 'h7' } }]);
  expect(await coinsIn(books.pool, 'paying')).toEqual({ a: '5' });
  expect(await coinsIn(books.pool, 'balance')).toEqual({});
  await expectProved(books.pool);
  await seat.found([{ id, now: 'confirmed', place: PLACE, gasPaid: GAS, evidence: { node: 'n' } }]);
  expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '5' });
  await expectProved(books.pool);
});
