/** The books for who looks: each question with an end, on connections of its own. */
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import { accountOf, allMoney, moneyOf, otherAccounts } from './accounts.js';
import { blocksOf, paidLines, payoutOf, payoutsOf, roundsOf, splitOf } from './blocks.js';
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
  return {
    account: (name) => ask((run) => accountOf(run, name)),
    moneyOf: (accounts) => ask((run) => moneyOf(run, accounts)),
    otherAccounts: (leftOut, slice) => ask((run) => otherAccounts(run, leftOut, slice)),
    allMoney: () => ask(allMoney),
    blocks: (question) => ask((run) => blocksOf(run, question)),
    rounds: () => ask(roundsOf),
    split: (id, slice) => ask((run) => splitOf(run, id, slice)),
    payouts: (question) => ask((run) => payoutsOf(run, question)),
    payout: (id, slice) => ask((run) => payoutOf(run, id, slice)),
    paidLines: (id, slice) => ask((run) => paidLines(run, id, slice)),
    history: (question) => ask((run) => histories.run(() => historyOf(run, question))),
    listed: (name, question) => ask((run) => listed(run, name, question)),
    close,
  };
}
