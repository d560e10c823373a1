/** Accounts: what they mine here, what money they have, and what each may expect. */
import { z } from 'zod';
import { AMOUNT, BEST_EVER, HASH_RATE, nameOf, TIME } from '../entry/fields.js';
import { listOf, type Operation } from '../entry/operation.js';
import { DAY_RATE, RATE } from '../rigs.js';
import { PAYMENT_STATE } from './payouts.js';

const COUNT = z.int().nonnegative();

const MONEY_FIELDS = {
  due: AMOUNT.describe(
    'can be paid; below zero where more was paid than is earned, such as before a reorganisation',
  ),
  expected: AMOUNT.describe('of blocks that are not confirmed: an estimate, of up to five seconds ago'),
  paying: AMOUNT.describe('in a payout that is not settled'),
  paid: AMOUNT,
};

export type Money = { readonly [K in keyof typeof MONEY_FIELDS]: string };

/** What a bridge knows of an account by itself. */
const MINING_ACCOUNT = z.object({
  account: z.string(),
  sessions: z.int().nonnegative().describe('open ones that have authorized it'),
  hashRates: z.array(HASH_RATE).describe('empty where no rig at the bridges is of the account'),
  lastShareAt: TIME.nullable().describe(
    'since the bridges were started; null for an account that only the books have',
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
  more: {
    q: z
      .string('one text')
      .max(200, 'at most 200 characters')
      .optional()
      .describe('only accounts with this in their name, in large or small letters'),
  },
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
    due: AMOUNT_OF('due', 2),
    expected: AMOUNT_OF('expected', 5),
    paying: AMOUNT_OF('paying', 6),
    paid: AMOUNT_OF('paid', 6),
  },
  command: {
    summary: 'accounts of the rigs here, then all others that have money, with what they have',
    incomplete: 'the ledger does not answer: what only the books have is missing',
  },
});

const SUM = z.object({ amount: AMOUNT, accounts: COUNT }).meta({ id: 'SumOfAccounts' });

const ALL_MONEY = z
  .object({
    ...MONEY_FIELDS,
    next: SUM.describe('what a payout on chain would pay now'),
    tooLittle: SUM.describe('due, and less than the minimum of the account'),
    onHold: SUM.describe('due, to accounts that people hold: a payout on chain leaves them out'),
  })
  .meta({ id: 'Money', description: 'Of all accounts on the ledger together' });
export type AllMoney = z.output<typeof ALL_MONEY>;

const PAID_DAY = z.object({ day: z.iso.date().describe('in UTC'), paid: AMOUNT }).meta({ id: 'PaidDay' });
export type PaidDay = z.output<typeof PAID_DAY>;

export const money = {
  tag: 'books',
  access: 'read',
  summary: 'What all accounts together can be paid, are being paid and were paid',
  description: 'From the ledger: of all bridges on it. Up to five seconds old',
  path: '/api/v1/money',
  output: ALL_MONEY,
  faults: [503],
} satisfies Operation;

export const moneyDays = {
  tag: 'books',
  access: 'read',
  summary: 'What was paid to all accounts together on each of the last 30 days',
  description:
    'On the day on which the books had it, less what was taken back. From the ledger: of all bridges on it',
  path: '/api/v1/money/days',
  output: z
    .object({ days: z.array(PAID_DAY).describe('without a gap, today last') })
    .meta({ id: 'MoneyDays' }),
  faults: [503],
} satisfies Operation;

const ACCOUNT_RIG = z
  .object({
    rig: z.string().describe('empty when the login named none'),
    lastShareAt: TIME.nullable().describe(
      'start of the time that its last share is booked in; null when that is forgotten',
    ),
    lastShareSpanMs: z.number().nullable().describe('length of that time: a minute'),
    bestEver: BEST_EVER,
  })
  .meta({ id: 'AccountRig' });

const PAYMENT = z
  .object({
    payout: z.string().describe('name of the payout that it is in'),
    amount: AMOUNT,
    state: PAYMENT_STATE,
    chainId: z.int().nullable().describe('null: nobody has said'),
    requestKey: z.string().nullable().describe('of the transaction that pays it'),
    preparedAt: TIME,
    changedAt: TIME,
    note: z.string().describe('what the operator wrote, such as a transaction'),
  })
  .meta({ id: 'Payment' });

const ESTIMATE = z
  .object({
    perDay: AMOUNT.nullable().describe(
      'an estimate by chance alone, less the fee; null where it cannot be known',
    ),
    reason: z.string().nullable().describe('why it is not known; null where it is'),
    blocksPerDay: z.number().nullable().describe('the hash rate of a day over the difficulty'),
    blockDifficulty: z
      .number()
      .nullable()
      .describe('expected hashes of a block, over the works that are mined now; null when there are none'),
    reward: AMOUNT.nullable().describe(
      "mean of the pool's last blocks, at most 20; null when none has a reward yet",
    ),
    rewardBlocks: COUNT.describe('how many that is the mean of'),
    fee: z
      .number()
      .nullable()
      .describe('part that the operator keeps, 0 to 1, as the last of these blocks was split'),
  })
  .meta({ id: 'RewardEstimate', description: 'perDay = blocksPerDay x reward x (1 - fee)' });

const BENEFICIARY = z
  .object({ account: z.string(), basisPoints: z.int().describe('in 1/10,000') })
  .meta({ id: 'Beneficiary' });

const ACCOUNT_DETAILS = z
  .object({
    account: z.string(),
    ...MONEY_FIELDS,
    hashRate: HASH_RATE.nullable().describe(
      'of all bridges on the ledger, over up to an hour; null without a share',
    ),
    estimate: ESTIMATE,
    bestEver: BEST_EVER,
    rigCount: COUNT.describe('that ever had a share booked'),
    rigs: z.array(ACCOUNT_RIG).describe('those with the latest shares, at most 1000'),
    payments: z.array(PAYMENT).describe('the latest first, at most 100'),
    payout: z
      .object({
        minimum: AMOUNT.nullable().describe('its own: it is paid from this balance on; null: as everybody'),
        wishedChain: z.int().nullable().describe('null: any'),
        wishedAt: TIME.nullable().describe('of the last wish that its key signed'),
        beneficiaries: z
          .array(BENEFICIARY)
          .describe('to whom it passes parts of what it earns of blocks on; what is left is its own'),
        isOnHold: z.boolean().describe('the operator holds it: it is not paid until it is allowed'),
      })
      .describe('how it wishes to be paid'),
  })
  .meta({ id: 'AccountDetails' });

export type AccountDetails = z.output<typeof ACCOUNT_DETAILS>;

const OF_ACCOUNT = z.object({ account: nameOf('account').min(1, 'the name of an account') });

export const account = {
  tag: 'rigs',
  summary: 'An account: its money, rigs, payments, and what it may expect a day',
  description: 'From the ledger: of all bridges on it, and of accounts that do not mine now.',
  path: '/api/v1/accounts/:account',
  access: 'miner',
  params: OF_ACCOUNT,
  output: ACCOUNT_DETAILS,
  faults: [404, 503],
} satisfies Operation;

const EARNED_DAY = z
  .object({ day: z.iso.date().describe('in UTC'), earned: AMOUNT })
  .meta({ id: 'EarnedDay' });
export type EarnedDay = z.output<typeof EARNED_DAY>;

export const accountDays = {
  tag: 'rigs',
  summary: 'What an account earned on each of the last 30 days',
  description:
    'Of blocks on the day on which they were split, less what a reorganisation took back; under pps, of shares. From the ledger: of all bridges on it',
  path: '/api/v1/accounts/:account/days',
  access: 'miner',
  params: OF_ACCOUNT,
  output: z
    .object({ days: z.array(EARNED_DAY).describe('without a gap, today last') })
    .meta({ id: 'AccountDays' }),
  faults: [404, 503],
} satisfies Operation;
