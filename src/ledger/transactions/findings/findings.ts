/**
 * What was found out about transactions moves them, their lines and the books, all in one: a block of a busy chain has findings of
 * dozens of them, and each statement is asked once for all.
 */
import type pg from 'pg';
import type { Finding } from '../../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../../core/money/amount.js';
import type { TransactionState } from '../../../operations/enums.js';
import { LedgerError } from '../../database/errors.js';
import { type RowOf, rowsOf, run } from '../../database/statements.js';
import { tellEvents } from '../payment-events.js';
import { type PaymentNews, tellNews } from '../payment-news.js';
import { SQL } from '../statements.js';
import { type Consequence, consequenceOf, type GasPayer, whoseGas } from './consequences.js';
import { holdAccount, moveOnce } from './moves.js';

type Taken = RowOf<typeof SQL.take>;

/** What may be on the chain: one that is built for us may be signed and sent by who was asked to sign it, and not be brought back. */
const ABROAD: readonly TransactionState[] = ['built', 'signed', 'sent', 'included'];

/** From which states a finding moves a transaction. Of any other it says nothing new, and is left out. */
const FROM: Readonly<Record<Finding['now'], readonly TransactionState[]>> = {
  included: [...ABROAD, 'unknown'],
  confirmed: [...ABROAD, 'unknown'],
  final: ['confirmed'],
  sent: ['included', 'confirmed', 'refused'],
  refused: [...ABROAD, 'unknown'],
  expired: [...ABROAD, 'unknown'],
  dropped: ['built'],
  unknown: ABROAD,
};

/** Within the caller's transaction. */
export async function moveByFindings(
  client: pg.ClientBase,
  findings: readonly Finding[],
  gasPaidBy: GasPayer,
): Promise<void> {
  const news: PaymentNews[] = [];
  for (let rest = findings; rest.length > 0; ) {
    const first = new Map(rest.toReversed().map((finding) => [finding.id, finding]));
    news.push(...(await moveAll(client, [...first.values()].toReversed(), gasPaidBy)));
    // What is found of one twice moves it one after the other.
    rest = rest.filter((finding) => first.get(finding.id) !== finding);
  }
  if (findings.length > 0) await tellNews(client, news);
}

interface Move {
  readonly finding: Finding;
  readonly taken: Taken;
}

/** Resolves with what people should hear of. @param findings one of each transaction. */
async function moveAll(
  client: pg.ClientBase,
  findings: readonly Finding[],
  gasPaidBy: GasPayer,
): Promise<PaymentNews[]> {
  const rows = await rowsOf(client, SQL.take, [findings.map(({ id }) => id)]);
  const takenOf = new Map(rows.map((row) => [row.id, row]));
  const moves = findings.map((finding): Move => {
    const taken = takenOf.get(finding.id);
    if (!taken) throw new LedgerError('refused', `the books have no transaction ${finding.id}`);
    return { finding, taken };
  });
  const over = moves.filter(({ finding, taken }) => finding.now === 'final' && taken.state === 'refused');
  if (over.length > 0) await run(client, SQL.followNoMore, [over.map(({ finding }) => finding.id)]);
  const moving = moves.filter(({ finding, taken }) => FROM[finding.now].includes(taken.state));
  if (moving.length === 0) return [];
  await settle(client, moving, gasPaidBy);
  const consequences = moving.flatMap(({ finding, taken }) => consequenceOf(finding, taken, gasPaidBy) ?? []);
  await follow(client, consequences);
  await tellEvents(
    client,
    moving.map(({ finding, taken }) => ({
      ...{ paymentId: taken.paymentId, transactionId: finding.id, was: taken.state, now: finding.now },
      evidence: { ...finding.evidence, ...('why' in finding ? { why: finding.why } : {}) },
    })),
  );
  return consequences.flatMap(({ news }) => news ?? []);
}

async function settle(client: pg.ClientBase, moving: readonly Move[], gasPaidBy: GasPayer): Promise<void> {
  const back = (state: TransactionState): readonly number[] =>
    moving.map(({ finding, taken }) => (finding.now === 'sent' && taken.state === state ? 1 : 0));
  const placeOf = (finding: Finding) => ('place' in finding ? finding.place : undefined);
  await run(client, SQL.settle, [
    moving.map(({ finding }) => finding.id),
    moving.map(({ finding }) => finding.now),
    moving.map(({ finding }) => placeOf(finding)?.height ?? null),
    moving.map(({ finding }) => placeOf(finding)?.hash ?? null),
    moving.map(({ finding }) => ('gasPaid' in finding ? formatAmount(finding.gasPaid) : null)),
    moving.map(({ finding }) => ('why' in finding ? finding.why : '')),
    back('confirmed'),
    back('refused'),
    moving.map(({ finding, taken }) => ('gasPaid' in finding ? whoseGas(gasPaidBy, taken.accountId) : null)),
  ]);
}

async function follow(client: pg.ClientBase, consequences: readonly Consequence[]): Promise<void> {
  const money = consequences.flatMap(({ moves }) => moves ?? []);
  for (const cause of new Set(money.map((move) => move.cause)))
    await moveOnce(
      client,
      cause,
      money.filter((move) => move.cause === cause),
    );
  await run(client, SQL.setPayments, [
    consequences.map(({ paymentId }) => paymentId),
    consequences.map(({ state }) => state),
    consequences.map(({ note }) => note),
  ]);
  const reopened = consequences.flatMap(({ reopens }) => reopens ?? []);
  if (reopened.length > 0) await run(client, SQL.reopen, [reopened]);
  for (const { holds } of consequences)
    if (holds) await holdAccount(client, holds.accountId, holds.chainId, holds.why);
}
