/** What a finding does to the line of its transaction and to the books. Pure. */
import type { Finding } from '../../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../../core/money/amount.js';
import type { PaymentState } from '../../../operations/enums.js';
import type { RowOf } from '../../database/statements.js';
import { type Book, type Line, movedLines, OPERATOR_ID } from '../../settlement/posting.js';
import type { PaymentNews } from '../payment-news.js';
import { amountOf } from '../reads.js';
import type { SQL } from '../statements.js';
import type { MoneyMove } from './moves.js';

export type GasPayer = 'operator' | 'account';

/** The account out of whose balance it goes. */
export function whoseGas(gasPaidBy: GasPayer, accountId: number): number {
  return gasPaidBy === 'account' ? accountId : OPERATOR_ID;
}

type Taken = RowOf<typeof SQL.take>;

export interface Consequence {
  readonly paymentId: string;
  readonly state: PaymentState;
  readonly note: string;
  readonly moves?: MoneyMove & { readonly cause: string };
  /** Its batch. */
  readonly reopens?: string;
  readonly news?: PaymentNews;
  readonly holds?: { readonly accountId: number; readonly chainId: number | null; readonly why: string };
}

/** Attempts that may expire before the account waits for somebody to look. */
const MAX_ATTEMPTS = 5;

/** `undefined`: none. @param taken as it was before. */
export function consequenceOf(finding: Finding, taken: Taken, gasPaidBy: GasPayer): Consequence | undefined {
  const { id } = finding;
  const { paymentId, account, accountId, amount, chainId, payoutId, returns, revivals } = taken;
  const held = (why: string): Pick<Consequence, 'state' | 'note' | 'holds' | 'news'> => ({
    ...{ state: 'held', note: why, holds: { accountId, chainId, why } },
    news: { is: 'held', payoutId, account, amount, why },
  });
  const moved = (from: Book, to: Book): Line[] => movedLines(accountId, amount, from, to);
  const gasOf = (gas: Amount, whose = whoseGas(gasPaidBy, accountId)): Line[] =>
    movedLines(whose, formatAmount(gas), 'balance', 'gas');
  switch (finding.now) {
    case 'confirmed': {
      const lines = [...moved('paying', 'paid'), ...gasOf(finding.gasPaid)];
      const moves = { key: `tx ${id} confirmed ${returns}`, cause: 'payout confirmed', lines };
      return { paymentId, state: 'confirmed', note: '', moves };
    }
    case 'sent': {
      const back = gasOf(amountOf(taken.gasPaid ?? '0'), taken.gasOf ?? undefined);
      const gas = back.map((line) => ({ ...line, amount: -line.amount }));
      if (taken.state === 'refused') {
        // Its amount was given back, and may have been paid since: then the account owes it, should this one succeed now.
        const lines = [...moved('balance', 'paying'), ...gas];
        const moves = { key: `tx ${id} revived ${revivals + 1}`, cause: 'payout returned', lines };
        return { paymentId, state: 'sent', note: '', moves, reopens: payoutId };
      }
      // Somebody who has signed it may have sent it before us: from now on it is sent by us, too.
      if (taken.state !== 'confirmed')
        return taken.paymentState === 'prepared' ? { paymentId, state: 'sent', note: '' } : undefined;
      const lines = [...moved('paid', 'paying'), ...gas];
      const moves = { key: `tx ${id} returned ${returns + 1}`, cause: 'payout returned', lines };
      const news = { is: 'returned', payoutId, account, amount, why: '' } as const;
      return { paymentId, state: 'sent', note: '', moves, reopens: payoutId, news };
    }
    case 'refused': {
      const lines = [...moved('paying', 'balance'), ...gasOf(finding.gasPaid)];
      const moves = { key: `tx ${id} refused ${revivals}`, cause: 'payout failed', lines };
      return { paymentId, moves, ...held(finding.why) };
    }
    case 'expired':
    case 'dropped': {
      if (taken.isRejected) {
        const moves = {
          key: `line ${paymentId} rejected`,
          cause: 'payout failed',
          lines: moved('paying', 'balance'),
        };
        return { paymentId, state: 'failed', note: `its batch was rejected, and ${finding.why}`, moves };
      }
      // Another attempt, unless enough of them have come to nothing: then somebody should look at it.
      if (taken.attempts < MAX_ATTEMPTS)
        return { paymentId, state: 'prepared', note: `made anew: attempt ${taken.attempts} came to nothing` };
      const why = `${taken.attempts} attempts came to nothing; the last: ${finding.why}`;
      const moves = { key: `tx ${id} expired`, cause: 'payout failed', lines: moved('paying', 'balance') };
      return { paymentId, moves, ...held(why) };
    }
    case 'unknown':
      return { paymentId, state: 'unknown', note: finding.why };
    case 'included':
      return taken.state === 'unknown' ? { paymentId, state: 'sent', note: '' } : undefined;
    case 'final':
      return undefined;
  }
}
