/** Transactions that somebody signs elsewhere: given away, and taken back with signatures. */
import type pg from 'pg';
import type { OpenTransaction } from '../../bridge/payouts/payer-books.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import { SQL } from './transactions.js';

export type Unsigned = RowOf<typeof SQL.unsigned>;

interface GivenAway {
  readonly transactions: readonly Unsigned[];
  /** So many are past their time: others are made in their place. */
  readonly late: number;
}

/** All that wait for signatures, of accounts that are not held, and are in time; that they were given away is in the books first. Throws LedgerError `refused` while payments are paused. */
export function giveAway(pool: pg.Pool, by: string): Promise<GivenAway> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.roleNow);
    if ((await rowOf(client, SQL.isPaused))?.isPaused)
      throw new LedgerError(
        'refused',
        'payments are paused, and nothing is given away to be signed: `ledger payout status` says why',
      );
    const all = (await rowsOf(client, SQL.unsigned)).filter(({ isHeld }) => !isHeld);
    const transactions = all.filter(({ cursorMs, untilMs }) => cursorMs < untilMs);
    if (transactions.length > 0) {
      await run(client, SQL.asking, [transactions.map(({ id }) => id)]);
      const says = `${by} takes ${transactions.length} payments away to have them signed`;
      await tellInBooks(client, 'ordered', { order: 'payout export', about: '' }, by, says);
    }
    return { transactions, late: all.length - transactions.length };
  });
}

/** Of one that came back. */
interface BroughtBack {
  readonly requestKey: string;
  readonly signatures: OpenTransaction['signatures'];
  /** These are all. */
  readonly isSigned: boolean;
}

/** @param read what has come, compared with all that wait. */
export function takeBack(
  pool: pg.Pool,
  by: string,
  read: (waiting: readonly Unsigned[]) => readonly BroughtBack[],
): Promise<void> {
  return inTransaction(pool, async (client) => {
    const waiting = await rowsOf(client, SQL.unsigned);
    const ids = new Map(waiting.map(({ requestKey, id }) => [requestKey, id]));
    const brought = read(waiting);
    if (brought.length === 0) return;
    for (const { requestKey, signatures, isSigned } of brought)
      await run(client, SQL.sign, [ids.get(requestKey), JSON.stringify(signatures), isSigned]);
    const whole = brought.filter(({ isSigned }) => isSigned).length;
    const says = `${by} brings signatures of ${brought.length} payments, ${whole} of them complete`;
    await tellInBooks(client, 'ordered', { order: 'payout import', about: '' }, by, says);
  });
}
