/** The files of a payout, as an operator takes them to a wallet: whole or not there, and for nobody else to read. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Batch, batchAsCsv, batchAsJson } from '../ledger/payouts.js';

/** Writes `payout-<id>.csv` and `payout-<id>.json`; returns their paths. */
export async function writeBatchFiles(folder: string, batch: Batch): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `payout-${batch.id}`);
  await writeWhole(`${path}.csv`, batchAsCsv(batch));
  await writeWhole(`${path}.json`, batchAsJson(batch));
  return [`${path}.csv`, `${path}.json`];
}

/** Written beside and renamed: a file that was cut short would pay some and not others. */
async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  await rm(beside, { force: true });
  const handle = await open(beside, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(beside, path);
}
