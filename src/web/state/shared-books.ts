/** The books for many who look: a question is asked once a second, however many ask it. */
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import { RecentAnswers } from './recent-answers.js';

const KEPT_MS = 1000;
/** It is a sum over all accounts. */
const ALL_MONEY_KEPT_MS = 5_000;
/** It is a sum over a month. */
const DAYS_KEPT_MS = 15_000;
/** Of history a part of its step, and no longer than somebody waits for his first share to show. */
const MOST_KEPT_MS = 15_000;
const PARTS_OF_STEP = 12;

export function sharedBooks(books: BooksWatch, recent = new RecentAnswers()): BooksWatch {
  const share = <T>(name: string, question: unknown, ask: () => Promise<T>, keptMs = KEPT_MS): Promise<T> =>
    recent.ask(`${name} ${JSON.stringify(question)}`, keptMs, ask);
  return {
    account: (name) => share('account', name, () => books.account(name)),
    earnedDays: (name) => share('days', name, () => books.earnedDays(name), DAYS_KEPT_MS),
    moneyOf: (accounts) => share('money', accounts, () => books.moneyOf(accounts)),
    // How many are left out stands for who they are: lists may be a second old, and names of thousands are no key.
    otherAccounts: (leftOut, question) =>
      share('others', [leftOut.length, question], () => books.otherAccounts(leftOut, question)),
    allMoney: () => share('all money', '', () => books.allMoney(), ALL_MONEY_KEPT_MS),
    paidDays: () => share('paid days', '', () => books.paidDays(), DAYS_KEPT_MS),
    blocks: (question) => share('blocks', question, () => books.blocks(question)),
    split: (id, slice) => share('split', [id, slice], () => books.split(id, slice)),
    rounds: () => share('rounds', '', () => books.rounds()),
    roots: (question) => share('roots', question, () => books.roots(question)),
    accountSplits: (name) => share('splits', name, () => books.accountSplits(name)),
    proofs: (name, roots) => share('proofs', [name, roots], () => books.proofs(name, roots)),
    payouts: (question) => share('payouts', question, () => books.payouts(question)),
    payout: (id, slice) => share('payout', [id, slice], () => books.payout(id, slice)),
    paidLines: (id, slice) => share('paid lines', [id, slice], () => books.paidLines(id, slice)),
    listed: (name, question) => share('listed', [name, question], () => books.listed(name, question)),
    history: (question) => {
      const keptMs = Math.min(MOST_KEPT_MS, question.stepMs / PARTS_OF_STEP);
      return share('history', question, () => books.history(question), keptMs);
    },
  };
}
