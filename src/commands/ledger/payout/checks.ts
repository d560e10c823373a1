/** The checks of `ledger verify` before payouts go on: what fails of them. */
import type pg from 'pg';
import { readCommand } from '../../../assembly/books/command-reader.js';
import { failedBeforeResume } from '../../../ledger/proof/verify.js';
import type { ProofRow } from '../columns.js';

export async function failedChecks(pool: pg.Pool, pauseKind: string): Promise<ProofRow[]> {
  const failed = await failedBeforeResume(pool, pauseKind, readCommand);
  return failed.map(({ name, says, broken, noted }) => ({
    ...{ name, holds: false, says, broken: broken.join('; '), noted: noted.join('; ') },
  }));
}
