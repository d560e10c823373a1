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
