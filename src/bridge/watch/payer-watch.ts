/** What is shown of payments on chain: who pays, what it waits for, and what became of each line. Implemented by the ledger. */
import type { PaymentState, TransactionState } from '../../operations/enums.js';
import type { Pause } from '../payouts/payer-books.js';

/** Amounts are decimal strings, times milliseconds since the epoch by the books' clock. */
export interface PayerReport {
  /** A bridge pays at this moment. */
  readonly isSeated: boolean;
  /** Of who pays, or has paid last: host and data directory. */
  readonly place: string;
  /** From what account and on what network these books are paid; `undefined`: never yet. */
  readonly account: string | undefined;
  readonly network: string | undefined;
  readonly pause: (Pause & { readonly sinceMs: number; readonly by: string }) | undefined;
  readonly ranAtMs: number | undefined;
  readonly nextAtMs: number | undefined;
  /** Since when a batch is wanted that was not planned yet. */
  readonly askedAtMs: number | undefined;
  /** Why the last run made no batch, or the next one is late; may be empty. */
  readonly whyNot: string;
  readonly nowMs: number;
  /** Lines of batches that are not settled. */
  readonly lines: Readonly<Record<PaymentState, number>>;
  /** Batches that wait for somebody's approval. */
  readonly unapproved: number;
  /** Payments that wait for signatures from elsewhere (`payout export`), the oldest first; at most {@link MAX_AWAITED} are named. */
  readonly awaited: { readonly total: number; readonly lines: readonly AwaitedLine[] };
  readonly chains: readonly PayerChainReport[];
  readonly waits: readonly WaitingLines[];
}

/** Lines of one batch that is not closed, on one chain, that have come equally far. */
export interface WaitingLines {
  /** Name of the batch. */
  readonly payout: string;
  readonly contentHash: string | null;
  /** Approvals that are missing. */
  readonly approvals: number;
  /** What somebody was asked to sign before is followed to its end. */
  readonly isRejected: boolean;
  /** Why any are needed. */
  readonly approvalFor: string | null;
  readonly chainId: number | null;
  /** `null`: nothing was built. */
  readonly transaction: TransactionState | null;
  readonly lines: number;
  /** By the time of the chain, the first of them can be included no more. */
  readonly untilMs: number | null;
}

export const MAX_AWAITED = 100;

interface AwaitedLine {
  /** Names the payment. */
  readonly id: string;
  readonly payout: string;
  readonly account: string;
  readonly chainId: number;
  readonly amount: string;
  /** Then it is too late, by the time of its chain: another transaction is made. */
  readonly untilMs: number;
}

/** What to type for them. */
export function awaitedWords({ total, lines }: PayerReport['awaited']): string {
  const names = [...new Set(lines.map(({ payout }) => payout))].join(', ');
  const untilMs = Math.min(...lines.map((line) => line.untilMs));
  return `${total} payments of payout ${names} wait for signatures until ${new Date(untilMs).toISOString()}: \`ledger payout export FILE\`, sign it, \`ledger payout import FILE\``;
}

export interface PayerChainReport {
  readonly chainId: number;
  /** The block up to which it was read, and the balance there; `undefined` before the first. */
  readonly height: number | undefined;
  readonly balance: string | undefined;
  /** Coins that lines there wait for. */
  readonly missing: string;
  /** What lines that are not settled want of it. */
  readonly waiting: string;
  readonly lines: number;
  readonly head: { readonly height: number; readonly atMs: number } | undefined;
  /** What is wrong with it; empty: nothing. */
  readonly trouble: string;
}

export const MAX_PAYMENT_EVENTS = 200;

export interface AccountHold {
  readonly account: string;
  /** null: on all chains. */
  readonly chainId: number | null;
  /** null: until somebody allows it. */
  readonly untilMs: number | null;
  readonly note: string;
  readonly by: string;
  readonly atMs: number;
}
