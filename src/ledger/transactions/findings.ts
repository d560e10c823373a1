/**
 * What was found out about transactions moves them, their lines and the books, all in one. A move of money has a name, and the
 * same name is never moved by twice.
 */
import type pg from 'pg';
import type { Finding, TransactionState } from '../../bridge/payouts/payer-books.js';
import type { PaymentState } from '../../bridge/watch/books-watch.js';
import { type Amount, formatAmount } from '../../core/amount.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, run } from '../database/statements.js';
import { type Book, type Line, movedLines, OPERATOR_ID, post } from '../settlement/posting.js';
import { tellEvents } from './payment-events.js';
import { type PaymentNews, tellNews } from './payment-news.js';
import { amountOf } from './reads.js';
import { SQL } from './statements.js';

export type GasPayer = 'operator' | 'account';

type Taken = RowOf<typeof SQL.take>;

/** From which states a finding moves a transaction. Of any other it says nothing new, and is left out. */
const FROM: Readonly<Record<Finding['now'], readonly TransactionState[]>> = {
  included: ['signed', 'sent', 'included', 'unknown'],
  confirmed: ['signed', 'sent', 'included', 'unknown'],
  final: ['confirmed'],
  sent: ['included', 'confirmed'],
  refused: ['signed', 'sent', 'included', 'unknown'],
  expired: ['built', 'signed', 'sent', 'included', 'unknown'],
  dropped: ['built'],
  unknown: ['signed', 'sent', 'included'],
};

/** Attempts that may expire before the account waits for somebody to look. */
const MAX_ATTEMPTS = 5;

/** Within the caller's transaction. */
export async function moveByFindings(
  client: pg.ClientBase,
  findings: readonly Finding[],
  gasPaidBy: GasPayer,
): Promise<void> {
  const news: PaymentNews[] = [];
  for (const finding of findings) news.push(...(await moveByOne(client, finding, gasPaidBy)));
  if (findings.length > 0) await tellNews(client, news);
}

async function moveByOne(
  client: pg.ClientBase,
  finding: Finding,
  gasPaidBy: GasPayer,
): Promise<PaymentNews[]> {
  const taken = await rowOf(client, SQL.take, [finding.id]);
  if (!taken) throw new LedgerError('refused', `the books have no transaction ${finding.id}`);
  if (finding.now === 'final' && taken.state === 'refused') {
    await run(client, SQL.followNoMore, [finding.id]);
    return [];
  }
  if (!FROM[finding.now].includes(taken.state)) return [];
  const returned = finding.now === 'sent' && taken.state === 'confirmed' ? 1 : 0;
  const { place, gasPaid, why } = factsOf(finding);
  await run(client, SQL.settle, [
    ...[finding.id, finding.now, place?.height ?? null, place?.hash ?? null],
    ...[gasPaid === undefined ? null : formatAmount(gasPaid), why, returned],
  ]);
  await moveMoney(client, finding, taken, gasPaidBy);
  await tellEvents(client, [
    {
      ...{ paymentId: taken.paymentId, transactionId: finding.id, was: taken.state, now: finding.now },
      evidence: { ...finding.evidence, ...(why === '' ? {} : { why }) },
    },
  ]);
  return newsOf(client, finding, taken);
}

/** Of what went back into the balances, or has left the chain. */
async function newsOf(client: pg.ClientBase, finding: Finding, taken: Taken): Promise<PaymentNews[]> {
  const { payoutId, account, amount, paymentId } = taken;
  const about = { payoutId, account, amount };
  if (finding.now === 'sent' && taken.state === 'confirmed') return [{ ...about, is: 'returned', why: '' }];
  if (finding.now !== 'refused' && finding.now !== 'expired' && finding.now !== 'dropped') return [];
  const held = await rowOf(client, SQL.heldFor, [paymentId]);
  return held ? [{ ...about, is: 'held', why: held.why }] : [];
}

function factsOf(finding: Finding) {
  return {
    place: 'place' in finding ? finding.place : undefined,
    gasPaid: 'gasPaid' in finding ? finding.gasPaid : undefined,
    why: 'why' in finding ? finding.why : '',
  };
}

async function moveMoney(
  client: pg.ClientBase,
  finding: Finding,
  taken: Taken,
  gasPaidBy: GasPayer,
): Promise<void> {
  const { id } = finding;
  const gasOf = (gas: Amount): Line[] =>
    movedLines(gasPaidBy === 'account' ? taken.accountId : OPERATOR_ID, formatAmount(gas), 'balance', 'gas');
  const moved = (from: Book, to: Book): Line[] => movedLines(taken.accountId, taken.amount, from, to);
  if (finding.now === 'confirmed') {
    await moveOnce(client, `tx ${id} confirmed ${taken.returns}`, 'payout confirmed', [
      ...moved('paying', 'paid'),
      ...gasOf(finding.gasPaid),
    ]);
    await setPayment(client, taken, 'confirmed');
  } else if (finding.now === 'sent' && taken.state === 'confirmed') {
    const gas = gasOf(amountOf(taken.gasPaid ?? '0')).map((line) => ({ ...line, amount: -line.amount }));
    const lines = [...moved('paid', 'paying'), ...gas];
    await moveOnce(client, `tx ${id} returned ${taken.returns + 1}`, 'payout returned', lines);
    await setPayment(client, taken, 'sent');
    await run(client, SQL.reopen, [taken.payoutId]);
  } else if (finding.now === 'refused') {
    const lines = [...moved('paying', 'balance'), ...gasOf(finding.gasPaid)];
    await moveOnce(client, `tx ${id} refused`, 'payout failed', lines);
    await setPayment(client, taken, 'held', finding.why);
    await holdAccount(client, taken.accountId, taken.chainId, finding.why);
  } else if (finding.now === 'expired' || finding.now === 'dropped') {
    await tryAgain(client, finding, taken);
  } else if (finding.now === 'unknown') {
    await setPayment(client, taken, 'unknown', finding.why);
  } else if (finding.now === 'included' && taken.state === 'unknown') {
    await setPayment(client, taken, 'sent');
  }
}

/** Another attempt, unless enough of them have expired: then somebody should look at it. */
async function tryAgain(
  client: pg.ClientBase,
  { id, why }: Extract<Finding, { now: 'expired' | 'dropped' }>,
  taken: Taken,
): Promise<void> {
  const { attempts = 0 } = (await rowOf(client, SQL.attempts, [taken.paymentId])) ?? {};
  if (attempts < MAX_ATTEMPTS) return setPayment(client, taken, 'prepared', why);
  const lines = movedLines(taken.accountId, taken.amount, 'paying', 'balance');
  await moveOnce(client, `tx ${id} expired`, 'payout failed', lines);
  const words = `${attempts} attempts came to nothing; the last: ${why}`;
  await setPayment(client, taken, 'held', words);
  await holdAccount(client, taken.accountId, taken.chainId, words);
}

/** Posts under a name, once for ever. A second time is a defect, and undoes all that came with it. */
export async function moveOnce(
  client: pg.ClientBase,
  key: string,
  cause: string,
  lines: readonly Line[],
): Promise<void> {
  if (!(await rowOf(client, SQL.moveOnce, [key])))
    throw new LedgerError('refused', `the books were moved by "${key}" before`);
  await post(client, { cause, lines });
}

async function setPayment(
  client: pg.ClientBase,
  { paymentId }: Taken,
  state: PaymentState,
  note = '',
): Promise<void> {
  await run(client, SQL.setPayment, [paymentId, state, note]);
}

export async function holdAccount(
  client: pg.ClientBase,
  accountId: number,
  chainId: number | null,
  why: string,
): Promise<void> {
  await run(client, SQL.holdAccount, [accountId, chainId, null, why, 'the payer']);
}
