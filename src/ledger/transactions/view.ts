/** Payments on chain for who looks: of the whole of it, and of one payment with all that happened to it. */
import type pg from 'pg';
import { MAX_AWAITED, MAX_PAYMENT_EVENTS, type PayerReport } from '../../bridge/watch/payer-watch.js';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import type { PaidLine, Evidence as Proof } from '../../operations/payouts.js';
import { LedgerError } from '../database/errors.js';
import { type Ask, type RowOf, rowsOf, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { keyOf } from '../payments/payouts.js';
import type { Span } from '../statements/statement.js';
import { tellInBooks } from '../timeline.js';
import { pauseOf } from './reads.js';
import { PAYER_LOCK } from './seat-lock.js';

type Evidence = Readonly<Record<string, unknown>>;

const SQL = statementsOf<
  'transactions/view.sql',
  {
    payer: { pauseEvidence: Evidence; lines: PayerReport['lines'] };
    steps: { evidence: Evidence };
  }
>('transactions/view.sql');

export async function payerReport(ask: Ask): Promise<PayerReport> {
  const [row] = await ask(SQL.payer, [PAYER_LOCK]);
  if (!row) throw new LedgerError('refused', 'the books have lost their row of the payer');
  const chains = await ask(SQL.payerChains);
  const waits = await ask(SQL.waits);
  const awaited = await ask(SQL.awaited, [MAX_AWAITED]);
  const { account, network, ranAtMs, nextAtMs, askedAtMs } = row;
  const { isSeated, place, whyNot, nowMs, lines, unapproved } = row;
  return {
    ...{ isSeated, place, whyNot, nowMs, lines, unapproved, waits, pause: pauseOf(row) },
    ...{ account: account ?? undefined, network: network ?? undefined },
    ...{ ranAtMs: ranAtMs ?? undefined, nextAtMs: nextAtMs ?? undefined, askedAtMs: askedAtMs ?? undefined },
    awaited: { total: awaited[0]?.total ?? 0, lines: awaited.map(({ total: _, ...line }) => line) },
    chains: chains.map(({ height, balance, headHeight, headAtMs, ...chain }) => ({
      ...chain,
      ...{ height: height ?? undefined, balance: balance ?? undefined },
      head: headHeight === null || headAtMs === null ? undefined : { height: headHeight, atMs: headAtMs },
    })),
  };
}

/** `undefined` where there is no such payout. @param which its number or its name. */
export async function paidLines(
  ask: Ask,
  which: string,
  { offset, limit }: Slice,
): Promise<Listing<PaidLine> | undefined> {
  const [payout] = await ask(SQL.lineCount, keyOf(which));
  return payout && { total: payout.total, items: await ask(SQL.linesOf, [payout.id, limit, offset]) };
}

const NUMBER = /^\d{1,18}$/;

/** @param which number of the payment, or request key of one of its transactions. `undefined` where there is none on chain. */
export async function paymentProof(ask: Ask, which: string): Promise<Proof | undefined> {
  const isNumber = NUMBER.test(which);
  const [line] = await ask(SQL.line, isNumber ? [which, null] : [null, which]);
  if (!line) return undefined;
  const attempts = await ask(SQL.attempts, [line.id]);
  return { line, attempts, events: await ask(SQL.steps, [line.id, MAX_PAYMENT_EVENTS]) };
}

/** Lines that have had no last word, and those of which a block may still leave its chain, or that may still come into one. */
type Progress = RowOf<typeof SQL.progress>;

/** @param id of a batch; `undefined`: of all. */
export async function progressOf(pool: pg.Pool, id: string | undefined): Promise<Progress> {
  const [progress = { open: 0, followed: 0 }] = await rowsOf(pool, SQL.progress, [id ?? null]);
  return progress;
}

/** The payer makes a batch of what is due with its next round, whatever its schedule says. Resolves with the time of it, ms. */
export async function askForBatch(pool: pg.Pool, by: string): Promise<number> {
  return inTransaction(pool, async (client) => {
    const [row] = await rowsOf(client, SQL.askForBatch);
    const says = `${by} wants a batch of payouts now`;
    await tellInBooks(client, 'ordered', { order: 'prepare payout', about: 'all that is due' }, by, says);
    return row?.atMs ?? 0;
  });
}

/** What was paid on chain, or failed there, in the order in which it was built. */
export async function* paidOnChain(
  pool: pg.Pool,
  { from, to }: Span,
): AsyncGenerator<RowOf<typeof SQL.statement>[]> {
  let last = '0';
  for (;;) {
    const rows = await rowsOf(pool, SQL.statement, [from ?? null, to ?? null, last, PAGE]);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)?.id ?? last;
  }
}

const PAGE = 1_000;
