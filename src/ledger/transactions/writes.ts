/** Transactions on their way to the chain: their bytes, their signatures, and that they are sent. Within the caller's transaction. */
import type pg from 'pg';
import type { NewTransaction, Signature } from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { rowsOf, run } from '../database/statements.js';
import { type PaymentEvent, tellEvents } from './payment-events.js';
import { SQL } from './statements.js';

export async function buildTransactions(
  client: pg.ClientBase,
  transactions: readonly NewTransaction[],
): Promise<void> {
  if (transactions.length === 0) return;
  const rows = transactions.map(({ birth, gasPrice, ...rest }) => ({
    ...rest,
    gasPrice: formatAmount(gasPrice),
    birthHeight: birth.height,
    birthHash: birth.hash,
  }));
  const built = await rowsOf(client, SQL.build, [JSON.stringify(rows)]);
  const ofPayment = new Map(transactions.map((transaction) => [transaction.paymentId, transaction]));
  await tellEvents(
    client,
    built.map(({ id, paymentId }): PaymentEvent => {
      const { requestKey, birth } = ofPayment.get(paymentId) ?? {};
      return { paymentId, transactionId: id, was: 'planned', now: 'built', evidence: { requestKey, birth } };
    }),
  );
}

/** All of them, or none: what was rejected or held meanwhile is given to nobody who can sign. */
export async function writeAsking(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  if ((await run(client, SQL.asking, [ids])) === ids.length) return;
  throw new LedgerError('refused', 'some of these transactions were dropped meanwhile');
}

export async function keepSignatures(
  client: pg.ClientBase,
  signed: readonly { readonly id: string; readonly sigs: readonly string[] }[],
): Promise<void> {
  const [ids, sigs] = [signed.map(({ id }) => id), signed.map((one) => JSON.stringify(one.sigs))];
  await run(client, SQL.keepSignatures, [ids, sigs]);
}

export async function keepPartial(
  client: pg.ClientBase,
  signed: readonly { readonly id: string; readonly signatures: readonly Signature[] }[],
): Promise<void> {
  const [ids, sigs] = [signed.map(({ id }) => id), signed.map((one) => JSON.stringify(one.signatures))];
  await run(client, SQL.keepPartial, [ids, sigs]);
}

/** From here on they count as sent, whatever became of the first request. */
export async function writeSending(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const sent = await rowsOf(client, SQL.sending, [ids]);
  await run(client, SQL.markSent, [sent.map(({ paymentId }) => paymentId)]);
  await tellEvents(
    client,
    sent.map(({ id, paymentId }) => ({
      paymentId,
      transactionId: id,
      was: 'signed',
      now: 'sent',
      evidence: {},
    })),
  );
  return new Set(sent.map(({ id }) => id));
}
