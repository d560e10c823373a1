/** Payouts in words. */
import type { Payout, PayoutLines } from '../reading/answers.js';

export const PAYOUT_STATES: Readonly<Record<Payout['state'], string>> = {
  prepared: 'prepared',
  sent: 'paid',
  failed: 'cancelled',
  unknown: 'on hold',
};

/** Of single payments. */
export const PAYMENT_STATES: Readonly<Record<PayoutLines['lines'][number]['state'], string>> = {
  ...PAYOUT_STATES,
  confirmed: 'paid, and seen',
  held: 'waits to be allowed',
};

/** One that may still be marked. */
export function isOpen({ state }: Pick<Payout, 'state'>): boolean {
  return state === 'prepared' || state === 'unknown';
}

type Line = { readonly account: string; readonly amount: string };

/** `batch,account,amount`, the first of which is the payout's name, as `stratum-bridge ledger payout` writes it. */
export function payoutCsv(name: string, lines: readonly Line[]): string {
  const rows = lines.map(({ account, amount }) => [name, cell(account), amount]);
  return [['batch', 'account', 'amount'], ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** As RFC 4180 has it; one that begins like a formula gets a blank before, so that no spreadsheet runs it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\r\n ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function payoutJson(payout: Payout, lines: readonly Line[]): string {
  return `${JSON.stringify({ ...payout, lines }, undefined, 2)}\n`;
}
