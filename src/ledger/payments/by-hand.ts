/** What people book by hand: with who did it, and why. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { knownAccountId } from '../accounts/accounts.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { OPERATOR_ID, transfer, transferPayments } from '../settlement/transfers.js';
import { tellInBooks } from '../timeline.js';
import { refuseKnownKey } from './mark.js';
import { tellMarked } from './payout-news.js';
import { SQL } from './payouts.js';
import { insertPayout } from './prepare.js';

interface ByHand {
  readonly account: string;
  readonly amount: Amount;
  readonly note: string;
  readonly by: string;
}

/** From the operator to the account, or back where the amount is below zero. Resolves with what is due. Throws LedgerError `refused`. */
export async function correctBalance(pool: pg.Pool, { account, amount, note, by }: ByHand): Promise<string> {
  return inTransaction(pool, async (client) => {
    const id = await knownAccountId(client, account);
    const correction = await rowOf(client, SQL.correction, [by, note]);
    const [debit, credit] = amount > 0n ? [OPERATOR_ID, id] : [id, OPERATOR_ID];
    const size = amount > 0n ? amount : -amount;
    await transfer(client, [
      { code: 'correction', of: BigInt(correction?.id ?? 0), time: 1, debit, credit, amount: size },
    ]);
    const says = `account ${account} is corrected by ${formatAmount(amount)}: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'account correct', about: account }, by, says);
    return dueOf(client, id);
  });
}

interface EnteredPayment extends ByHand {
  readonly chainId: number | undefined;
  readonly requestKey: string | undefined;
}

/** As a payout of its own, which is sent. Throws LedgerError `refused`. */
export async function enterPayment(
  pool: pg.Pool,
  { account, amount, chainId, requestKey, note, by }: EnteredPayment,
): Promise<{ readonly payout: string; readonly due: string }> {
  return inTransaction(pool, async (client) => {
    const accountId = await knownAccountId(client, account);
    if (requestKey !== undefined) await refuseKnownKey(client, requestKey);
    const id = await insertPayout(client, { minimum: amount, chainId: chainId ?? null, by });
    const values = [
      id,
      [chainId ?? null],
      'sent',
      note,
      [accountId],
      [formatAmount(amount)],
      requestKey,
    ] as const;
    const payments = (await rowsOf(client, SQL.insertLines, values)).map((payment) => payment.id);
    await transferPayments(client, payments, true);
    const payout = await tellMarked(client, id, payments, { outcome: 'sent', note, by });
    return { payout, due: await dueOf(client, accountId) };
  });
}

async function dueOf(client: pg.ClientBase, id: number): Promise<string> {
  return (await rowOf(client, SQL.dueOf, [id]))?.due ?? formatAmount(0n);
}
