/** What the books have of an account. */
import {
  type AccountBooks,
  type AccountMoney,
  type BookedRate,
  EARNED_DAYS,
  MAX_PAYMENTS,
  MAX_RIGS,
} from '../../bridge/watch/books-watch.js';
import type { AccountsAsked, Listing } from '../../bridge/watch/rig-watch.js';
import type { AccountDetails, AllMoney, EarnedDay, Money, PaidDay } from '../../operations/books/accounts.js';
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';
import { OPERATOR } from '../settlement/transfers.js';
import { bestIn } from './blocks.js';
import { allExpected, type Expected, expectedOf } from './expected.js';
import { readSums, sourceOf, untilOf } from './sums.js';

const SQL = statementsOf('watch/accounts.sql');

const MINUTE_MS = 60_000;
/** The rate is taken over so many minutes. */
const RATE_MINUTES = 60;
/** Blocks that tell what a block pays. */
const PAYING_BLOCKS = 20;

export async function accountOf(ask: Ask, all: Expected, name: string): Promise<AccountBooks | undefined> {
  const [known] = await ask(SQL.account, [name]);
  if (!known || name === OPERATOR || (known.rigs === 0 && !known.isKnown && !all.has(name))) return undefined;
  const [pay] = await ask(SQL.recentPay, [PAYING_BLOCKS, name]);
  const [best] = await ask(SQL.bestOf, [name]);
  const [payout] = await ask(SQL.payoutOf, [name]);
  const { rigs: rigCount, isKnown: _, ...money } = known;
  return {
    ...money,
    expected: expectedOf(all, name),
    rigCount,
    rigs: (await ask(SQL.rigsOf, [name, MAX_RIGS])).map(rigFrom),
    payout: { ...(payout ?? NO_PAYOUT), beneficiaries: await ask(SQL.beneficiariesOf, [name]) },
    payments: await ask(SQL.paymentsOf, [name, MAX_PAYMENTS]),
    rate: await rateOf(ask, name),
    pay,
    bestEver: bestIn(best),
  };
}

const NO_PAYOUT = { minimum: null, wishedChain: null, wishedAt: null, isOnHold: false };

export async function earnedDays(ask: Ask, name: string): Promise<EarnedDay[] | undefined> {
  if (name === OPERATOR) return undefined;
  const days = await ask(SQL.earnedDays, [name, EARNED_DAYS]);
  return days.length === 0 ? undefined : days;
}

export async function moneyOf(
  ask: Ask,
  all: Expected,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, Money>> {
  const rows = await ask(SQL.moneyOf, [accounts]);
  return new Map(
    rows.map(({ account, ...money }) => [account, { ...money, expected: expectedOf(all, account) }]),
  );
}

export async function allMoney(ask: Ask, all: Expected): Promise<AllMoney> {
  const [row] = await ask(SQL.allMoney);
  if (!row) throw new RangeError('a sum of all rows is a row');
  const { due, paying, paid, next, nextAccounts, tooLittle, tooLittleAccounts, held, heldAccounts } = row;
  return {
    ...{ due, paying, paid, expected: allExpected(all) },
    next: { amount: next, accounts: nextAccounts },
    tooLittle: { amount: tooLittle, accounts: tooLittleAccounts },
    onHold: { amount: held, accounts: heldAccounts },
  };
}

export function paidDays(ask: Ask): Promise<PaidDay[]> {
  return ask(SQL.paidDays, [EARNED_DAYS]);
}

/** Accounts that have money, also those that do not mine now. */
export async function otherAccounts(
  ask: Ask,
  all: Expected,
  leftOut: readonly string[],
  { offset, limit, q = '' }: AccountsAsked,
): Promise<Listing<AccountMoney>> {
  const rows = await ask(SQL.others, [leftOut, offset, limit, [...all.keys()], q]);
  return {
    total: rows[0]?.total ?? 0,
    items: rows.flatMap(({ account, total: _, ...money }) =>
      account === null ? [] : [{ account, ...money, expected: expectedOf(all, account) }],
    ),
  };
}

function rigFrom({ rig, lastShareAt, ...best }: RowOf<typeof SQL.rigsOf>): AccountDetails['rigs'][number] {
  return {
    rig,
    lastShareAt,
    lastShareSpanMs: lastShareAt === null ? null : MINUTE_MS,
    bestEver: bestIn(best),
  };
}

async function rateOf(ask: Ask, account: string): Promise<BookedRate | undefined> {
  const source = await sourceOf(ask, { kind: 'account', account }, MINUTE_MS);
  if (!source) return undefined;
  const untilMs = untilOf(source);
  const steps = { fromMs: untilMs - RATE_MINUTES * MINUTE_MS, stepMs: MINUTE_MS, steps: RATE_MINUTES };
  const sums = (await readSums(ask, source, 'shares', steps)).get('accepted');
  if (!sums) return undefined;
  const overMs = untilMs - (steps.fromMs + Math.min(...sums.keys()) * MINUTE_MS);
  const all = Array.from(sums.values());
  const work = all.reduce((sum, one) => sum + one.work, 0);
  const squares = all.reduce((sum, one) => sum + one.squares, 0);
  const perSecond = (amount: number): number => (amount * 1000) / overMs;
  return { hashesPerSecond: perSecond(work), standardError: perSecond(Math.sqrt(squares)), overMs };
}
