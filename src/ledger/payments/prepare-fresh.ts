/** A payout of blocks that were on their chains a moment ago. */
import type pg from 'pg';
import type { Amount } from '../../core/money/amount.js';
import { databaseTime } from '../database/clocks.js';
import { type BookedPayout, findPrepared } from './payouts.js';
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
