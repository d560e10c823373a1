/** Payouts for who orders them of a bridge that runs. */
import type pg from 'pg';
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import type { Refused } from '../../bridge/orders/steering.js';
import { BooksAwayError, type Payout } from '../../bridge/watch/books-watch.js';
import type { Amount } from '../../core/amount.js';
import { databaseTime } from '../blocks/look-again.js';
import { LedgerError, outageOf } from '../database/errors.js';
import { type Batch, findPrepared, markBatch, preparePayout, readBatch } from './payouts.js';

export interface PayoutTerms {
  readonly minimum: Amount;
  /** Asks nodes for the blocks that balances come from, and writes down what they say. */
  look(): Promise<unknown>;
  readonly by: string;
}

/** The prepared batch, or one made from blocks that were on the chain a moment ago. Throws LedgerError `refused`. */
export async function prepareFresh(
  pool: pg.Pool,
  { minimum, look, by }: PayoutTerms,
): Promise<Batch | undefined> {
  const prepared = await findPrepared(pool);
  if (prepared) return prepared;
  const since = await databaseTime(pool);
  await look();
  return preparePayout(pool, minimum, since, by);
}

export interface DeskOptions extends Omit<PayoutTerms, 'by'> {
  readonly pool: pg.Pool;
}

export function openPayoutDesk({ pool, ...terms }: DeskOptions): PayoutDesk {
  return {
    prepare: (by) =>
      answered(async () => {
        const batch = await prepareFresh(pool, { ...terms, by });
        return { payout: batch && payoutOf(batch) };
      }),
    mark: (id, outcome, note, by) =>
      answered(async () => {
        if (!(await hasBatch(pool, id))) return { refused: 'unknown', why: `there is no payout ${id}` };
        return { payout: payoutOf(await markBatch(pool, id, outcome, note, by)) };
      }),
  };
}

/** Batches are never removed. */
async function hasBatch(pool: pg.Pool, id: string): Promise<boolean> {
  try {
    await readBatch(pool, id);
    return true;
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'refused') return false;
    throw error;
  }
}

/** What the books refuse is an outcome; all else is told as what it is. */
async function answered<T>(act: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    const told = outageOf(error);
    if (!(told instanceof LedgerError)) throw told;
    if (told.code === 'refused') return { refused: 'busy', why: told.message };
    throw new BooksAwayError('the ledger does not answer now: ask again in a moment', { cause: error });
  }
}

function payoutOf({ preparedAt, changedAt, lines, ...batch }: Batch): Payout {
  return {
    ...batch,
    preparedAtMs: Date.parse(preparedAt),
    changedAtMs: Date.parse(changedAt),
    accounts: lines.length,
  };
}
