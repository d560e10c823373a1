/** What the books have of an account. */
import {
  type AccountBooks,
  type BookedRate,
  type BookedRig,
  MAX_PAYMENTS,
  MAX_RIGS,
  type Money,
  type Payment,
  type RecentPay,
} from '../../bridge/watch/books-watch.js';
import { OPERATOR } from '../settlement/posting.js';
import type { Ask } from './questions.js';
import { ACCOUNT, ALL_MONEY, MONEY_OF, PAYMENTS_OF, RECENT_PAY, RIGS_OF } from './sql.js';
import { readSums, sourceOf, untilOf } from './sums.js';

const MINUTE_MS = 60_000;
/** The rate is taken over so many minutes. */
const RATE_MINUTES = 60;
/** Blocks that tell what a block pays. */
const PAYING_BLOCKS = 20;

export async function accountOf(ask: Ask, name: string): Promise<AccountBooks | undefined> {
  const [known] = await ask<Money & { rigs: number; books: number }>(ACCOUNT, [name]);
  if (!known || name === OPERATOR || (known.rigs === 0 && known.books === 0)) return undefined;
  const { balance, held, paying, paid } = known;
  return {
    ...{ balance, held, paying, paid },
    rigs: { total: known.rigs, items: await rigsOf(ask, name) },
    payments: await ask<Payment>(PAYMENTS_OF, [name, MAX_PAYMENTS]),
    rate: await rateOf(ask, name),
    pay: await recentPay(ask, name),
  };
}

export async function moneyOf(ask: Ask, accounts: readonly string[]): Promise<ReadonlyMap<string, Money>> {
  const rows = await ask<Money & { account: string }>(MONEY_OF, [accounts]);
  return new Map(rows.map(({ account, ...money }) => [account, money]));
}

export async function allMoney(ask: Ask): Promise<Money> {
  const [money] = await ask<Money>(ALL_MONEY);
  if (!money) throw new RangeError('a sum of all rows is a row');
  return money;
}

async function rigsOf(ask: Ask, account: string): Promise<BookedRig[]> {
  const rows = await ask<{ rig: string; fromMs: number | null; seconds: number | null }>(RIGS_OF, [
    account,
    MAX_RIGS,
  ]);
  return rows.map(({ rig, fromMs, seconds }) =>
    fromMs === null ? { rig } : { rig, lastShare: { fromMs, spanMs: 1000 * (seconds ?? 0) } },
  );
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

interface PayRow {
  reward: string;
  blocks: number;
  feeBasisPoints: number | null;
}

async function recentPay(ask: Ask, account: string): Promise<RecentPay | undefined> {
  const [row] = await ask<PayRow>(RECENT_PAY, [PAYING_BLOCKS, account]);
  if (!row) return undefined;
  return { reward: row.reward, blocks: row.blocks, feeBasisPoints: row.feeBasisPoints ?? 0 };
}
