/** Payouts in words. */
import type { AccountDetails, ChainTransaction, PaidLine, Payout } from '../reading/answers.js';
import { csv } from './csv.js';
import { count } from './numbers.js';

interface StateWords {
  /** By which it is coloured. */
  readonly of: string;
  readonly words: string;
}

/** Of single payments. What is only sent is never called paid. */
export const PAYMENT_STATES: Readonly<Record<PaidLine['state'], string>> = {
  prepared: 'planned',
  sent: 'sent',
  confirmed: 'confirmed',
  failed: 'failed',
  unknown: 'unknown',
};

export function payoutState(payout: Payout): StateWords {
  const { state, hash, payments } = payout;
  if (waitsForPeople(payout)) return { of: 'prepared', words: 'to approve' };
  if (state === 'prepared' && hash !== null) return { of: 'sent', words: 'under way' };
  if (state !== 'sent') return { of: state, words: PAYMENT_STATES[state] };
  return payments.sent > 0 ? { of: 'sent', words: 'sent' } : { of: 'confirmed', words: 'settled' };
}

/** @param transaction the latest that makes it, where one is known. */
export function lineState({ state }: PaidLine, transaction: ChainTransaction | undefined): StateWords {
  if (state === 'prepared' && transaction?.state === 'open')
    return transaction.sentAt === null ? { of: 'prepared', words: 'signed' } : { of: 'sent', words: 'sent' };
  return { of: state, words: PAYMENT_STATES[state] };
}

interface Step {
  readonly words: string;
  readonly count: string;
  readonly isDone: boolean;
}

/** How far a payout is. @param underWay payments that were sent and that no block is known to have. */
export function stepsOf({ hash, payments, approvals, approvedBy }: Payout, underWay: number): Step[] {
  const { prepared, sent, confirmed, failed, unknown } = payments;
  const all = prepared + sent + confirmed + failed + unknown;
  const of = (words: string, done: number): Step => ({ words, count: count(done), isDone: done >= all });
  const ends = [of('unknown', unknown), of('failed', failed)].filter(({ count }) => count !== '0');
  return [
    of('planned', all),
    ...(approvals === 0 ? [] : [approvedOf(approvedBy.length, approvals)]),
    of('sent', sent + confirmed + underWay),
    of(hash === null ? 'confirmed' : 'in a block', confirmed),
    ...ends,
  ];
}

function approvedOf(has: number, wanted: number): Step {
  return { words: 'approved', count: `${has} of ${wanted}`, isDone: has >= wanted };
}

/** It is to be paid on chain, and somebody has to approve it first. */
export function waitsForPeople({ hash, state, approvals, approvedBy }: Payout): boolean {
  return hash !== null && state === 'prepared' && approvedBy.length < approvals;
}

type Line = {
  readonly account: string;
  readonly chainId: number | null;
  readonly amount: string;
  readonly state: string;
};

/** What is to be paid, or where nothing is any more all of it: `batch,account,amount,chain`, the first of which is the payout's name, as `stratum-bridge ledger payout` writes it. */
export function payoutCsv(name: string, lines: readonly Line[]): string {
  const open = lines.filter(({ state }) => state === 'prepared');
  return csv([
    ['batch', 'account', 'amount', 'chain'],
    ...(open.length > 0 ? open : lines).map(({ account, amount, chainId }) => [
      name,
      account,
      amount,
      chainId,
    ]),
  ]);
}

export function paymentsCsv(account: string, payments: AccountDetails['payments']): string {
  const rows = payments.map(({ preparedAt, payout, amount, state, chainId, requestKey }) => [
    ...[preparedAt, account, payout, amount, state, chainId, requestKey],
  ]);
  return csv([PAYMENT_KEYS.split(' '), ...rows]);
}

const PAYMENT_KEYS = 'prepared account payout amount state chain requestKey';

export function payoutJson(payout: Payout, lines: readonly Line[]): string {
  return `${JSON.stringify({ ...payout, lines }, undefined, 2)}\n`;
}
