/** Transactions that somebody signs elsewhere: given away, and taken back with signatures. */
import type pg from 'pg';
import type { Signature } from '../../bridge/payouts/payer-books.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import { tellEvents } from './payment-events.js';
import { SQL } from './statements.js';
import { keepPartial, keepSignatures, writeAsking } from './writes.js';

export interface Unsigned {
  readonly id: string;
  readonly paymentId: string;
  /** Name of its batch. */
  readonly payout: string;
  readonly chainId: number;
  readonly cmd: string;
  readonly requestKey: string;
  /** When it is too late, seconds of its chain's time; and that time, as the payer saw it last. */
  readonly untilS: number;
  readonly headS: number | undefined;
  readonly signatures: readonly Signature[];
}

interface GivenAway {
  readonly transactions: readonly Unsigned[];
  /** So many are past their time: the payer makes others in their place. */
  readonly late: number;
}

/** All that wait for signatures and are in time; that they were given away is in the books first. Refused while payouts are paused. */
export function giveAway(pool: pg.Pool, by: string): Promise<GivenAway> {
  return inTransaction(pool, async (client) => {
    const state = await rowOf(client, SQL.isPaused);
    if (state?.isPaused)
      throw new LedgerError(
        'refused',
        `payouts are paused, and nothing is given away to be signed: ${state.says}`,
      );
    const all = await unsigned(client);
    const transactions = all.filter(({ untilS, headS = 0 }) => headS < untilS);
    if (transactions.length > 0) {
      await writeAsking(
        client,
        transactions.map(({ id }) => id),
      );
      const says = `${by} takes ${transactions.length} payments away to have them signed`;
      await tellInBooks(
        client,
        'ordered',
        { order: 'export payments', about: namesOf(transactions) },
        by,
        says,
      );
    }
    return { transactions, late: all.length - transactions.length };
  });
}

/** Of one that came back. */
export interface BroughtBack {
  readonly requestKey: string;
  /** Of all signers, in their order; `undefined` while some are missing. */
  readonly sigs: readonly string[] | undefined;
  readonly signatures: readonly Signature[];
}

/**
 * @param read what has come, compared with all that wait; `undefined`: nothing of it is taken.
 * Resolves with whether it was.
 */
export function takeBack(
  pool: pg.Pool,
  by: string,
  read: (waiting: readonly Unsigned[]) => readonly BroughtBack[] | undefined,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const waiting = new Map((await unsigned(client)).map((one) => [one.requestKey, one]));
    const brought = read([...waiting.values()]);
    if (brought === undefined) return false;
    const taken = brought.flatMap((one) => {
      const own = waiting.get(one.requestKey);
      return own ? [{ ...one, id: own.id, paymentId: own.paymentId, payout: own.payout }] : [];
    });
    if (taken.length === 0) return true;
    const whole = taken.flatMap(({ sigs, ...one }) => (sigs ? [{ ...one, sigs }] : []));
    // Who has signed it has its bytes, however he came by them.
    await writeAsking(
      client,
      taken.map(({ id }) => id),
    );
    await keepSignatures(client, whole);
    await keepPartial(
      client,
      taken.filter(({ sigs }) => sigs === undefined),
    );
    await tellEvents(
      client,
      whole.map(({ id, paymentId }) => ({
        ...{ paymentId, transactionId: id, was: 'built', now: 'signed' },
        evidence: { signed: 'elsewhere' },
      })),
      by,
    );
    const says = `${by} brings signatures of ${taken.length} payments, ${whole.length} of them complete`;
    await tellInBooks(client, 'ordered', { order: 'import payments', about: namesOf(taken) }, by, says);
    return true;
  });
}

async function unsigned(client: pg.ClientBase): Promise<Unsigned[]> {
  const rows = await rowsOf(client, SQL.unsigned);
  return rows.map(({ partial, headS, ...row }) => ({
    ...row,
    headS: headS ?? undefined,
    signatures: partial ?? [],
  }));
}

function namesOf(all: readonly { readonly payout: string }[]): string {
  return [...new Set(all.map(({ payout }) => payout))].join(', ');
}
