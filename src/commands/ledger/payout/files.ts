/** The files of a payout, as an operator takes them to a wallet: a part of one would pay some and not others. */
import { join } from 'node:path';
import { makeFolder } from '../../../files/make-folder.js';
import { writeDurably } from '../../../files/write-durably.js';
import { isPartlyDone, payoutAsCsv, payoutAsJson } from '../../../ledger/payments/payout-files.js';
import type { BookedPayout } from '../../../ledger/payments/payouts.js';

/**
 * Writes `payout-<name>.csv` with what is to be paid, and `payout-<name>.json` with all of it; returns their paths. Where some is paid already, the
 * rest is in `payout-<name>-rest.csv`: the first file is what a restore may want.
 */
export async function writePayoutFiles(folder: string, payout: BookedPayout): Promise<string[]> {
  makeFolder(folder);
  const path = join(folder, `payout-${payout.name}`);
  const csv = `${path}${isPartlyDone(payout) ? '-rest' : ''}.csv`;
  await writeDurably(csv, payoutAsCsv(payout));
  await writeDurably(`${path}.json`, payoutAsJson(payout));
  return [csv, `${path}.json`];
}
