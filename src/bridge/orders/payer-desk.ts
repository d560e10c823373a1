/**
 * Payments on chain, as people order them while the bridge runs; implemented by the ledger. The same as `stratum-bridge ledger payout` does
 * beside it.
 *
 * Each rejects with `BooksAwayError` while the books do not answer. `by` names who orders it, for the timeline. What cannot be done any more
 * is refused with `busy`, and a sentence that says how it stands.
 */
import type { Amount } from '../../core/money/amount.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { Payout } from '../../operations/payouts.js';
import type { AccountHold, PayerReport } from '../watch/payer-watch.js';

export interface PayerDesk {
  /** Of a batch, by its number, and of what stands in it. Resolves with how many approvals are missing still. */
  approve(
    id: string,
    contentHash: string,
    by: string,
  ): Promise<{ readonly payout: Payout; readonly missing: number } | Refused>;
  /** Amounts are back in the balances, but of what may be on the chain: that is followed. Refused where that is all of it. */
  reject(id: string, note: string, by: string): Promise<{ readonly payout: Payout } | Refused>;
  pause(note: string, by: string): Promise<{ readonly payer: PayerReport } | Refused>;
  /** Refused while checks of money fail, and for restored books, unless it is wanted anyway. */
  resume(note: string, isAnyway: boolean, by: string): Promise<{ readonly payer: PayerReport } | Refused>;
  hold(
    order: HoldOrder,
    untilMs: number | undefined,
  ): Promise<{ readonly holds: readonly AccountHold[] } | Refused>;
  wish(wish: AccountWish): Promise<object | Refused>;
  allow(order: HoldOrder): Promise<{ readonly holds: readonly AccountHold[] } | Refused>;
}

/** Of whoever has the key of the account. */
export interface AccountWish {
  readonly account: string;
  /** It is paid from this balance on; absent: as everybody. */
  readonly minimum: Amount | undefined;
  /** Absent: any. */
  readonly chainId: number | undefined;
  /** In the wish: only a later one, by a minute, changes it again. */
  readonly atMs: number;
}

export interface HoldOrder {
  readonly account: string;
  /** Absent: all chains. */
  readonly chainId: number | undefined;
  readonly note: string;
  readonly by: string;
}
