/** Accounts: what they mine here, and what money they have. */
import { z } from 'zod';
import { AMOUNT, HASH_RATE, TIME } from './fields.js';
import { listOf } from './operation.js';
import { DAY_RATE, RATE } from './rigs.js';

export const MONEY_FIELDS = {
  balance: AMOUNT.describe('can be paid; below zero after a reorganisation took back what was paid already'),
  held: AMOUNT.describe('of blocks that are not confirmed'),
  paying: AMOUNT.describe('in a payout that is not settled'),
  paid: AMOUNT,
};

/** What a bridge knows of an account by itself. */
const MINING_ACCOUNT = z.object({
  account: z.string(),
  sessions: z.int().nonnegative().describe('open ones that have authorized it'),
  hashRates: z.array(HASH_RATE).describe('at this bridge; empty where none of its rigs is of the account'),
  lastShareAt: TIME.nullable().describe(
    'at this bridge since it was started; null for an account that only the books have',
  ),
});
export type MiningAccount = z.output<typeof MINING_ACCOUNT>;

const LISTED_ACCOUNT = MINING_ACCOUNT.extend({
  money: z
    .object(MONEY_FIELDS)
    .nullable()
    .describe('from the ledger, of all bridges on it; null while it does not answer'),
}).meta({ id: 'ListedAccount' });
export type ListedAccount = z.output<typeof LISTED_ACCOUNT>;

const AMOUNT_OF = (key: keyof typeof MONEY_FIELDS, importance: number) =>
  ({ kind: 'amount', importance, of: ({ money }: ListedAccount) => money?.[key] }) as const;

export const accounts = listOf({
  name: 'accounts',
  tag: 'rigs',
  access: 'read',
  summary:
    'Accounts of the rigs of this bridge, fastest first, then all others that have money, with what they have',
  description:
    'Hash rates and sessions are of this bridge, money is from the ledger: of all bridges on it. To whom most is due comes first of the others',
  beside: {
    isComplete: z
      .boolean()
      .describe(
        'false while the ledger does not answer: then only accounts of rigs of this bridge are listed',
      ),
  },
  item: LISTED_ACCOUNT,
  columns: {
    account: { kind: 'name', importance: 1 },
    sessions: { kind: 'count', importance: 4 },
    rate: { ...RATE, importance: 1 },
    dayRate: { ...DAY_RATE, importance: 3 },
    lastShareAt: { kind: 'time', importance: 4, heading: 'last share (UTC)' },
    balance: AMOUNT_OF('balance', 2),
    held: AMOUNT_OF('held', 5),
    paying: AMOUNT_OF('paying', 6),
    paid: AMOUNT_OF('paid', 6),
  },
  command: { summary: 'accounts of the rigs here, then all others that have money, with what they have' },
});
