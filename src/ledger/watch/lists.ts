/** Lists of the ledger alone, as `src/operations` declares them. */
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import type { LedgerLists, LedgerQuestions } from '../../operations/books/ledger.js';
import { payerInWords } from '../../operations/payer/payer-words.js';
import { SQL as ACCOUNTS } from '../accounts/accounts.js';
import { SQL as CHAINS } from '../chains/cursor.js';
import { type Ask, statementsOf } from '../database/statements.js';
import { SQL as PAYER } from '../payer/transactions.js';
import { SQL as LOGS } from '../recording/logs.js';
import { listRules } from '../rules/rules.js';
import { OPERATOR } from '../settlement/transfers.js';
import { statementOf } from '../statements/statement.js';
import { type Expected, expectedOf } from './expected.js';

const SQL = statementsOf('watch/lists.sql');

type Lists = {
  readonly [K in keyof LedgerLists]: (
    ask: Ask,
    question: LedgerQuestions[K],
    expected: () => Promise<Expected>,
  ) => Promise<Listing<LedgerLists[K]> | undefined>;
};

const LISTS: Lists = {
  accounts: async (ask, { offset, limit }, read) => {
    const expected = await read();
    const rows = await ask(SQL.accounts, [
      limit,
      offset,
      [...expected.keys()].filter((name) => name !== OPERATOR),
    ]);
    const items = rows.map(({ total: _, ...row }) => ({
      ...row,
      expected: expectedOf(expected, row.account),
    }));
    return { total: rows[0]?.total ?? 0, items };
  },
  operator: async (ask, slice, read) => {
    const expected = await read();
    const rows = await ask(SQL.operator);
    const items = rows.map((row, i) => ({
      ...row,
      expected: i === 0 ? expectedOf(expected, OPERATOR) : null,
    }));
    return partOf(items, slice);
  },
  logs: async (ask, slice) => partOf(await ask(LOGS.waitedFor), slice),
  rules: async (ask, slice) => partOf(await listRules(ask), slice),
  terms: async (ask, { account, limit, offset }) => {
    const rows = await ask(ACCOUNTS.terms, [account, limit, offset]);
    // There are terms of each that is in the books.
    if (account !== undefined && offset === 0 && rows.length === 0) return undefined;
    return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...terms }) => terms) };
  },
  payer: async (ask, slice) => {
    const rows = await ask(PAYER.shown);
    return partOf(
      rows.map((row) => ({ ...row, words: payerInWords(row) })),
      slice,
    );
  },
  transactions: async (ask, { payout, limit, offset }) => {
    const rows = await ask(PAYER.transactions, [payout ?? null, limit, offset]);
    return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...transaction }) => transaction) };
  },
  chains: async (ask, slice) => partOf(await ask(CHAINS.shown), slice),
  statement: async (ask, { account, from, to, ...slice }) => {
    const dateOf = (time?: string) => (time === undefined ? undefined : new Date(time));
    const lines = await statementOf(ask, account, { from: dateOf(from), to: dateOf(to) });
    return lines && partOf(lines, slice);
  },
};

export function listed<K extends keyof LedgerLists>(
  ask: Ask,
  expected: () => Promise<Expected>,
  name: K,
  question: LedgerQuestions[K],
): Promise<Listing<LedgerLists[K]> | undefined> {
  return LISTS[name](ask, question, expected);
}

/** Of what is never long. */
function partOf<T>(rows: readonly T[], { offset, limit }: Slice): Listing<T> {
  return { total: rows.length, items: rows.slice(offset, offset + limit) };
}
