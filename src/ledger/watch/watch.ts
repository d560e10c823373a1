/** The books for who looks: each question with an end, on connections of its own. */
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import { accountOf, allMoney, earnedDays, moneyOf, otherAccounts, paidDays } from './accounts.js';
import { proofsOf, rootsOf, splitsOf } from './audit.js';
import { blocksOf, paidLines, payoutOf, payoutsOf, roundsOf, splitOf } from './blocks.js';
import { ExpectedBooks } from './expected.js';
import { historyOf } from './history.js';
import { Lane } from './lane.js';
import { listed } from './lists.js';
import { openQuestions, type QuestionOptions } from './questions.js';

export interface OpenBooksWatch extends BooksWatch {
  close(): Promise<void>;
}

/** Connects when somebody asks. */
export function openBooksWatch(options: QuestionOptions): OpenBooksWatch {
  const { ask, close } = openQuestions(options);
  const histories = new Lane();
  const expected = new ExpectedBooks();
  return {
    account: (name) => ask(async (run) => accountOf(run, await expected.read(run), name)),
    earnedDays: (name) => ask((run) => earnedDays(run, name)),
    moneyOf: (accounts) => ask(async (run) => moneyOf(run, await expected.read(run), accounts)),
    otherAccounts: (leftOut, question) =>
      ask(async (run) => otherAccounts(run, await expected.read(run), leftOut, question)),
    allMoney: () => ask(async (run) => allMoney(run, await expected.read(run))),
    paidDays: () => ask(paidDays),
    blocks: (question) => ask((run) => blocksOf(run, question)),
    rounds: () => ask(roundsOf),
    split: (id, slice) => ask((run) => splitOf(run, id, slice)),
    roots: (question) => ask((run) => rootsOf(run, question)),
    accountSplits: (name) => ask((run) => splitsOf(run, name)),
    proofs: (name, roots) => ask((run) => histories.run(() => proofsOf(run, name, roots))),
    payouts: (question) => ask((run) => payoutsOf(run, question)),
    payout: (id, slice) => ask((run) => payoutOf(run, id, slice)),
    paidLines: (id, slice) => ask((run) => paidLines(run, id, slice)),
    history: (question) => ask((run) => histories.run(() => historyOf(run, question))),
    listed: (name, question) => ask((run) => listed(run, () => expected.read(run), name, question)),
    close,
  };
}
