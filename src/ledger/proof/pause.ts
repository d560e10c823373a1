/** Books that are wrong pay nobody: what a proof has found pauses payments on chain. */
import type pg from 'pg';
import { askOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { pausePayer } from '../transactions/payer-books.js';
import { payerReport } from '../transactions/view.js';
import type { Proof } from './proof.js';
import { BOOKS_WRONG } from './verify.js';

/**
 * @param isManual whether payouts are paid by hand, as far as who asks knows. Books that were paid from on chain are paused all the same:
 * another start may have other settings than the bridge.
 * Resolves with a sentence for people: whether payouts are paused, or why not.
 */
export async function pauseForFailed(
  pool: pg.Pool,
  failed: readonly Proof[],
  { isManual, by }: { readonly isManual: boolean; readonly by: string },
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
