/** Books that are wrong pay nobody: what a proof finds pauses payments on chain. */
import type pg from 'pg';
import { askOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { pausePayer } from '../transactions/payer-books.js';
import { payerReport } from '../transactions/view.js';
import type { Proof } from './proof.js';
import { BOOKS_WRONG, verifyBooks } from './verify.js';
import type { CheckCommand } from './verify-payments.js';

interface Proved {
  readonly proofs: readonly Proof[];
  /** For people, where some fail: whether payouts are paused, or why not. */
  readonly said: string | undefined;
}

interface Asking {
  readonly check: CheckCommand;
  /**
   * Payouts are paid by hand, as far as who asks knows. Books that were paid from on chain are paused all the same: another start may
   * have other settings than the bridge.
   */
  readonly isManual: boolean;
  readonly by: string;
}

/** Proves the books, and pauses payments on chain where that fails. */
export async function proveBooks(pool: pg.Pool, { check, isManual, by }: Asking): Promise<Proved> {
  const proofs = await verifyBooks(pool, check);
  const failed = proofs.filter(({ broken }) => broken.length > 0);
  return { proofs, said: failed.length > 0 ? await pauseFor(pool, failed, isManual, by) : undefined };
}

async function pauseFor(
  pool: pg.Pool,
  failed: readonly Proof[],
  isManual: boolean,
  by: string,
): Promise<string> {
  const { pause, account, isSeated } = await payerReport(askOf(pool));
  if (isManual && account === undefined && !isSeated && !pause)
    return 'payouts are not paused: they are paid by hand (payouts.mode manual). Look at these checks before you pay';
  const names = failed.map(({ name }) => name).join(', ');
  const says = `checks of the books fail: ${names}; the first: ${failed[0]?.broken[0] ?? ''}`;
  const evidence = Object.fromEntries(failed.map(({ name, broken }) => [name, broken]));
  await inTransaction(pool, (client) => pausePayer(client, { kind: BOOKS_WRONG, says, evidence, by }));
  if (pause) return `payouts were paused before, and stay so: ${pause.says}`;
  return 'payouts are paused until somebody resumes them: nothing is paid by books that are wrong';
}
