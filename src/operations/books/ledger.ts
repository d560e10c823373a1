/** What the ledger alone has: sums of accounts, what the operator has, whom blocks wait for, and the rules. */
import { z } from 'zod';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { readQuantity } from '../../values/units.js';
import {
  AMOUNT,
  BODY,
  GIVEN_TIME,
  givenChain,
  HASHES,
  line,
  nameOf,
  OF_ACCOUNT,
  TIME,
} from '../entry/fields.js';
import { listOf, orderOf, type QuestionOf } from '../entry/operation.js';
import { payer, transactions } from '../payer/payer.js';
import { chains } from './chains.js';

const TAG = 'books';
const COUNT = z.number().nonnegative();

const bookedAccounts = listOf({
  name: 'accounts',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/accounts',
  summary: 'Shares, work and money of each account, by its name',
  faults: [503],
  // The sums of each are made for the answer.
  most: 100,
  item: z.object({
    account: z.string(),
    rigs: COUNT.describe('that ever had a share booked'),
    shares: COUNT.describe('as far as sums are kept (`ledger.retention.accounts`)'),
    work: HASHES,
    best: COUNT.describe('highest difficulty that a share ever reached'),
    rejected: COUNT.describe('submits that were no shares'),
    rejectedWork: HASHES.describe('what they would have been credited'),
    due: AMOUNT.describe('can be paid'),
    expected: AMOUNT.describe('of blocks that are not confirmed'),
    paying: AMOUNT,
    paid: AMOUNT,
  }),
  columns: {
    account: { kind: 'name', importance: 1 },
    rigs: { kind: 'count', importance: 5 },
    shares: { kind: 'count', importance: 3 },
    work: { kind: 'hashes', importance: 4 },
    best: { kind: 'hashes', importance: 6 },
    rejected: { kind: 'count', importance: 6 },
    rejectedWork: { kind: 'hashes', importance: 7, heading: 'rejected work' },
    due: { kind: 'amount', importance: 1 },
    expected: { kind: 'amount', importance: 4 },
    paying: { kind: 'amount', importance: 3 },
    paid: { kind: 'amount', importance: 2 },
  },
  command: {
    summary: 'shares, work and money of each account',
    examples: ['ledger accounts --config bridge.yaml'],
  },
});

const operator = listOf({
  name: 'operator',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/operator',
  summary: 'What the operator has, and what the pool should have on each chain',
  faults: [503],
  item: z.object({
    name: z.string().describe('operator, a chain, or elsewhere: what was paid where nobody has said'),
    balance: AMOUNT.describe(
      'of the operator its fees and rests, less what pay per share has cost; of a chain what its blocks brought, less what was paid on it',
    ),
    expected: AMOUNT.nullable().describe('of the operator, of blocks that are not confirmed; null of chains'),
  }),
  columns: {
    name: { kind: 'name', importance: 1 },
    balance: { kind: 'amount', importance: 1 },
    expected: { kind: 'amount', importance: 2 },
  },
  command: { summary: 'what the operator has, and what the pool should have on each chain' },
});

const logs = listOf({
  name: 'logs',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/logs',
  summary: 'Logs whose shares blocks may wait for, who is behind first: each is of one start of a bridge',
  faults: [503],
  item: z.object({
    id: z.string(),
    place: z.string().describe('host and data directory of its bridge'),
    startedAt: TIME,
    heardAt: TIME,
    watermark: TIME.describe('all that it accepted before is booked'),
    shares: COUNT,
    missing: z.string().describe('entries that did not come'),
    blocks: COUNT.describe('that wait for it'),
  }),
  columns: {
    // Taken over as it is, so never cut.
    id: { kind: 'count', importance: 1 },
    place: { kind: 'text', importance: 2 },
    heardAt: { kind: 'time', importance: 3, heading: 'heard (UTC)' },
    watermark: { kind: 'time', importance: 3, heading: 'all booked until (UTC)' },
    blocks: { kind: 'count', importance: 1, heading: 'blocks wait' },
    shares: { kind: 'count', importance: 4 },
    missing: { kind: 'text', importance: 5 },
    startedAt: { kind: 'time', importance: 6, heading: 'started (UTC)' },
  },
  command: { summary: 'logs whose shares blocks may wait for, and how many do' },
});

export const endLog = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Waits no longer for a log that nobody has any more, such as one on a disk that burnt',
  description: 'What it still has counts for later blocks, if it ever comes',
  method: 'POST',
  path: `${logs.path}/:id/end`,
  params: z.object({ id: z.string().max(100, 'the id of a log') }),
  body: z.strictObject(
    { note: line(500).describe('why, for who reads the timeline and the proof later') },
    BODY,
  ),
  output: z.object({ log: logs.item.describe('as it was') }),
  commands: {
    end: {
      summary: 'wait no longer for one that nobody has any more',
      about:
        'A block is split once every bridge has brought what it accepted before it, and one that was killed is waited for. What its log still ' +
        'has counts for later blocks, if it ever comes; `ledger verify` notes it.',
      words: '<name>',
      flags: ['note'],
      examples: ['ledger log end 8f0c2a4e-… --note "its disk burnt"'],
      given: (id) => ({ id }),
      said: ({ log: { place, watermark } }) => [
        `blocks wait for the log of ${place} no longer: what it accepted ${Date.parse(watermark) > 0 ? `after ${watermark}` : 'at all'} and did not bring counts for later blocks, if it comes`,
      ],
    },
  },
});

const rules = listOf({
  name: 'rules',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/rules',
  summary: 'The rules that all bridges go by, the last version first, in words',
  faults: [503],
  item: z.object({
    version: COUNT,
    holds: z.boolean().describe('it is in force now'),
    validFrom: TIME.nullable().describe('null: of ever'),
    rules: z.record(z.string(), z.string()).describe('by the settings that they were at first'),
    changes: z
      .string()
      .describe('what differs from the version before it; of the first one from what is usual'),
    madeAt: TIME,
    madeBy: z.string(),
  }),
  columns: {
    version: { kind: 'count', importance: 1 },
    holds: { kind: 'text', importance: 1, heading: 'in force', of: ({ holds }) => (holds ? 'yes' : 'no') },
    validFrom: { kind: 'time', importance: 2, heading: 'from (UTC)' },
    changes: { kind: 'text', importance: 1 },
    madeBy: { kind: 'text', importance: 3, heading: 'by' },
    madeAt: { kind: 'time', importance: 5, heading: 'made (UTC)' },
  },
  command: { summary: 'the rules that all bridges go by, each version with its time and what it changed' },
});

const TERMS = z
  .object({
    account: z.string(),
    feeBasisPoints: z.int().nullable().describe('in 1/10,000; null: as of everybody'),
    feeSince: TIME.nullable().describe('null also where the fee has been its own from the first rules on'),
    minimumPayout: AMOUNT.nullable().describe('it is paid from this balance on; null: as everybody'),
    wishedChain: z.int().nullable().describe('null: any'),
    beneficiaries: z.string().describe('whom it passes parts on to, such as k:…=12.5%; empty: nobody'),
    note: z.string(),
  })
  .meta({ id: 'AccountTerms' });

const terms = listOf({
  name: 'terms',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/terms',
  summary:
    'What is agreed with single accounts: their fee, and from which balance on and where they are paid',
  faults: [404, 503],
  more: {
    account: nameOf('account')
      .optional()
      .describe('only this one; without it, all that have any terms of their own'),
  },
  item: TERMS,
  columns: {
    account: { kind: 'name', importance: 1 },
    feeBasisPoints: { kind: 'count', importance: 1, heading: 'fee (basis points)' },
    feeSince: { kind: 'time', importance: 3, heading: 'since (UTC)' },
    minimumPayout: { kind: 'amount', importance: 1, heading: 'minimum payout' },
    wishedChain: { kind: 'count', importance: 2, heading: 'wished chain' },
    beneficiaries: { kind: 'name', importance: 3 },
    note: { kind: 'text', importance: 2 },
  },
  command: {
    summary: 'what is agreed with an account, or with all that have terms of their own',
    words: '[account]',
    given: (account) => ({ account }),
  },
});

const FEE_SAYS = 'default, or a part such as 0.5%: a bare 1 could be 1% or all of it';
const PARTS_SAY = 'none, or at most eight accounts of k: with their parts, such as k:…=12.5%,k:…=2%';
const MINIMUM_SAYS = 'default, or an amount above zero with up to 12 decimals';

export const setTerms = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Agrees on something else with an account, from now on',
  description: 'What is left out stays as it is. An account that has yet to come is made',
  method: 'PUT',
  path: '/api/v1/accounts/:account/terms',
  params: z.object(OF_ACCOUNT),
  body: z
    .strictObject(
      {
        fee: z
          .string(FEE_SAYS)
          .transform<number | 'default'>((given, context) => {
            const part = given === 'default' ? given : readQuantity(given, 'part');
            if (part === 'default' || (part !== undefined && part <= 10_000)) return part;
            context.addIssue(FEE_SAYS);
            return z.NEVER;
          })
          .optional()
          .describe("the operator's part of what it earns, such as 0.5%; default: as of everybody"),
        minimum: z
          .string(MINIMUM_SAYS)
          .transform<Amount | 'default'>((given, context) => {
            const amount = given === 'default' ? given : parseAmount(given);
            if (amount === 'default' || (amount !== undefined && amount > 0n)) return amount;
            context.addIssue(MINIMUM_SAYS);
            return z.NEVER;
          })
          .optional()
          .describe('it is paid from this balance on; default: as everybody'),
        chain: givenChain('any').optional().describe('where it wishes to be paid; any: wherever it may be'),
        beneficiaries: z
          .string(PARTS_SAY)
          .max(700, PARTS_SAY)
          .optional()
          .describe(
            'whom it passes parts of what it earns of blocks on to, such as k:…=12.5%,k:…=2%; none: nobody',
          ),
        note: z
          .string('a text')
          .max(500, 'a text of at most 500 characters')
          .optional()
          .describe('kept with the account'),
      },
      BODY,
    )
    .refine((change) => Object.values(change).some((value) => value !== undefined), {
      message: 'one or more of fee, minimum, chain, beneficiaries and note',
    }),
  output: z.object({ terms: TERMS }),
  commands: {
    set: {
      summary: 'agree on something else with it, from now on',
      about:
        'What no flag names stays as it is. A fee holds for blocks that are found, and shares that are paid, from now on.',
      words: '<account>',
      flags: ['fee', 'minimum', 'chain', 'beneficiaries', 'note'],
      examples: [
        'ledger account set k:ab12… --fee 0.5%',
        'ledger account set k:ab12… --minimum default --chain 3',
      ],
      given: (account) => ({ account }),
      said: ({ terms: { account, feeBasisPoints, minimumPayout, wishedChain, beneficiaries, note } }) => [
        `${account}: ${feeBasisPoints === null ? 'the fee of everybody' : `a fee of ${feeBasisPoints / 100} %`}, paid ${minimumPayout === null ? 'as everybody' : `from ${minimumPayout} on`}, on ${wishedChain === null ? 'any chain' : `chain ${wishedChain}`}`,
        ...(beneficiaries === '' ? [] : [`passes on ${beneficiaries} of what it earns of blocks`]),
        ...(note === '' ? [] : [`note: ${note}`]),
      ],
    },
  },
});

const statement = {
  ...listOf({
    name: 'statement',
    // Each answer is made of all of its lines: a year has no more.
    most: 60_000,
    tag: TAG,
    access: 'read',
    path: '/api/v1/accounts/:account/statement',
    summary: 'What an account earned and was paid in a span of time, between the balance before and after it',
    faults: [404, 503],
    more: {
      from: GIVEN_TIME.optional().describe('from when on, such as 2026-12-01 or 2026-12-01T06:30 (UTC)'),
      to: GIVEN_TIME.optional().describe('until when; what begins then is not in it'),
    },
    item: z
      .object({
        at: TIME.nullable().describe(
          'of ten minutes their beginning, after a month of the day; null where nobody asked for a beginning or an end',
        ),
        what: z
          .string()
          .describe(
            'opening balance, closing balance, or why money was transferred: block, paid, correction',
          ),
        payouts: z.string().describe('those that it was paid in'),
        change: AMOUNT.nullable().describe('of the balance; null in the first and the last line'),
        paid: AMOUNT.nullable().describe('how much of that was paid; null in the first and the last line'),
        balance: AMOUNT.describe('afterwards'),
      })
      .meta({ id: 'StatementLine' }),
    columns: {
      at: { kind: 'time', importance: 1, heading: 'from (UTC)' },
      what: { kind: 'text', importance: 1 },
      change: { kind: 'amount', importance: 1 },
      balance: { kind: 'amount', importance: 1 },
      paid: { kind: 'amount', importance: 2 },
      payouts: { kind: 'text', importance: 3 },
    },
    command: {
      summary: 'what an account earned and was paid in a span of time',
      words: '<account>',
      given: (account) => ({ account }),
      examples: [
        'ledger statement k:ab12… --from 2026-11-01 --to 2026-12-01',
        'ledger statement k:ab12… --csv',
      ],
    },
  }),
  params: z.object({ account: nameOf('account').min(1, 'the name of an account') }),
};

export const ledgerLists = {
  ...{ accounts: bookedAccounts, operator, logs, rules, terms, statement, chains, payer, transactions },
} as const;
type Lists = typeof ledgerLists;
/** An item of each, and what is asked. */
export type LedgerLists = { readonly [Name in keyof Lists]: z.output<Lists[Name]['item']> };
export type LedgerQuestions = { readonly [Name in keyof Lists]: QuestionOf<Lists[Name]> };
export type AccountTerms = LedgerLists['terms'];
export type StatementLine = LedgerLists['statement'];
