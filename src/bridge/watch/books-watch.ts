/**
 * What the books show: accounts, blocks, payouts and what was done over time. Implemented by the ledger, shown by the web.
 *
 * Every question is bounded, and answered in time: otherwise it rejects with {@link BooksAwayError}. It covers all bridges that share
 * the books. Answers are views, with times by the books' clock.
 */
import type { AccountDetails, AllMoney, EarnedDay, Money, PaidDay } from '../../operations/books/accounts.js';
import type { AccountSplit, Proof, Root } from '../../operations/books/audit.js';
import type { Block, BlockSplit, BlocksQuestion } from '../../operations/books/blocks.js';
import type { LedgerLists, LedgerQuestions } from '../../operations/books/ledger.js';
import type { PaidLine, Payout, PayoutLines, PayoutsQuestion } from '../../operations/books/payouts.js';
import type { BestEver } from '../../operations/entry/fields.js';
import type { Metric } from '../../operations/enums.js';
import type { HistoryOf } from '../../operations/history.js';
import type { AccountsAsked, Listing, Slice } from './rig-watch.js';

/** The books do not answer, or not soon enough. The message is a sentence for who asked. */
export class BooksAwayError extends Error {
  override readonly name = 'BooksAwayError';
  readonly code = 'books-away';
}

export interface BooksWatch {
  /** `undefined` for a name that is not in the books. */
  account(name: string): Promise<AccountBooks | undefined>;
  /** Of the last {@link EARNED_DAYS}, today last. `undefined` for a name that is not in the books. */
  earnedDays(account: string): Promise<EarnedDay[] | undefined>;
  /** Of those named that have money in the books. */
  moneyOf(accounts: readonly string[]): Promise<ReadonlyMap<string, Money>>;
  /** Accounts that have money in the books or were paid, but for those that are left out: to whom most is due first. */
  otherAccounts(leftOut: readonly string[], question: AccountsAsked): Promise<Listing<AccountMoney>>;
  /** Of all accounts together. */
  allMoney(): Promise<AllMoney>;
  /** The last 30 days, today last. */
  paidDays(): Promise<PaidDay[]>;
  /** The latest first. Blocks that come meanwhile move no page: what was before a block stays before it. */
  blocks(question: BlocksQuestion): Promise<Page<Block>>;
  rounds(): Promise<Rounds>;
  /** Who gets what of a block, the most first. `undefined` where the books have no such block. */
  split(id: string, slice: Slice): Promise<BlockSplit | undefined>;
  /** Of what accounts did, the latest first. */
  roots(question: PageAsked): Promise<Page<Root>>;
  /** The latest blocks that were split. `undefined` for a name that is not in the books. */
  accountSplits(account: string): Promise<AccountSplit[] | undefined>;
  /** Of those roots that the account is part of, and whose proofs are kept. For its owner alone. */
  proofs(account: string, roots: readonly number[]): Promise<Proof[]>;
  /** The latest first, stable as blocks are. */
  payouts(question: PayoutsQuestion): Promise<Page<Payout>>;
  /** By account name. `undefined` where there is no such payout. @param which number or name. */
  payout(which: string, slice: Slice): Promise<PayoutLines | undefined>;
  /** Lines of a payout by account name. `undefined` where there is no such payout. */
  paidLines(id: string, slice: Slice): Promise<Listing<PaidLine> | undefined>;
  /** Of a list that the ledger alone has. `undefined` where what is asked about is not in the books. */
  listed<K extends keyof LedgerLists>(
    name: K,
    question: LedgerQuestions[K],
  ): Promise<Listing<LedgerLists[K]> | undefined>;
  /** `undefined` for an account or rig that is not in the books. */
  history(question: HistoryQuestion): Promise<History | undefined>;
}

export interface AccountMoney extends Money {
  readonly account: string;
}

/** What the books have of an account: all but what takes the works that are mined now. */
export interface AccountBooks extends Omit<AccountDetails, 'account' | 'hashRate' | 'estimate'> {
  /** Over the last hour, or since the first share in it; `undefined` when none came. */
  readonly rate: BookedRate | undefined;
  /** What the pool's last blocks paid; `undefined` when none did. */
  readonly pay: RecentPay | undefined;
}

export const EARNED_DAYS = 30;
export const MAX_RIGS = 1000;
export const MAX_PAYMENTS = 100;

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

export interface PageAsked {
  /** The `next` of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null when nothing follows. */
  readonly next: string | null;
}

/** Work between blocks that nodes have shown on their chain, whatever became of them. */
export interface Rounds {
  /** Since the last one. */
  readonly open: { readonly sinceMs: number; readonly work: string };
  /** Of the last {@link LUCK_BLOCKS}: how many there are, and how many their work was expected to find. */
  readonly last: { readonly blocks: number; readonly expected: number };
  /** Of the pool, ever. */
  readonly best: BestEver;
}

export const LUCK_BLOCKS = 100;

export interface HistoryQuestion {
  /** `effort`, `freshness` and `unpaid` are the pool's alone. */
  readonly metric: Metric;
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
 *     unpaid     due, expected, paying: of all accounts, as last seen in the step, and no more exact than a chart is
 */
export interface History {
  readonly fromMs: number;
  /** What is counted reaches to here: before the end of the last step. */
  readonly untilMs: number;
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}
