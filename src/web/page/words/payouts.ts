/** Payouts in words. */
import type { AccountDetails, Payout, PayoutLines } from '../reading/answers.js';

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
};

/** One that may still be marked. */
export function isOpen({ state }: Payout): boolean {
  return state === 'prepared' || state === 'unknown';
}

/** It is to be paid on chain, and somebody has to approve it first. */
export function waitsForPeople({ hash, state, approvals, approvedBy }: Payout): boolean {
  return hash !== null && state === 'prepared' && approvedBy.length < approvals;
}

type Line = { readonly account: string; readonly amount: string };

/** `batch,account,amount`, the first of which is the payout's name, as `stratum-bridge ledger payout` writes it. */
export function payoutCsv(name: string, lines: readonly Line[]): string {
  return csv([
    ['batch', 'account', 'amount'],
    ...lines.map(({ account, amount }) => [name, account, amount]),
  ]);
}

export function paymentsCsv(account: string, payments: AccountDetails['payments']): string {
  const rows = payments.map(({ preparedAt, payout, amount, state, chainId, requestKey }) =>
    [preparedAt, account, payout, amount, state, chainId, requestKey].map((value) => String(value ?? '')),
  );
  return csv([PAYMENT_KEYS.split(' '), ...rows]);
}

const PAYMENT_KEYS = 'prepared account payout amount state chain requestKey';

function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** As RFC 4180 has it; one that begins like a formula gets a blank before, so that no spreadsheet runs it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\r\n ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function payoutJson(payout: Payout, lines: readonly Line[]): string {
  return `${JSON.stringify({ ...payout, lines }, undefined, 2)}\n`;
}
