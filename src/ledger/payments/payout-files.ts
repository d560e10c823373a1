/** A payout as the operator takes it to a wallet. */
import { csvLine, csvText } from '../../core/names/csv.js';
import type { BookedPayout } from './payouts.js';

/** `batch,account,amount`, one line each, quoted as RFC 4180 asks. `batch` is the payout's name. */
export function payoutAsCsv({ name, lines }: BookedPayout): string {
  const rows = lines.map(({ account, amount }) => [name, csvText(account), amount]);
  return [['batch', 'account', 'amount'], ...rows].map(csvLine).join('');
}

export function payoutAsJson(payout: BookedPayout): string {
  return `${JSON.stringify(payout, undefined, 2)}\n`;
}
