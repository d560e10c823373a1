/** A payout as the operator takes it to a wallet. */
import { csvLine, csvText } from '../../core/names/csv.js';
import type { BookedPayout } from './payouts.js';

/** `batch,account,amount,chain`, one line each, quoted as RFC 4180 asks. `batch` is the payout's name; no chain: any. */
export function payoutAsCsv({ name, lines }: BookedPayout): string {
  const rows = lines.map(({ account, amount, chainId }) => [
    name,
    csvText(account),
    amount,
    String(chainId ?? ''),
  ]);
  return [['batch', 'account', 'amount', 'chain'], ...rows].map(csvLine).join('');
}

export function payoutAsJson(payout: BookedPayout): string {
  return `${JSON.stringify(payout, undefined, 2)}\n`;
}
