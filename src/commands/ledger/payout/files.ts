/** The files of a payout, as an operator takes them to a wallet: a part of one would pay some and not others. */
import { join } from 'node:path';
import { makeFolder } from '../../../files/make-folder.js';
import { writeDurably } from '../../../files/write-durably.js';
import { payoutAsCsv, payoutAsJson } from '../../../ledger/payments/payout-files.js';
import type { BookedPayout } from '../../../ledger/payments/payouts.js';

/** Writes `payout-<name>.csv` and `payout-<name>.json`; returns their paths. */
export async function writePayoutFiles(folder: string, payout: BookedPayout): Promise<string[]> {
  makeFolder(folder);
  const path = join(folder, `payout-${payout.name}`);
  await writeDurably(`${path}.csv`, payoutAsCsv(payout));
  await writeDurably(`${path}.json`, payoutAsJson(payout));
  return [`${path}.csv`, `${path}.json`];
}
