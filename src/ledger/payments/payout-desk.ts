/** Payouts for who orders them of a bridge that runs. */
import type pg from 'pg';
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import type { Amount } from '../../core/money/amount.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { Payout } from '../../operations/payouts.js';
import { databaseTime } from '../database/clocks.js';
import { LedgerError, outageOf } from '../database/errors.js';
import { askOf } from '../database/statements.js';
import { askForBatch } from '../transactions/view.js';
import { payoutOf } from '../watch/blocks.js';
import { markPayout } from './mark.js';
import { type BookedPayout, findPayout, findPrepared, namesPayout, noPayout } from './payouts.js';
import { preparePayout } from './prepare.js';

export interface PayoutTerms {
  readonly minimum: Amount;
  /** Where it is to be paid; nobody says when absent. */
  readonly chainId?: number | null;
  /** Asks nodes for the blocks that balances come from, and writes down what they say. */
  look(): Promise<unknown>;
  readonly by: string;
}

/** The prepared payout, or one made from blocks that were on the chain a moment ago. Throws LedgerError `refused`. */
export async function prepareFresh(
  pool: pg.Pool,
  { minimum, chainId = null, look, by }: PayoutTerms,
): Promise<BookedPayout | undefined> {
  const prepared = await findPrepared(pool, chainId);
  if (prepared) return prepared;
  const seenSince = await databaseTime(pool);
  await look();
  return preparePayout(pool, { minimum, chainId, seenSince, by });
}

export interface DeskOptions extends Omit<PayoutTerms, 'by'> {
  readonly pool: pg.Pool;
  /** A bridge pays on chain, and makes the batches. */
  readonly isOnChain?: boolean;
}

export function openPayoutDesk({ pool, isOnChain = false, ...terms }: DeskOptions): PayoutDesk {
  return {
    prepare: (by) =>
      answered(async () => {
        if (isOnChain) {
          await askForBatch(pool, by);
          return { payout: undefined, isAsked: true };
        }
        const payout = await prepareFresh(pool, { ...terms, by });
        return { payout: payout && (await shownPayout(pool, payout.id)), isAsked: false };
      }),
    mark: (id, outcome, note, by) =>
      answered(async () => {
        if (!namesPayout(id) || !(await findPayout(pool, id)))
          return { refused: 'unknown', why: `there is no payout ${id}` };
        return { payout: await shownPayout(pool, (await markPayout(pool, id, { outcome, note, by })).id) };
      }),
  };
}

/** What the books refuse is an outcome; all else is told as what it is. */
export async function answered<T>(act: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    const told = outageOf(error);
    if (!(told instanceof LedgerError)) throw told;
    if (told.code === 'refused') return { refused: 'busy', why: told.message };
    throw new BooksAwayError('the ledger does not answer now: ask again in a moment', { cause: error });
  }
}

/** As who looks sees it. */
export async function shownPayout(pool: pg.Pool, id: string): Promise<Payout> {
  const payout = await payoutOf(askOf(pool), id, { offset: 0, limit: 0 });
  if (!payout) throw noPayout(id);
  return payout;
}
