/** A payout as the operator takes it to a wallet. */
import { csvLine, csvText } from '../../core/names/csv.js';
import type { BookedPayout } from './payouts.js';

/** `batch,account,amount,chain` of each line that is to be paid, quoted as RFC 4180 asks. `batch` is the payout's name; no chain: any. */
export function payoutAsCsv({ name, lines }: BookedPayout): string {
  const rows = lines
    .filter(isToBePaid)
    .map(({ account, amount, chainId }) => [name, csvText(account), amount, String(chainId ?? '')]);
  return [['batch', 'account', 'amount', 'chain'], ...rows].map(csvLine).join('');
}

/** Of a payout whose payments are said to have become something each. */
export function isPartlyDone({ lines }: BookedPayout): boolean {
  return !lines.every(isToBePaid);
}

function isToBePaid({ state }: BookedPayout['lines'][number]): boolean {
  return state === 'prepared';
}

export function payoutAsJson(payout: BookedPayout): string {
  return `${JSON.stringify(payout, undefined, 2)}\n`;
}
