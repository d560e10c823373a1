/** Payments on chain as the payer makes them in the books, without any chain. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import type {
  Finding,
  LiveTransaction,
  NewBatch,
  NewTransaction,
  OpenPayment,
  PayerSeat,
} from '../../../src/bridge/payouts/payer-books.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { payerBooks } from '../../../src/ledger/transactions/payer-books.js';
import { giveMoney } from '../books/money.js';

export const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(text);

/** Left when the test ends. */
export async function takeSeat(
  pool: pg.Pool,
  gasPaidBy: 'operator' | 'account' = 'operator',
): Promise<PayerSeat> {
  const seat = await payerBooks({ pool, gasPaidBy }).takeSeat('here');
  if (!seat) expect.fail('somebody else has the seat');
  onTestFinished(() => seat.close());
  return seat;
}

export async function earn(pool: pg.Pool, amounts: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(amounts)) await giveMoney(pool, name, coins(text));
}

/** All that is due, each whole, on chain 0, with the content hash `ab` where no other is given. */
export async function prepareAll(
  seat: PayerSeat,
  approvals: Partial<Pick<NewBatch, 'approvalFor' | 'approvalsNeeded' | 'contentHash'>> = {},
): Promise<string | undefined> {
  const due = await seat.due(coins('1'), 100);
  const lines = due.map(({ account, amount }) => ({ account, amount, part: 0, chainId: 0 }));
  const never = { approvalFor: undefined, approvalsNeeded: 0 };
  return seat.prepare({
    lines,
    minimum: coins('1'),
    contentHash: 'ab',
    by: 'test',
    ...never,
    ...approvals,
  });
}

/** As long as a real one; none begins with a sign that CSV has to defuse. */
function requestKeyOf(cmd: string): string {
  return `k${createHash('sha256').update(cmd).digest('base64url').slice(1)}`;
}

/** Of a text that no chain takes. */
export function madeUp({ id, attempt, chainId }: OpenPayment): NewTransaction {
  const cmd = `pays ${id} ${attempt}`;
  return {
    ...{
      paymentId: id,
      attempt,
      chainId,
      cmd,
      requestKey: requestKeyOf(cmd),
    },
    ...{ creationTimeS: 1000, ttlS: 900, gasLimit: 1000, gasPrice: coins('0.00000001') },
    birth: { height: 5, hash: 'h5' },
  };
}

/** Built, signed and sent, as the payer does it. */
export async function sendAll(seat: PayerSeat): Promise<readonly LiveTransaction[]> {
  await seat.build((await seat.open(100)).map(madeUp));
  const built = (await seat.live()).filter(({ state }) => state === 'built');
  const ids = built.map(({ id }) => id);
  await seat.asking(ids);
  await seat.keepSignatures(ids.map((id) => ({ id, sigs: ['00'] })));
  await seat.sending(ids);
  return (await seat.live()).filter(({ id }) => ids.includes(id));
}

export const PLACE = { height: 7, hash: 'h7' };
export const GAS = coins('0.00001');

export function paid(id: string): Finding {
  return { id, now: 'confirmed', place: PLACE, gasPaid: GAS, evidence: { node: 'n' } };
}
