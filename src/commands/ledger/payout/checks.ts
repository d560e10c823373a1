/** The checks of `ledger verify` before payouts go on: what fails of them. */
import type pg from 'pg';
import { readCommand } from '../../../assembly/books/command-reader.js';
import { failedBeforeResume } from '../../../ledger/proof/verify.js';
import { type ProofRow, proofRow } from '../verify.js';

export async function failedChecks(pool: pg.Pool, pauseKind: string): Promise<ProofRow[]> {
  return (await failedBeforeResume(pool, pauseKind, readCommand)).map(proofRow);
}
