/** What happens to payments on chain, for the timeline: a line a batch and not one a payment, told in the transaction that does it. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { SQL as PAYOUTS } from '../payments/payouts.js';
import { tellInBooks } from '../timeline.js';
import { amountOf } from './reads.js';
import { SQL } from './statements.js';

/** Something that people should hear of. */
export interface PaymentNews {
  readonly is: 'held' | 'returned';
  readonly payoutId: string;
  readonly account: string;
  readonly amount: string;
  /** Of what is held. */
  readonly why: string;
}

/** As the last thing of its transaction: what is held or has returned, and batches that are settled by it. */
export async function tellNews(client: pg.ClientBase, news: readonly PaymentNews[]): Promise<void> {
  const closed = await rowsOf(client, SQL.closeBatches);
  for (const is of ['held', 'returned'] as const)
    for (const payoutId of new Set(news.filter((one) => one.is === is).map((one) => one.payoutId)))
      await tellOne(
        client,
        is,
        payoutId,
        news.filter((one) => one.is === is && one.payoutId === payoutId),
      );
  for (const { id } of closed) await tellSettled(client, id);
}

async function tellOne(
  client: pg.ClientBase,
  is: PaymentNews['is'],
  payoutId: string,
  news: readonly PaymentNews[],
): Promise<void> {
  const name = (await rowOf(client, PAYOUTS.facts, [payoutId, null]))?.name ?? '';
  const total = formatAmount(news.reduce<Amount>((sum, { amount }) => sum + amountOf(amount), 0n));
  const [{ account, why } = { account: '', why: '' }] = news;
  const facts = { batch: payoutId, name, accounts: news.length, total, account };
  if (is === 'held') await tellInBooks(client, 'paymentsHeld', { ...facts, why });
  else await tellInBooks(client, 'paymentsReturned', facts);
}

async function tellSettled(client: pg.ClientBase, id: string): Promise<void> {
  const facts = await rowOf(client, SQL.settledFacts, [id]);
  if (!facts) return;
  const { isRejected, ...settled } = facts;
  const rejected = isRejected ? { rejected: true } : {};
  await tellInBooks(client, 'payoutPaid', { batch: id, ...settled, ...rejected });
}
