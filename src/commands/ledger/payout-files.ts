/** The files of a payout, as an operator takes them to a wallet: a part of one would pay some and not others. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../assembly/books/whole-file.js';
import { type Batch, batchAsCsv, batchAsJson } from '../../ledger/payments/payouts.js';

/** Writes `payout-<id>.csv` and `payout-<id>.json`; returns their paths. */
export async function writeBatchFiles(folder: string, batch: Batch): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `payout-${batch.id}`);
  await writeWhole(`${path}.csv`, [batchAsCsv(batch)]);
  await writeWhole(`${path}.json`, [batchAsJson(batch)]);
  return [`${path}.csv`, `${path}.json`];
}
