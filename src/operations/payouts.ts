/** Payouts and their payments; who pays on chain, what stands in its way, and one payment with all that happened to it. */
import { z } from 'zod';
import type { Columns } from './entry/columns.js';
import { AMOUNT, SLICE, TIME } from './entry/fields.js';
import { listOf, type Operation, pagesOf } from './entry/operation.js';
import { PAYMENT_STATES, PAYOUT_STATES, type PaymentState, TRANSACTION_STATES } from './enums.js';

const TAG = 'books';
const COUNT = z.int().nonnegative();
/** What a chain or its payer says. */
const DECIMAL = z.string().describe('a decimal of the coin of the chain');
const HEIGHT = z.int().nullable();
const STATE_COUNTS = z.object(
  Object.fromEntries(PAYMENT_STATES.map((state) => [state, COUNT])) as Record<PaymentState, typeof COUNT>,
);

/** As a part of a path. */
export const PAYOUT_ID = z
  .string()
  .regex(/^(\d{1,18}|[0-9a-z]{1,20}-\d{1,18})$/, 'the number of a payout, or its name such as 3f9ea-7');

export const PAYMENT_STATE = z
  .enum(PAYMENT_STATES)
  .describe('held: it failed alone, its amount is back in the balance, and its account waits to be allowed');

const TRANSACTION_STATE = z
  .enum(TRANSACTION_STATES)
  .describe('refused, expired and dropped are dead by proof: nothing of them will ever be paid');

export const PAYOUT = z
  .object({
    id: z.string(),
    name: z.string().describe('no other payout of any copy of these books has it'),
    state: z
      .enum(PAYOUT_STATES)
      .describe(
        'of its payments: prepared while one is, else unknown (on hold) while one is, failed when all are',
      ),
    chainId: z.int().nullable().describe('where it is paid; null: nobody has said'),
    payments: STATE_COUNTS.describe('how many are in each state'),
    preparedAt: TIME,
    changedAt: TIME,
    minimum: AMOUNT.describe('balances from here up are in it'),
    note: z.string(),
    total: AMOUNT,
    accounts: COUNT,
    paidBy: z.enum(['manual', 'chain']).describe('by hand, or on chain by a bridge'),
    contentHash: z
      .string()
      .nullable()
      .describe('SHA-256 over its lines, hex: what an approval is of; null where nobody approves'),
    approval: z
      .object({ why: z.string(), needed: COUNT, given: COUNT.describe('of what stands in it now') })
      .nullable()
      .describe('null: nobody has to approve it'),
    isRejected: z.boolean(),
    isSettled: z.boolean().describe('all of its payments had their last word'),
  })
  .meta({ id: 'Payout' });

export type Payout = z.output<typeof PAYOUT>;

/** How far it is: of what a bridge pays more is known than of what people pay by hand. */
function stateOf({ paidBy, state, isRejected, isSettled, approval }: Payout): string {
  if (paidBy === 'manual') return state;
  if (isRejected) return isSettled ? 'rejected' : 'rejected, the rest followed';
  if (isSettled) return 'settled';
  return approval && approval.given < approval.needed ? 'waits for approval' : 'under way';
}

export const payouts = pagesOf({
  name: 'payouts',
  tag: TAG,
  access: 'read',
  summary: 'Payouts, the latest first',
  faults: [503],
  most: 100,
  more: {
    only: z.enum(['open'], 'open').optional().describe('open: those that are not settled'),
  },
  item: PAYOUT,
  columns: {
    name: { kind: 'text', importance: 1, heading: 'payout' },
    state: { kind: 'text', importance: 1, of: stateOf },
    total: { kind: 'amount', importance: 1 },
    accounts: { kind: 'count', importance: 2 },
    payments: { kind: 'counts', importance: 2 },
    approvals: {
      kind: 'text',
      importance: 3,
      of: ({ approval }) => approval && `${approval.given} of ${approval.needed}`,
    },
    contentHash: { kind: 'name', importance: 3, heading: 'content hash' },
    approvalFor: {
      kind: 'text',
      importance: 5,
      heading: 'why approved',
      of: ({ approval }) => approval?.why,
    },
    preparedAt: { kind: 'time', importance: 4, heading: 'prepared (UTC)' },
    changedAt: { kind: 'time', importance: 5, heading: 'changed (UTC)' },
    minimum: { kind: 'amount', importance: 6 },
    note: { kind: 'text', importance: 4 },
    paidBy: { kind: 'text', importance: 7, heading: 'paid by' },
    chainId: { kind: 'count', importance: 6, heading: 'chain' },
    id: { kind: 'count', importance: 7 },
  },
  command: { summary: 'payouts, the latest first' },
});

export const payout = {
  tag: TAG,
  access: 'read',
  summary: 'A payout, and whom it pays',
  path: '/api/v1/payouts/:id',
  params: z.object({ id: PAYOUT_ID }),
  input: z.strictObject(SLICE),
  output: PAYOUT.extend({
    offset: z.int(),
    limit: z.int(),
    lines: z
      .array(
        z.object({
          account: z.string(),
          amount: AMOUNT,
          state: PAYMENT_STATE,
          requestKey: z.string().nullable().describe('of the transaction that pays it'),
        }),
      )
      .describe('by account name'),
  }).meta({ id: 'PayoutLines' }),
  faults: [404, 503],
} satisfies Operation;
export type PayoutsQuestion = z.output<typeof payouts.input>;
export type PayoutLines = z.output<typeof payout.output>;

const PAID_LINE = z
  .object({
    id: z.string().describe('of the payment'),
    payout: z.string().describe('name of its payout'),
    account: z.string(),
    part: COUNT.describe('of an amount that no single chain has'),
    chainId: z.int().nullable(),
    amount: DECIMAL,
    state: PAYMENT_STATE,
    note: z.string(),
    attempt: COUNT.nullable().describe('null while nothing was built'),
    transaction: TRANSACTION_STATE.nullable().describe('of its last attempt'),
    requestKey: z.string().nullable(),
    blockHeight: HEIGHT,
    blockHash: z.string().nullable(),
    gasPaid: DECIMAL.nullable(),
    changedAt: TIME,
  })
  .meta({ id: 'PaidLine' });

export type PaidLine = z.output<typeof PAID_LINE>;

export const paidLines = {
  ...listOf({
    name: 'lines',
    tag: TAG,
    access: 'read',
    path: '/api/v1/payouts/:id/lines',
    summary:
      'Payments of a payout, with the transaction that pays each: its state, request key, block and gas',
    faults: [404, 503],
    item: PAID_LINE,
    columns: {
      id: { kind: 'count', importance: 2, heading: 'payment' },
      payout: { kind: 'text', importance: 4 },
      account: { kind: 'name', importance: 1 },
      part: { kind: 'count', importance: 7 },
      chainId: { kind: 'count', importance: 1, heading: 'chain' },
      amount: { kind: 'amount', importance: 1 },
      state: { kind: 'text', importance: 1 },
      transaction: { kind: 'text', importance: 3 },
      requestKey: { kind: 'name', importance: 3, heading: 'request key' },
      blockHeight: { kind: 'count', importance: 4, heading: 'block' },
      blockHash: { kind: 'name', importance: 6, heading: 'block hash' },
      gasPaid: { kind: 'amount', importance: 5, heading: 'gas' },
      note: { kind: 'text', importance: 3 },
      changedAt: { kind: 'time', importance: 5, heading: 'changed (UTC)' },
    },
    command: {
      summary: 'whom it pays, and what came of it',
      words: '<payout>',
      given: (id) => ({ id }),
    },
  }),
  params: z.object({ id: PAYOUT_ID }),
};

export const HOLD = z
  .object({
    account: z.string(),
    chainId: z.int().nullable().describe('null: on all chains'),
    until: TIME.nullable().describe('null: until somebody allows it'),
    note: z.string(),
    by: z.string(),
    at: TIME,
  })
  .meta({ id: 'PayoutHold' });

export type Hold = z.output<typeof HOLD>;

const EVIDENCE = z.record(z.string(), z.unknown()).describe('node, height, hash and the like');

export const PAYER = z
  .object({
    isPaying: z.boolean().describe('a bridge pays on chain at this moment'),
    place: z.string().describe('of who pays, or paid last'),
    account: z.string().nullable().describe('that pays; null: never yet'),
    network: z.string().nullable(),
    paused: z
      .object({
        kind: z.string().describe('one word'),
        says: z.string(),
        advice: z.string().describe('what a person does about it'),
        by: z.string(),
        since: TIME,
        evidence: EVIDENCE,
      })
      .nullable(),
    lastRun: TIME.nullable(),
    nextRun: TIME.nullable().describe('null: only when somebody asks'),
    askedAt: TIME.nullable().describe('since when a batch is wanted that was not planned yet'),
    whyNot: z.string().describe('why the last run made no batch, or what is not in it; may be empty'),
    next: z.array(z.string()).describe('what batches wait for, and what a person does about it'),
    unapproved: COUNT.describe('batches that wait for approval'),
    lines: STATE_COUNTS.describe('payments of payouts that are not settled'),
    awaited: z
      .object({
        total: COUNT,
        says: z.string().describe('what to type; empty where nothing waits'),
        lines: z
          .array(
            z.object({
              id: z.string().describe('of the payment'),
              payout: z.string(),
              account: z.string(),
              chainId: z.int(),
              amount: DECIMAL,
              until: TIME.describe('by the time of its chain; then another transaction is made'),
            }),
          )
          .describe('the oldest first; at most 100'),
      })
      .describe('payments that wait for signatures from elsewhere'),
    chains: z.array(
      z.object({
        chainId: z.int(),
        coins: DECIMAL.nullable().describe('of the paying account, in checked blocks deep enough'),
        height: HEIGHT.describe('up to where blocks were read'),
        waiting: DECIMAL.describe('what payments that are not settled want of it'),
        missing: DECIMAL.describe('coins that payments there wait for: send them to the account'),
        lines: COUNT,
        head: z.object({ height: z.int(), at: TIME }).nullable(),
        trouble: z.string().describe('why nothing new is sent there; empty: nothing'),
      }),
    ),
    holds: z.array(HOLD).describe('accounts that are not paid now, the latest first; at most 1000'),
  })
  .meta({ id: 'Payer' });

export type Payer = z.output<typeof PAYER>;

export const CHAIN_COLUMNS: Columns<Payer['chains'][number]> = {
  chainId: { kind: 'count', importance: 1, heading: 'chain' },
  coins: { kind: 'amount', importance: 1 },
  waiting: { kind: 'amount', importance: 1 },
  missing: { kind: 'amount', importance: 2 },
  lines: { kind: 'count', importance: 3 },
  height: { kind: 'count', importance: 5, heading: 'read to' },
  head: { kind: 'count', importance: 4, of: ({ head }) => head?.height },
  trouble: { kind: 'text', importance: 1 },
};

export const HOLD_COLUMNS: Columns<Hold> = {
  account: { kind: 'name', importance: 1 },
  chainId: { kind: 'count', importance: 2, heading: 'chain' },
  until: { kind: 'time', importance: 3, heading: 'until (UTC)' },
  note: { kind: 'text', importance: 1 },
  by: { kind: 'text', importance: 4 },
  at: { kind: 'time', importance: 5, heading: 'since (UTC)' },
};

export const payer = {
  tag: TAG,
  access: 'read',
  summary:
    'Who pays on chain: whether it is paused and why, its runs, its chains with their coins, and who is held',
  path: '/api/v1/payouts/payer',
  output: PAYER,
  faults: [503],
} satisfies Operation;

export const payment = {
  tag: TAG,
  access: 'read',
  summary:
    'One payment on chain: its transactions with the texts that were signed, and each step with what showed it',
  path: '/api/v1/payments/:id/evidence',
  params: z.object({
    id: z
      .string()
      .regex(/^(\d{1,18}|[\w-]{43})$/, 'the number of a payment, or a request key of 43 characters')
      .describe('number of a payment, or request key of one of its transactions'),
  }),
  output: z
    .object({
      line: PAID_LINE,
      attempts: z
        .array(
          z.object({
            attempt: COUNT,
            state: TRANSACTION_STATE,
            requestKey: z.string(),
            cmd: z.string().describe('the text that is signed: its BLAKE2b-256 is the request key'),
            blockHeight: HEIGHT,
            blockHash: z.string().nullable(),
            gasPaid: DECIMAL.nullable(),
            why: z.string(),
            sentAt: TIME.nullable(),
          }),
        )
        .describe('the last first'),
      events: z
        .array(z.object({ at: TIME, by: z.string(), was: z.string(), now: z.string(), evidence: EVIDENCE }))
        .describe('the latest first, at most 200'),
    })
    .meta({ id: 'PaymentEvidence' }),
  faults: [404, 503],
} satisfies Operation;
export type Evidence = z.output<typeof payment.output>;

export const STEP_COLUMNS: Columns<Evidence['events'][number]> = {
  at: { kind: 'time', importance: 1, heading: 'at (UTC)' },
  was: { kind: 'text', importance: 1 },
  now: { kind: 'text', importance: 1 },
  by: { kind: 'text', importance: 3 },
  evidence: { kind: 'text', importance: 2 },
};
