/** Payments on chain: who pays, what stands in its way, and one payment with all that happened to it. */
import { z } from 'zod';
import { TIME } from '../../../operations/fields.js';

const COUNT = z.int().nonnegative();
const AMOUNT = z.string().describe('a decimal of the coin of the chain');
const HEIGHT = z.int().nullable();

export const PAYMENT_STATE = z
  .enum(['prepared', 'sent', 'confirmed', 'failed', 'unknown', 'held'])
  .describe('held: it failed alone, its amount is back in the balance, and its account waits to be allowed');

const TRANSACTION_STATE = z
  .enum([
    'built',
    'signed',
    'sent',
    'included',
    'confirmed',
    'final',
    'refused',
    'expired',
    'dropped',
    'unknown',
  ])
  .describe('refused, expired and dropped are dead by proof: nothing of them will ever be paid');

export const PAID_LINE = z
  .object({
    id: z.string().describe('of the payment'),
    payout: z.string().describe('name of its payout'),
    account: z.string(),
    part: COUNT.describe('of an amount that no single chain has'),
    chainId: z.int().nullable(),
    amount: AMOUNT,
    state: PAYMENT_STATE,
    note: z.string(),
    attempt: COUNT.nullable().describe('null while nothing was built'),
    transaction: TRANSACTION_STATE.nullable().describe('of its last attempt'),
    requestKey: z.string().nullable(),
    blockHeight: HEIGHT,
    blockHash: z.string().nullable(),
    gasPaid: AMOUNT.nullable(),
    changedAt: TIME,
  })
  .meta({ id: 'PaidLine' });

export const PAID_LINES = z.object({
  total: COUNT,
  offset: z.int(),
  limit: z.int(),
  lines: z.array(PAID_LINE).describe('by account name'),
});

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
    lines: z
      .object({ prepared: COUNT, sent: COUNT, confirmed: COUNT, failed: COUNT, unknown: COUNT, held: COUNT })
      .describe('payments of payouts that are not settled'),
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
              amount: AMOUNT,
              until: TIME.describe('by the time of its chain; then another transaction is made'),
            }),
          )
          .describe('the oldest first; at most 100'),
      })
      .describe('payments that wait for signatures from elsewhere'),
    chains: z.array(
      z.object({
        chainId: z.int(),
        coins: AMOUNT.nullable().describe('of the paying account, in checked blocks deep enough'),
        height: HEIGHT.describe('up to where blocks were read'),
        waiting: AMOUNT.describe('what payments that are not settled want of it'),
        missing: AMOUNT.describe('coins that payments there wait for: send them to the account'),
        lines: COUNT,
        head: z.object({ height: z.int(), at: TIME }).nullable(),
        trouble: z.string().describe('why nothing new is sent there; empty: nothing'),
      }),
    ),
    holds: z.array(HOLD).describe('accounts that are not paid now, the latest first; at most 1000'),
  })
  .meta({ id: 'Payer' });

export const EVIDENCE_OF_PAYMENT = z
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
          gasPaid: AMOUNT.nullable(),
          why: z.string(),
          sentAt: TIME.nullable(),
        }),
      )
      .describe('the last first'),
    events: z
      .array(z.object({ at: TIME, by: z.string(), was: z.string(), now: z.string(), evidence: EVIDENCE }))
      .describe('the latest first, at most 200'),
  })
  .meta({ id: 'PaymentEvidence' });

const BODY = 'a JSON object';
const WHY = z.string('a text').min(1, 'a text that says why').max(500, 'a text of at most 500 characters');

export const APPROVAL = z.strictObject(
  {
    contentHash: z
      .string('a content hash')
      .regex(/^[0-9a-f]{64}$/, 'the content hash of the payout: 64 hex digits in small letters')
      .describe('of what was looked at: another content is not approved by it'),
  },
  BODY,
);
export const REASON = z.strictObject({ note: WHY }, BODY);
export const RESUMED = z.strictObject(
  {
    note: WHY,
    anyway: z
      .boolean('true or false')
      .default(false)
      .describe('although checks of money fail, or restored books were not compared with the chain'),
  },
  BODY,
);
const CHAIN = z
  .int('the number of a chain')
  .min(0, 'the number of a chain')
  .max(2 ** 31 - 1, 'the number of a chain')
  .optional()
  .describe('only there');
const ACCOUNT = z.string('the name of an account').min(1, 'the name of an account');
export const HELD = z.strictObject(
  {
    ...{ account: ACCOUNT, chainId: CHAIN, note: WHY },
    until: z.iso
      .datetime({ offset: true, error: 'a time such as 2026-11-22T15:26:37.123Z' })
      .optional()
      .describe('absent: until it is allowed'),
  },
  BODY,
);
export const ALLOWED = z.strictObject({ account: ACCOUNT, chainId: CHAIN, note: WHY }, BODY);

/** What is signed, as JSON in a text. */
export const WISH = z.strictObject({
  account: z.string(),
  minimum: z.string().max(40).nullable(),
  chain: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .nullable(),
  time: z.iso.datetime({ offset: true }),
});

const WISH_SAYS = 'a text of at most 1000 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';
export const WISHED = z.strictObject(
  {
    wish: z
      .string(WISH_SAYS)
      .max(1_000, WISH_SAYS)
      .describe(
        'as it was signed, to the byte: {"account":"k:…","minimum":"5","chain":3,"time":"2026-11-22T15:26:37Z"}; null for a minimum as everybody has, and for any chain',
      ),
    signature: z
      .string(SIGNATURE_SAYS)
      .regex(/^[0-9a-f]{128}$/i, SIGNATURE_SAYS)
      .describe('of that text in UTF-8, by the key of the account'),
  },
  BODY,
);
