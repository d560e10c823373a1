/** Lines that fail alone, before anything of them was signed: their amounts go back, and their accounts wait until they are allowed. */
import type pg from 'pg';
import { rowsOf, run } from '../database/statements.js';
import { movedLines } from '../settlement/posting.js';
import { holdAccount, moveOnce } from './findings/moves.js';
import { tellEvents } from './payment-events.js';
import { type PaymentNews, tellNews } from './payment-news.js';
import { SQL } from './statements.js';

/**
 * Within the caller's transaction. Lines for which somebody may have signed are left out.
 *
 * @param isOrdered somebody has held the account already: only the lines are left.
 */
export async function holdLines(
  client: pg.ClientBase,
  lines: readonly { readonly paymentId: string; readonly why: string }[],
  isOrdered = false,
): Promise<void> {
  const whys = new Map(lines.map(({ paymentId, why }) => [paymentId, why]));
  const taken = await rowsOf(client, SQL.takePayments, [[...whys.keys()]]);
  const news: PaymentNews[] = [];
  for (const { id, state, accountId, amount, chainId, isAsked, payoutId, account } of taken) {
    if (state !== 'prepared' || isAsked) continue;
    const why = whys.get(id) ?? '';
    if (!isOrdered) news.push({ is: 'held', payoutId, account, amount, why });
    await run(client, SQL.dropUnsigned, [id]);
    const lines = movedLines(accountId, amount, 'paying', 'balance');
    await moveOnce(client, 'payout failed', [{ key: `line ${id} held`, lines }]);
    await run(client, SQL.setPayments, [[id], ['held'], [why]]);
    if (!isOrdered) await holdAccount(client, accountId, chainId, why);
    await tellEvents(client, [
      { paymentId: id, transactionId: null, was: 'prepared', now: 'held', evidence: { why } },
    ]);
  }
  if (taken.length > 0) await tellNews(client, news);
}
