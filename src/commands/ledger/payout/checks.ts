/** The checks of `ledger verify` that are about money: what fails of them. */
import type pg from 'pg';
import { readCommand } from '../../../assembly/books/command-reader.js';
import { verifyMoney } from '../../../ledger/proof/verify.js';
import type { ProofRow } from '../columns.js';

export async function failedMoneyChecks(pool: pg.Pool): Promise<ProofRow[]> {
  return (await verifyMoney(pool, readCommand))
    .filter(({ broken }) => broken.length > 0)
    .map(({ name, says, broken, noted }) => ({
      ...{ name, holds: false, says, broken: broken.join('; '), noted: noted.join('; ') },
    }));
}
