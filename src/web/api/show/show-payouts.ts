/** A payout of the books, as the API writes it. */
import type { z } from 'zod';
import type { Payout } from '../../../bridge/watch/books-watch.js';
import type { PAYOUT } from '../schemas/book-schemas.js';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Of one with its lines all but those. */
export function showPayout(payout: Payout): z.output<typeof PAYOUT> {
  const { id, name, state, chainId, payments, preparedAtMs, changedAtMs, minimum, note, total, accounts } =
    payout;
  return {
    id,
    name,
    state,
    chainId,
    payments: { ...payments },
    preparedAt: iso(preparedAtMs),
    changedAt: iso(changedAtMs),
    minimum,
    note,
    total,
    accounts,
  };
}
