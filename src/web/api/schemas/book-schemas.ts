/** What the API gives of the books: money, blocks, payouts and history. */
import { z } from 'zod';
import { BOOKED_METRICS, BOOKED_STATES } from '../../../bridge/watch/books-watch.js';
import { MONEY_FIELDS } from '../../../operations/accounts.js';
import { AMOUNT, HASH_RATE, HASHES, TIME, wholeNumber } from '../../../operations/fields.js';
import { PAYMENT_STATE } from './payer-schemas.js';

const COUNT = z.int().nonnegative();
/** Of lists that grow at their head. */
export const PAGE = {
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'the `next` of a page before')
    .optional()
    .describe('the `next` of the page before: what comes meanwhile moves no page'),
  limit: wholeNumber(1, 1000).default(100),
};

export const NEXT = z.string().nullable().describe('ask with `before` for what follows; null at the end');

export const MONEY = z
  .object(MONEY_FIELDS)
  .meta({ id: 'Money', description: 'Of all accounts on the ledger together' });

const BEST_EVER = z
  .object({ difficulty: HASHES, at: TIME.describe('the minute of it') })
  .nullable()
  .describe('highest difficulty that a share ever reached, at whatever bridge; null before the first');

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
    payout: z.string().describe('number of the payout that it is in'),
    amount: AMOUNT,
    state: PAYMENT_STATE,
    chainId: z.int().nullable().describe('null: nobody has said'),
    requestKey: z.string().nullable().describe('of the transaction that pays it'),
    blockHeight: z.int().nullable().describe('of the block that it is in'),
    blockHash: z.string().nullable(),
    preparedAt: TIME,
    changedAt: TIME,
    note: z.string().describe('what the operator wrote, such as a transaction'),
  })
  .meta({ id: 'Payment' });

const EXPECTED = z
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
  .meta({ id: 'ExpectedReward', description: 'perDay = blocksPerDay x reward x (1 - fee)' });

export const ACCOUNT_DETAILS = z
  .object({
    account: z.string(),
    ...MONEY_FIELDS,
    hashRate: HASH_RATE.nullable().describe(
      'of all bridges on the ledger, over up to an hour; null without a share',
    ),
    expected: EXPECTED,
    bestEver: BEST_EVER,
    rigCount: COUNT.describe('that ever had a share booked'),
    rigs: z.array(ACCOUNT_RIG).describe('those with the latest shares, at most 1000'),
    payments: z.array(PAYMENT).describe('the latest first, at most 100'),
    payout: z
      .object({
        minimum: AMOUNT.nullable().describe('its own: it is paid from this balance on; null: as everybody'),
        wishedChain: z.int().nullable().describe('null: any'),
        wishedAt: TIME.nullable().describe('of the last wish that its key signed'),
        held: z.string().nullable().describe('why it is not paid now; null: nothing is in the way'),
        nextRun: TIME.nullable().describe('of payouts on chain; null: nothing is planned'),
      })
      .describe('how it is paid, and when next'),
  })
  .meta({ id: 'AccountDetails' });

export const STATE = z
  .enum(BOOKED_STATES, `one of ${BOOKED_STATES.join(', ')}`)
  .describe(
    'pending: no node has shown it yet. unknown: nodes have gone past its height without it. found and refused are solutions that no node has taken',
  );

const EFFORT = z
  .number()
  .nullable()
  .describe(
    'work of the pool since its block before, in parts of what a block takes on average: 1.43 is 143 % of the expected work. null for what no node has shown on its chain',
  );

export const BLOCK = z
  .object({
    id: z.string(),
    state: STATE,
    chainId: z.int(),
    height: z.int(),
    hash: z.string().describe('as computed from its header; empty while it is no block'),
    depth: COUNT.describe('blocks on its chain from this one on, itself included; 0 off the chain'),
    reward: AMOUNT.nullable().describe('null while it is not known'),
    finder: z.object({ account: z.string(), rig: z.string() }).nullable().describe('null for strangers'),
    node: z.string().nullable().describe('that gave the work and got the solution; null for strangers'),
    detail: z
      .string()
      .nullable()
      .describe(
        "the node's words to it, or why it pays nobody yet; empty when all is well, null for strangers",
      ),
    foundAt: TIME,
    effort: EFFORT,
  })
  .meta({ id: 'Block' });

export const BLOCK_SPLIT = z
  .object({
    id: z.string(),
    state: STATE,
    scheme: z
      .string()
      .nullable()
      .describe('rewards.scheme as it was when the block was first seen on its chain; null before'),
    fee: z
      .number()
      .nullable()
      .describe('part that the operator keeps, 0 to 1, of accounts without a fee of their own'),
    reward: AMOUNT.nullable().describe('null while it is not known'),
    total: COUNT.describe('lines of the whole list'),
    offset: z.int(),
    limit: z.int(),
    lines: z
      .array(
        z.object({
          account: z.string().nullable().describe('null for what the operator keeps'),
          amount: AMOUNT,
        }),
      )
      .describe(
        'the most first; together they are the reward. Held until the block is confirmed, and not paid when it is orphaned',
      ),
  })
  .meta({ id: 'BlockSplit' });

const SINCE_LAST = z
  .object({
    since: TIME.describe('when the last block was seen on its chain, or the books began'),
    work: HASHES,
    effort: z
      .number()
      .nullable()
      .describe(
        'work since the last block, in parts of what a block takes on average: 1.43 is 143 % of the expected. It tells nothing of when the next one comes. null while no node gives work',
      ),
    blockDifficulty: z
      .number()
      .nullable()
      .describe(
        'expected hashes of a block, over the works that are mined now; null while no node gives work',
      ),
  })
  .meta({ id: 'SinceLastBlock' });

const LUCK = z
  .object({
    luck: z
      .number()
      .describe(
        'blocks that were seen over those that the work was expected to find: above 1 there were more',
      ),
    standardError: z.number().describe('by chance alone: two of three times luck is this near to 1'),
    blocks: COUNT.describe('the last ones that were seen on their chains, orphans included; at most 100'),
  })
  .nullable()
  .describe('null for fewer than ten blocks, of which it would say nothing');

export const BLOCKS = z
  .object({ blocks: z.array(BLOCK), next: NEXT, sinceLast: SINCE_LAST, luck: LUCK, bestEver: BEST_EVER })
  .meta({ id: 'Blocks' });

export const PAYOUT = z
  .object({
    id: z.string(),
    name: z.string().describe('no other payout of any copy of these books has it'),
    state: z
      .enum(['prepared', 'sent', 'failed', 'unknown'])
      .describe(
        'of its payments: prepared while one is, else unknown (on hold) while one is, failed when all are',
      ),
    chainId: z.int().nullable().describe('where it is paid; null: nobody has said'),
    payments: z
      .object({ prepared: COUNT, sent: COUNT, confirmed: COUNT, failed: COUNT, unknown: COUNT, held: COUNT })
      .describe('how many are in each state'),
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

export const PAYOUTS = z.object({ payouts: z.array(PAYOUT), next: NEXT });

export const PAYOUT_LINES = PAYOUT.extend({
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
}).meta({ id: 'PayoutLines' });

const COLUMN = z.array(z.number().nullable());

export const HISTORY = z
  .object({
    metric: z.enum(BOOKED_METRICS),
    of: z.string(),
    range: z.string(),
    from: TIME.describe('when the first step begins'),
    until: TIME.describe('what is counted reaches to here, in the last step'),
    stepMs: z.int(),
    values: COLUMN.describe('one a step; null where there was no data'),
    others: z.record(z.string(), COLUMN).describe('columns that go with the values, by name'),
  })
  .meta({ id: 'History' });
