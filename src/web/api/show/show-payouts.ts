/** A payout of the books, as the API writes it. */
import type { z } from 'zod';
import type { Payout } from '../../../bridge/watch/books-watch.js';
import type { PAYOUT } from '../schemas/book-schemas.js';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Of one with its lines all but those. */
export function showPayout({ preparedAtMs, changedAtMs, ...payout }: Payout): z.output<typeof PAYOUT> {
  const { id, name, state, chainId, payments, minimum, note, total, accounts } = payout;
  const { paidBy, contentHash, approvalFor, approvalsNeeded, approvals, isRejected, isSettled } = payout;
  return {
    ...{ id, name, state, chainId, payments: { ...payments } },
    ...{ preparedAt: iso(preparedAtMs), changedAt: iso(changedAtMs) },
    ...{ minimum, note, total, accounts, paidBy, contentHash, isRejected, isSettled },
    approval:
      approvalsNeeded === 0 ? null : { why: approvalFor ?? '', needed: approvalsNeeded, given: approvals },
  };
}
