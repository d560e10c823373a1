/** What the ledger has: accounts, money, blocks and payouts. */
import type { AccountBooks, BooksWatch, Rounds } from '../../../bridge/watch/books-watch.js';
import type { SetAsideWatch } from '../../../bridge/watch/set-aside-watch.js';
import {
  type AccountDetails,
  account,
  accountDays,
  money,
  moneyDays,
} from '../../../operations/books/accounts.js';
import { type Block, type Blocks, blocks, split } from '../../../operations/books/blocks.js';
import { ENTRY_ORDERS, setAside } from '../../../operations/books/entries.js';
import { type LedgerLists, type LedgerQuestions, ledgerLists } from '../../../operations/books/ledger.js';
import { paidLines, payout, payouts } from '../../../operations/books/payouts.js';
import { rounded, timeOf } from '../../../operations/entry/values.js';
import { isOperator } from '../../access/standing.js';
import type { BooksFor } from '../../state/anonymous-books.js';
import { expectedReward, meanDifficulty } from '../../state/expected-reward.js';
import { RecentAnswers } from '../../state/recent-answers.js';
import { Nothing, partAt, refused, serve, serveList, serveOrders } from '../serve.js';
import type { Api } from '../typed.js';
import { addAuditRoutes } from './audit.js';

const LOOK_KEPT_MS = 1_000;
/** Of its luck fewer blocks say nothing. */
const LUCK_FROM = 10;

/** What its answers are made of. */
interface BookSources {
  readonly books: BooksWatch;
  /** For what miners may see. */
  readonly booksFor: BooksFor;
  /** Of the works that are mined now. */
  readonly difficulties: () => bigint[];
}

/** @param watch absent where nobody knows: nothing is set aside. */
export function addEntryRoutes(api: Api, watch: SetAsideWatch | undefined): void {
  // Each look has a connection of its own to the queue.
  const recent = new RecentAnswers();
  serveList(api, setAside, async (slice) => {
    const { items, isComplete } = watch
      ? await recent.ask('set aside', LOOK_KEPT_MS, () => watch.list())
      : { items: [], isComplete: true };
    return { ...partAt(items, slice), isComplete };
  });
  serveOrders(api, ENTRY_ORDERS, watch?.orders);
}

export function addBookRoutes(api: Api, { books, booksFor, difficulties }: BookSources): void {
  serve(api, account, async ({ account: name }, request) => {
    const found = await booksFor(request).account(name);
    return found ? detailsOf(name, found, difficulties()) : noAccount(name);
  });
  serve(api, accountDays, async ({ account: name }, request) => {
    const days = await booksFor(request).earnedDays(name);
    return days ? { days } : noAccount(name);
  });
  serve(api, money, () => books.allMoney());
  serve(api, moneyDays, async () => ({ days: await books.paidDays() }));
  serveList(api, blocks, async (question, request) => {
    const books = booksFor(request);
    const [{ items, next }, rounds] = await Promise.all([books.blocks(question), books.rounds()]);
    return {
      items: isOperator(request) ? items : items.map(forAnonymous),
      next,
      sinceLast: openRound(rounds, meanDifficulty(difficulties())),
      luck: luckOf(rounds),
      bestEver: rounds.best,
    };
  });
  serve(
    api,
    split,
    async ({ id, ...slice }) => (await books.split(id, slice)) ?? new Nothing(`there is no block ${id}`),
  );
  addPayouts(api, books);
  addAuditRoutes(api, booksFor);
  const { accounts, operator, logs, rules, terms, statement, chains, payer, transactions } = ledgerLists;
  const listed = async <K extends keyof LedgerLists>(name: K, question: LedgerQuestions[K]) =>
    (await books.listed(name, question)) ?? noAccount(('account' in question && question.account) || '');
  serveList(api, accounts, (slice) => listed('accounts', slice));
  serveList(api, operator, (slice) => listed('operator', slice));
  serveList(api, logs, (slice) => listed('logs', slice));
  serveList(api, rules, (slice) => listed('rules', slice));
  serveList(api, terms, (asked) => listed('terms', asked));
  serveList(api, chains, (slice) => listed('chains', slice));
  serveList(api, payer, (slice) => listed('payer', slice));
  serveList(api, transactions, (question) => listed('transactions', question));
  serveList(api, statement, async (asked) => {
    if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
      throw refused(400, `from, ${asked.from}, is after to, ${asked.to}`);
    return listed('statement', asked);
  });
}

function noAccount(name: string): Nothing {
  return new Nothing(`no account ${JSON.stringify(name)} is in the books`);
}

function addPayouts(api: Api, books: BooksWatch): void {
  const noPayout = (id: string) => new Nothing(`there is no payout ${id}`);
  serveList(api, payouts, (question) => books.payouts(question));
  serve(api, payout, async ({ id, ...slice }) => (await books.payout(id, slice)) ?? noPayout(id));
  serveList(api, paidLines, async ({ id, ...slice }) => (await books.paidLines(id, slice)) ?? noPayout(id));
}

function detailsOf(
  account: string,
  { rate, pay, ...books }: AccountBooks,
  difficulties: readonly bigint[],
): AccountDetails {
  const difficulty = meanDifficulty(difficulties);
  return {
    account,
    ...books,
    hashRate: rate
      ? {
          minutes: Math.round(rate.overMs / 600) / 100,
          hashesPerSecond: Math.round(rate.hashesPerSecond),
          standardError: Math.round(rate.standardError),
        }
      : null,
    estimate: {
      ...expectedReward(rate, difficulties, pay),
      blockDifficulty: difficulty === undefined ? null : Math.round(difficulty),
      reward: pay?.reward ?? null,
      rewardBlocks: pay?.blocks ?? 0,
      fee: pay ? pay.feeBasisPoints / 10_000 : null,
    },
  };
}

/** A name is known to whose it is, and a node to the operator. */
function forAnonymous(block: Block): Block {
  return { ...block, finder: null, node: null, detail: null };
}

function openRound({ open: { sinceMs, work } }: Rounds, difficulty: number | undefined): Blocks['sinceLast'] {
  return {
    since: timeOf(sinceMs),
    work,
    effort: difficulty === undefined ? null : rounded(Number(work) / difficulty),
    blockDifficulty: difficulty === undefined ? null : Math.round(difficulty),
  };
}

function luckOf({ last: { blocks, expected } }: Rounds): Blocks['luck'] {
  if (blocks < LUCK_FROM || expected === 0) return null;
  return { luck: rounded(blocks / expected), standardError: rounded(1 / Math.sqrt(blocks)), blocks };
}
