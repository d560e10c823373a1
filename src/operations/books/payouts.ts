/** Payouts and their payments. */
import { z } from 'zod';
import { AMOUNT, SLICE, TIME } from '../entry/fields.js';
import { listOf, type Operation, pagesOf } from '../entry/operation.js';
import { PAYMENT_STATES, PAYOUT_STATES, type PaymentState } from '../enums.js';

const TAG = 'books';
const COUNT = z.int().nonnegative();
const STATE_COUNTS = z.object(
  Object.fromEntries(PAYMENT_STATES.map((state) => [state, COUNT])) as Record<PaymentState, typeof COUNT>,
);

/** As a part of a path. */
export const PAYOUT_ID = z
  .string()
  .regex(/^(\d{1,18}|[0-9a-z]{1,20}-\d{1,18})$/, 'the number of a payout, or its name such as 3f9ea-7');

export const PAYMENT_STATE = z.enum(PAYMENT_STATES);

export const PAYOUT = z
  .object({
    id: z.string(),
    name: z.string().describe('no other payout of any copy of these books has it'),
    state: z
      .enum(PAYOUT_STATES)
      .describe('of its payments: prepared while one is, else unknown while one is, failed when all are'),
    chainId: z.int().nullable().describe('where it is paid; null: nobody has said'),
    payments: STATE_COUNTS.describe('how many are in each state'),
    preparedAt: TIME,
    changedAt: TIME,
    minimum: AMOUNT.describe('balances from here up are in it'),
    note: z.string(),
    total: AMOUNT,
    accounts: COUNT,
    isSettled: z.boolean().describe('none of its payments is prepared or unknown'),
    hash: z
      .string()
      .nullable()
      .describe('of its lines, which people approve before they are paid on chain; null: it is paid by hand'),
    approvals: COUNT.describe('how many people have to approve it'),
    approvalWhy: z.string().describe('why'),
    approvedBy: z.array(z.string()),
  })
  .meta({ id: 'Payout' });

export type Payout = z.output<typeof PAYOUT>;

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
    state: { kind: 'text', importance: 1 },
    total: { kind: 'amount', importance: 1 },
    accounts: { kind: 'count', importance: 2 },
    payments: { kind: 'counts', importance: 2 },
    preparedAt: { kind: 'time', importance: 4, heading: 'prepared (UTC)' },
    changedAt: { kind: 'time', importance: 5, heading: 'changed (UTC)' },
    minimum: { kind: 'amount', importance: 6 },
    note: { kind: 'text', importance: 4 },
    chainId: { kind: 'count', importance: 6, heading: 'chain' },
    approvals: {
      kind: 'text',
      importance: 3,
      heading: 'approved',
      of: ({ hash, approvals, approvedBy }) => (hash === null ? '' : `${approvedBy.length} of ${approvals}`),
    },
    hash: { kind: 'name', importance: 4 },
    approvalWhy: { kind: 'text', importance: 6, heading: 'why' },
    approvedBy: { kind: 'text', importance: 6, heading: 'approved by' },
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
          chainId: z.int().nullable().describe('where it is to be paid; null: on any chain'),
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
    account: z.string(),
    chainId: z.int().nullable().describe('null: nobody has said'),
    amount: AMOUNT,
    state: PAYMENT_STATE,
    requestKey: z.string().nullable().describe('of the transaction that pays it'),
    note: z.string(),
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
    summary: 'Payments of a payout, and what became of each',
    faults: [404, 503],
    item: PAID_LINE,
    columns: {
      account: { kind: 'name', importance: 1 },
      chainId: { kind: 'count', importance: 3, heading: 'chain' },
      amount: { kind: 'amount', importance: 1 },
      state: { kind: 'text', importance: 1 },
      requestKey: { kind: 'name', importance: 3, heading: 'request key' },
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
