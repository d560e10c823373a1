/** New batches: what is due by the schedule is spread over the chains, compared with the limits, and prepared. */
import type { LiveTransaction, PayerState } from '../../bridge/payouts/payer-books.js';
import type { LookedAt } from './look.js';
import type { Round } from './parts.js';

export async function planNext(
  _round: Round,
  _state: PayerState,
  _chains: ReadonlyMap<number, LookedAt>,
  _live: readonly LiveTransaction[],
): Promise<void> {}
