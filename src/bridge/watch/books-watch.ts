/**
 * What the books show: accounts, blocks, payouts and what was done over time. Implemented by the ledger, shown by the web.
 *
 * Every question is bounded, and answered in time: otherwise it rejects with {@link BooksAwayError}. It covers all bridges that share
 * the books. Amounts and work are decimal strings, hashes lower-case hex, times milliseconds since the epoch by the books' clock.
 */
import type {
  AccountHold,
  PaidLine,
  PayerReport,
  PaymentProof,
  PaymentState,
  PayoutState,
} from './payer-watch.js';
import type { Listing, Slice } from './rig-watch.js';

export type { PaymentState, PayoutState };

/** The books do not answer, or not soon enough. The message is a sentence for who asked. */
export class BooksAwayError extends Error {
  override readonly name = 'BooksAwayError';
  readonly code = 'books-away';
}

export interface BooksWatch {
  /** `undefined` for a name that is not in the books. */
  account(name: string): Promise<AccountBooks | undefined>;
  /** Of those named that have money in the books. */
  moneyOf(accounts: readonly string[]): Promise<ReadonlyMap<string, Money>>;
  /** Accounts that have money in the books or were paid, but for those that are left out: to whom most is due first. */
  otherAccounts(leftOut: readonly string[], slice: Slice): Promise<Listing<AccountMoney>>;
  /** Of all accounts together. */
  allMoney(): Promise<Money>;
  /** The latest first. Blocks that come meanwhile move no page: what was before a block stays before it. */
  blocks(question: BlocksQuestion): Promise<Page<BookedBlock>>;
  rounds(): Promise<Rounds>;
  /** Who gets what of a block, the most first. `undefined` where the books have no such block. */
  split(id: string, slice: Slice): Promise<BlockSplit | undefined>;
  /** The latest first, stable as blocks are. */
  payouts(question: PageQuestion): Promise<Page<Payout>>;
  /** By account name. `undefined` where there is no such payout. */
  payout(id: string, slice: Slice): Promise<PayoutLines | undefined>;
  /** Lines of a payout by account name, with the transactions that pay them. `undefined` where there is no such payout. */
  paidLines(id: string, slice: Slice): Promise<Listing<PaidLine> | undefined>;
  payer(): Promise<PayerReport>;
  /** Accounts that are not paid now; the latest first. */
  holds(limit: number): Promise<readonly AccountHold[]>;
  /** @param which number of a payment on chain, or request key of one of its transactions. */
  payment(which: string): Promise<PaymentProof | undefined>;
  /** `undefined` for an account or rig that is not in the books. */
  history(question: HistoryQuestion): Promise<History | undefined>;
}

export interface Money {
  /** Can be paid; below zero after a reorganisation took back what was paid already. */
  readonly balance: string;
  /** Of blocks that are not confirmed. */
  readonly held: string;
  /** In a payout that is not settled. */
  readonly paying: string;
  readonly paid: string;
}

export interface AccountMoney extends Money {
  readonly account: string;
}

export interface AccountBooks extends Money {
  /** Those with the latest shares first; at most {@link MAX_RIGS}. */
  readonly rigs: Listing<BookedRig>;
  /** The latest first; at most {@link MAX_PAYMENTS}. */
  readonly payments: readonly Payment[];
  readonly payout: AccountPayout;
  /** Over the last hour, or since the first share in it; `undefined` when none came. */
  readonly rate: BookedRate | undefined;
  /** What the pool's last blocks paid; `undefined` when none did. */
  readonly pay: RecentPay | undefined;
  readonly best: BestShare | undefined;
}

/** How an account is paid, and when next. */
export interface AccountPayout {
  /** Its own; null: that of everybody. */
  readonly minimum: string | null;
  readonly wishedChain: number | null;
  readonly wishedAtMs: number | null;
  /** Why it is not paid now; null: nothing is in the way. */
  readonly held: string | null;
  /** Of payouts on chain; null: nothing is planned. */
  readonly nextAtMs: number | null;
}

/** The highest difficulty that a hash of a share ever met, at whatever bridge, and the minute of it. */
export interface BestShare {
  readonly difficulty: number;
  readonly atMs: number;
}

export const MAX_RIGS = 1000;
export const MAX_PAYMENTS = 100;

export interface BookedRig {
  /** Empty when the login named none. */
  readonly rig: string;
  /** Of the minute that its last share is booked in. Absent when that is not known. */
  readonly lastShare?: { readonly fromMs: number; readonly spanMs: number };
  readonly best?: BestShare;
}

export interface Payment {
  /** Of the payout that it is in. */
  readonly payout: string;
  readonly amount: string;
  readonly state: PaymentState;
  readonly chainId: number | null;
  /** Of the transaction that pays it, and the block that it is in; null where it is in none that is known. */
  readonly requestKey: string | null;
  readonly blockHeight: number | null;
  readonly blockHash: string | null;
  readonly preparedAtMs: number;
  readonly changedAtMs: number;
  readonly note: string;
}

export interface BookedRate {
  readonly hashesPerSecond: number;
  readonly standardError: number;
  readonly overMs: number;
}

export interface RecentPay {
  /** Mean of the last blocks' rewards. */
  readonly reward: string;
  readonly blocks: number;
  /** Of this account, in 1/10,000, as the last of these blocks was split. */
  readonly feeBasisPoints: number;
}

export interface PageQuestion {
  /** The `next` of a page before; absent for the first one. */
  readonly before?: string;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent when nothing follows. */
  readonly next?: string;
}

/**
 * What became of a solution. `found` has no answer of a node yet, `refused` was refused by it: neither is a block. `pending`: no
 * node has shown it yet; `unknown`: nodes have gone past its height without it.
 */
export const BOOKED_STATES = [
  'pending',
  'onChain',
  'confirmed',
  'orphaned',
  'unknown',
  'found',
  'refused',
] as const;
export type BookedState = (typeof BOOKED_STATES)[number];

export interface BlocksQuestion extends PageQuestion {
  /** Absent: every solution that a node may have taken. */
  readonly state?: BookedState;
  readonly chainId?: number;
}

export interface BookedBlock {
  readonly id: string;
  readonly state: BookedState;
  readonly chainId: number;
  readonly height: number;
  /** As computed from the header; empty while it is no block. */
  readonly hash: string;
  /** Blocks on the chain from this one to the tip, itself included; 0 when it is not on the chain. */
  readonly depth: number;
  /** `undefined` while it is not known. */
  readonly reward: string | undefined;
  readonly account: string;
  readonly rig: string;
  readonly node: string;
  /** The node's words to it, or why it pays nobody yet. */
  readonly detail: string;
  readonly foundAtMs: number;
  /** Work of the pool since the block before it was seen, in parts of what a block takes on average. `undefined` for what no node has shown. */
  readonly effort: number | undefined;
}

/** How the reward of a block is split; those of a block that has left its chain are not paid. */
export interface BlockSplit {
  readonly id: string;
  readonly state: BookedState;
  /** By which it is split: as the settings had it when it was first seen on its chain. `undefined` before. */
  readonly scheme: string | undefined;
  /** In 1/10,000, of accounts without a fee of their own. */
  readonly feeBasisPoints: number | undefined;
  readonly reward: string | undefined;
  /** How many lines there are. */
  readonly total: number;
  /** Together they are the reward. */
  readonly lines: readonly {
    /** Empty for what the operator keeps. */
    readonly account: string;
    readonly amount: string;
  }[];
}

/** Work between blocks that nodes have shown on their chain, whatever became of them. */
export interface Rounds {
  /** Since the last one. */
  readonly open: { readonly sinceMs: number; readonly work: string };
  /** Of the last {@link LUCK_BLOCKS}: how many there are, and how many their work was expected to find. */
  readonly last: { readonly blocks: number; readonly expected: number };
  /** Of the pool, ever. */
  readonly best: BestShare | undefined;
}

export const LUCK_BLOCKS = 100;

export interface Payout {
  readonly id: string;
  /** No other payout of any copy of these books has it. */
  readonly name: string;
  /** Of its payments: prepared while one of them is, else unknown while one is, failed where all are. */
  readonly state: PayoutState;
  /** Where it is paid; null: nobody has said. */
  readonly chainId: number | null;
  /** How many are in each state. */
  readonly payments: Readonly<Record<PaymentState, number>>;
  readonly preparedAtMs: number;
  readonly changedAtMs: number;
  readonly minimum: string;
  readonly note: string;
  readonly total: string;
  /** How many are paid by it. */
  readonly accounts: number;
  /** By hand, or on chain by a bridge. */
  readonly paidBy: 'manual' | 'chain';
  /** SHA-256 over its lines, lower-case hex: what an approval is of. null where nobody approves. */
  readonly contentHash: string | null;
  /** Why somebody has to approve it; null: nobody has to. */
  readonly approvalFor: string | null;
  readonly approvalsNeeded: number;
  readonly approvals: number;
  readonly isRejected: boolean;
  /** All of its payments had their last word. */
  readonly isSettled: boolean;
}

export interface PayoutLines extends Payout {
  readonly lines: readonly {
    readonly account: string;
    readonly amount: string;
    readonly state: PaymentState;
    /** Of the transaction that pays it. */
    readonly requestKey: string | null;
  }[];
}

export type HistoryOf =
  | { readonly kind: 'pool' }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'rig'; readonly account: string; readonly rig: string };

/** Metrics of the books, with their columns: the first is the one that the metric is named after. */
export const BOOKED_METRICS = [
  'hashRate',
  'shares',
  'rigs',
  'blocks',
  'effort',
  'freshness',
  'unpaid',
] as const;
export type BookedMetric = (typeof BOOKED_METRICS)[number];

export interface HistoryQuestion {
  /** `effort`, `freshness` and `unpaid` are the pool's alone. */
  readonly metric: BookedMetric;
  readonly of: HistoryOf;
  /** A multiple of a minute; of ten for `rigs` and `unpaid`. Shares of long ago are booked in sums of up to a day, and those of a rig forgotten. */
  readonly stepMs: number;
  /** How many; the last one is that of now. */
  readonly steps: number;
}

/**
 * One value a step, `null` where nothing was booked.
 *
 *     hashRate   hashesPerSecond, standardError
 *     shares     accepted, and each reason of a rejection
 *     rigs       online: how many had a share in ten minutes, on average
 *     blocks     found, orphaned (of those found)
 *     effort     effort: the mean of the blocks found
 *     freshness  p50, p99: milliseconds that jobs took to the rigs; of the steps of `SPANS` alone
 *     unpaid     balance, held, paying: of all accounts, as last seen in the step, and no more exact than a chart is
 */
export interface History {
  readonly fromMs: number;
  /** What is counted reaches to here: before the end of the last step. */
  readonly untilMs: number;
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}
