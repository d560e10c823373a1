/** For which ledger the logs of a folder were written: `<folder>/ledger` has its id. What one has booked is not booked in another. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../files/write-durably.js';
import { ifThere } from './segments.js';

/** The logs here were written for another ledger than the one that answers. */
export class OtherLedgerError extends Error {
  override readonly name = 'OtherLedgerError';
  readonly code = 'other-ledger';
}

/** `undefined` where no ledger has answered while logs were written here. */
export async function markedLedger(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'ledger'), 'utf8').catch(ifThere);
  return text?.trim();
}

/** Marks a folder that is not marked yet. Throws {@link OtherLedgerError}. */
export async function requireLedger(folder: string, id: string): Promise<void> {
  const marked = await markedLedger(folder);
  if (marked === undefined) return writeDurably(join(folder, 'ledger'), `${id}\n`);
  if (marked === id) return;
  const words = `the shares in ${folder} were written down for the ledger ${marked}, and the one that answers is ${id}: set the former one (ledger.databaseUrl)`;
  throw new OtherLedgerError(
    `${words}, or move them aside by \`stratum-bridge ledger adopt --note TEXT\`, after which nobody is credited for what is not booked yet`,
  );
}
