/**
 * Payouts, as an operator prepares and marks them while the bridge runs; implemented by the ledger. The same as
 * `stratum-bridge ledger payout` does beside it.
 *
 * Each rejects with `BooksAwayError` while the books do not answer. `by` names who orders it, for the timeline.
 */

import type { Refused } from '../../operations/entry/operation.js';
import type { PayoutState } from '../../operations/enums.js';
import type { Payout } from '../../operations/payouts.js';

export const PAYOUT_OUTCOMES = ['sent', 'failed', 'unknown'] as const satisfies readonly PayoutState[];
export type PayoutOutcome = (typeof PAYOUT_OUTCOMES)[number];

export interface PayoutDesk {
  /**
   * The payout that is prepared, or a new one of all balances from the minimum of the settings up; `undefined` when nothing is
   * due. Nodes are asked first whether the blocks that pay for it are still on their chains, which takes its time. Where a bridge pays on chain
   * it is asked for a batch, which it makes with its next round: `isAsked`.
   */
  prepare(by: string): Promise<{ readonly payout: Payout | undefined; readonly isAsked: boolean } | Refused>;
  /**
   * Says what became of a payout. `sent` and `failed` are final; `unknown` keeps the amounts on hold. The same again changes
   * nothing.
   *
   * @param note may be empty.
   */
  mark(
    id: string,
    outcome: PayoutOutcome,
    note: string,
    by: string,
  ): Promise<{ readonly payout: Payout } | Refused>;
}
