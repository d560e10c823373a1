/** Payouts by order, and all the lines of one. */
import type { PaymentOutcome } from '../../../operations/enums.js';
import type { Payout, PayoutLines } from './answers.js';
import type { Ask } from './ask.js';

/** The one that is prepared, or a new one; `null` when nothing is due. */
export async function preparePayout(ask: Ask): Promise<Payout | null> {
  return ((await ask.order('POST', '/api/v1/payouts')) as { readonly payout: Payout | null }).payout;
}

/** @param note kept with it, such as a transaction; may be empty. */
export async function markPayout(ask: Ask, id: string, outcome: PaymentOutcome, note: string): Promise<void> {
  await ask.order('POST', `/api/v1/payouts/${id}/mark`, { outcome, note });
}

/** As many as the API gives at a time. */
const SLICE = 1_000;

/** A part of them would pay some and not others. */
export async function allLines(ask: Ask, id: string, signal: AbortSignal): Promise<PayoutLines['lines']> {
  const lines: PayoutLines['lines'][number][] = [];
  for (;;) {
    const path = `/api/v1/payouts/${id}?offset=${lines.length}&limit=${SLICE}`;
    const part: PayoutLines = await ask.json(path, signal);
    lines.push(...part.lines);
    if (lines.length >= part.accounts || part.lines.length === 0) return lines;
  }
}
