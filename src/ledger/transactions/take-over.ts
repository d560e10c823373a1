/** Payments that the chain has and restored books do not know of. Each is entered once: its request key is in the books then. */
import type pg from 'pg';
import type { DeadBefore, FoundPayment } from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { accountIds } from '../accounts/accounts.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { insertPayout } from '../payments/prepare.js';
import { type Line, movedLines, OPERATOR_ID } from '../settlement/posting.js';
import { type GasPayer, whoseGas } from './findings/consequences.js';
import { holdAccount, moveOnce } from './findings/moves.js';
import { tellEvents } from './payment-events.js';
import { SQL } from './statements.js';

/**
 * Within the caller's transaction. Resolves with how many are left for later: their line has an earlier attempt that is not known to be dead
 * here. Entered beside it, it would be paid again once that one is.
 */
export async function takeOver(
  client: pg.ClientBase,
  found: readonly FoundPayment[],
  gasPaidBy: GasPayer,
): Promise<number> {
  let left = 0;
  let batch: string | undefined;
  /** Of lines that these books do not have. */
  const batchOf = async (minimum: Amount): Promise<string> => {
    batch ??= await insertPayout(client, { minimum, by: 'reconcile' });
    return batch;
  };
  for (const payment of found) {
    if (await hasEarlier(client, payment)) left++;
    else await enter(client, payment, gasPaidBy, batchOf);
  }
  if (batch !== undefined) await run(client, SQL.closeFound, [batch]);
  await run(client, SQL.forgetKnown);
  return left;
}

interface Entered {
  readonly id: string;
  readonly accountId: number;
  /** Where its amount is until now. */
  readonly from: 'paying' | 'balance';
}

async function enter(
  client: pg.ClientBase,
  payment: FoundPayment,
  gasPaidBy: GasPayer,
  batchOf: (minimum: Amount) => Promise<string>,
): Promise<void> {
  const line = (await waitingLine(client, payment)) ?? (await newLine(client, payment, batchOf));
  const isPaid = payment.status === 'success';
  const gas = formatAmount(payment.gasPaid);
  const gasOf = whoseGas(gasPaidBy, line.accountId);
  const transaction = await rowOf(client, SQL.enterFound, [
    line.id,
    payment.attempt,
    payment.chainId,
    payment.cmd,
    payment.requestKey,
    payment.creationTimeS,
    payment.ttlS,
    payment.gasLimit,
    formatAmount(payment.gasPrice),
    payment.place.height - 1,
    payment.parent,
    isPaid ? 'confirmed' : 'refused',
    payment.place.height,
    payment.place.hash,
    gas,
    gasOf,
  ]);
  const amount = formatAmount(payment.amount);
  const to = isPaid ? 'paid' : 'balance';
  const lines: Line[] = [
    ...(to === line.from ? [] : movedLines(line.accountId, amount, line.from, to)),
    ...movedLines(gasOf, gas, 'balance', 'gas'),
  ];
  const key = `tx ${transaction?.id ?? ''} ${isPaid ? 'confirmed 0' : 'refused 0'}`;
  await moveOnce(client, isPaid ? 'payout confirmed' : 'payout failed', [{ key, lines }]);
  if (line.from === 'paying') {
    const state = isPaid ? 'confirmed' : 'held';
    await run(client, SQL.setPayments, [[line.id], [state], ['found on the chain']]);
    // As what these books saw fail themselves: it is not tried again before somebody has looked.
    if (!isPaid)
      await holdAccount(client, line.accountId, payment.chainId, 'its payment failed on the chain');
  }
  await tellEvents(client, [
    {
      ...{ paymentId: line.id, transactionId: transaction?.id ?? null, was: 'unknown to these books' },
      now: isPaid ? 'confirmed' : 'refused',
      evidence: { requestKey: payment.requestKey, place: payment.place, chainId: payment.chainId },
    },
  ]);
}

async function hasEarlier(client: pg.ClientBase, payment: FoundPayment): Promise<boolean> {
  const { paymentId, account, chainId, amount, attempt } = payment;
  const line = [paymentId, account, chainId, formatAmount(amount), attempt] as const;
  return (await rowOf(client, SQL.earlierAttempt, line)) !== undefined;
}

/** The same line, as it waits in these books. */
async function waitingLine(client: pg.ClientBase, payment: FoundPayment): Promise<Entered | undefined> {
  const { paymentId, account, chainId, amount } = payment;
  const same = await rowOf(client, SQL.sameLine, [paymentId, account, chainId, formatAmount(amount)]);
  return same && { id: same.id, accountId: same.accountId, from: 'paying' };
}

async function newLine(
  client: pg.ClientBase,
  { account, chainId, amount, status }: FoundPayment,
  batchOf: (minimum: Amount) => Promise<string>,
): Promise<Entered> {
  const accountId = (await accountIds(client, [account])).get(account) ?? OPERATOR_ID;
  const state = status === 'success' ? 'confirmed' : 'failed';
  const payout = await batchOf(amount);
  const added = await rowOf(client, SQL.addLine, [
    payout,
    accountId,
    chainId,
    formatAmount(amount),
    state,
    'found on the chain',
  ]);
  return { id: added?.id ?? '', accountId, from: 'balance' };
}

/** What is dead of payments that are not in these books concerns nobody here. Within the caller's transaction. */
export async function bury(client: pg.ClientBase, dead: readonly DeadBefore[]): Promise<void> {
  const [ids, attempts] = [dead.map(({ paymentId }) => paymentId), dead.map(({ attempt }) => attempt)];
  const known = new Set((await rowsOf(client, SQL.bury, [ids, attempts])).map(({ id }) => id));
  const events = dead
    .filter(({ paymentId }) => known.has(paymentId))
    .map(({ paymentId, attempt, requestKey, evidence }) => ({
      ...{ paymentId, transactionId: null, was: 'signed before', now: 'expired' },
      evidence: { ...evidence, attempt, requestKey },
    }));
  await tellEvents(client, events);
}
