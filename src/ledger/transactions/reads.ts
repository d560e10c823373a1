/** What stands in the books of payments on chain, as the payer is told it. */
import type pg from 'pg';
import type { Bespoken, LiveTransaction, OpenPayment, PayerState } from '../../bridge/payouts/payer-books.js';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { SQL } from './statements.js';

/** Of what the database writes. */
export function amountOf(text: string): Amount {
  const amount = parseAmount(text);
  if (amount === undefined)
    throw new LedgerError('refused', `the books hold ${text}, which is no amount of coins`);
  return amount;
}

export async function payerState(client: pg.Pool | pg.ClientBase): Promise<PayerState> {
  const state = await rowOf(client, SQL.state);
  if (!state) throw new LedgerError('refused', 'the books have lost their row of the payer');
  const chains = await rowsOf(client, SQL.chains);
  const ledgerIds = await rowsOf(client, SQL.ledgerIds);
  const order = await rowOf(client, SQL.reconcileOrder);
  const { ledgerId, account, network, batches, nowMs, ranAtMs, nextAtMs, whyNot, isAsked } = state;
  return {
    ledgerIds: ledgerIds.map(({ id }) => id),
    reconcile: order && { applies: order.applies, sinceHeight: order.sinceHeight ?? undefined },
    ...{ ledgerId, batches, nowMs, whyNot, isAsked, pause: pauseOf(state) },
    ...{ account: account ?? undefined, network: network ?? undefined },
    ...{ ranAtMs: ranAtMs ?? undefined, nextAtMs: nextAtMs ?? undefined },
    chains: chains.map(({ chainId, height, hash, balance, credits, debits, comparedHeight }) => ({
      ...{ chainId, comparedHeight },
      read: { height, hash },
      balance: amountOf(balance),
      credits: amountOf(credits),
      debits: amountOf(debits),
    })),
  };
}

/** Of columns that are null while nothing is paused. */
export interface PauseColumns {
  readonly pauseKind: string | null;
  readonly pauseSays: string | null;
  readonly pauseBy: string | null;
  readonly pauseEvidence: Readonly<Record<string, unknown>> | null;
  readonly pausedAtMs: number | null;
}

export function pauseOf(state: PauseColumns): PayerState['pause'] {
  const { pauseKind: kind, pauseSays: says, pauseBy: by, pauseEvidence: evidence, pausedAtMs } = state;
  if (pausedAtMs === null) return undefined;
  return {
    kind: kind ?? 'unknown',
    says: says ?? '',
    by: by ?? '',
    evidence: evidence ?? {},
    sinceMs: pausedAtMs,
  };
}

export async function openPayments(client: pg.Pool, limit: number): Promise<OpenPayment[]> {
  const rows = await rowsOf(client, SQL.open, [limit]);
  return rows.map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

export async function bespokenLines(client: pg.Pool): Promise<Bespoken[]> {
  return (await rowsOf(client, SQL.bespoken)).map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

export async function liveTransactions(client: pg.Pool): Promise<LiveTransaction[]> {
  const rows = await rowsOf(client, SQL.live);
  return rows.map(({ birthHeight, birthHash, blockHeight, blockHash, sigs, partial, sentAtMs, ...row }) => ({
    ...row,
    partial: partial ?? [],
    amount: amountOf(row.amount),
    gasPrice: amountOf(row.gasPrice),
    birth: { height: birthHeight, hash: birthHash },
    included:
      blockHeight === null || blockHash === null ? undefined : { height: blockHeight, hash: blockHash },
    sigs: sigs ?? undefined,
    sentAtMs: sentAtMs ?? undefined,
  }));
}
