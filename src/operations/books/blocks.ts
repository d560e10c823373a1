/** Blocks that the pool found, and who gets what of each. */
import { z } from 'zod';
import { loginText } from '../../core/names/names.js';
import { AMOUNT, BEST_EVER, HASHES, numberOf, SLICE, TIME, wholeNumber } from '../entry/fields.js';
import { type Operation, pagesOf } from '../entry/operation.js';
import { BOOKED_STATES } from '../enums.js';

const TAG = 'books';
const COUNT = z.int().nonnegative();
const MAX_CHAIN = 2 ** 16;

const STATE = z
  .enum(BOOKED_STATES, `one of ${BOOKED_STATES.join(', ')}`)
  .describe(
    'pending: not deep enough yet. orphaned: another one is confirmed in its place. unclaimed: it pays the pool, and no bridge has named it; disowned: the same, and nobody is to get it. found and refused are solutions that no node has taken',
  );

const EFFORT = z
  .number()
  .nullable()
  .describe(
    'work of the pool since its block before, in parts of what a block takes on average: 1.43 is 143 % of the expected work. null before it was weighed',
  );

const BLOCK = z
  .object({
    id: z.string(),
    state: STATE,
    chainId: z.int(),
    height: z.int(),
    hash: z.string().describe('as computed from its header; empty while it is no block'),
    depth: COUNT.describe('blocks from its height to the head of its chain; 0 where it is none of it'),
    reward: AMOUNT.nullable().describe('null while it is not known'),
    finder: z
      .object({ account: z.string(), rig: z.string() })
      .nullable()
      .describe('null for anonymous users'),
    node: z.string().nullable().describe('that gave the work and got the solution; null for anonymous users'),
    detail: z
      .string()
      .nullable()
      .describe(
        "the node's words to it, or why it pays nobody yet; empty when all is well, null for anonymous users",
      ),
    foundAt: TIME,
    effort: EFFORT,
  })
  .meta({ id: 'Block' });

export type Block = z.output<typeof BLOCK>;

const SINCE_LAST = z
  .object({
    since: TIME.describe('when the last block was found, or the books began'),
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

export const blocks = pagesOf({
  name: 'blocks',
  tag: TAG,
  summary: 'Blocks that the pool found, the latest first, with luck and the work since the last one',
  description:
    'From the ledger: of all bridges on it. Without `state`: every solution that a node may have taken. Anonymous users are told neither finder nor node',
  access: 'miner',
  faults: [503],
  more: {
    state: STATE.optional().describe('only those in this state'),
    chain: wholeNumber(0, MAX_CHAIN).optional().describe('of one chain'),
  },
  beside: { sinceLast: SINCE_LAST, luck: LUCK, bestEver: BEST_EVER },
  item: BLOCK,
  columns: {
    id: { kind: 'count', importance: 4 },
    foundAt: { kind: 'time', importance: 3, heading: 'found (UTC)' },
    chainId: { kind: 'count', importance: 1, heading: 'chain' },
    height: { kind: 'count', importance: 1 },
    state: { kind: 'text', importance: 1 },
    depth: { kind: 'count', importance: 4 },
    reward: { kind: 'amount', importance: 2 },
    effort: { kind: 'text', importance: 5, of: ({ effort }) => effort && `${Math.round(100 * effort)} %` },
    finder: { kind: 'name', importance: 5, of: ({ finder }) => finder && loginText(finder) },
    hash: { kind: 'name', importance: 7 },
    node: { kind: 'name', importance: 8 },
    detail: { kind: 'text', importance: 6 },
  },
  command: {
    summary: 'blocks that the pool found, and why one pays nobody yet',
    about:
      'Without --state: every solution that a node may have taken; those that none has are of the states found and refused.',
    examples: ['ledger blocks', 'ledger blocks --state orphaned'],
  },
});
export type BlocksQuestion = z.output<typeof blocks.input>;
export type Blocks = z.output<typeof blocks.output>;

export const split = {
  tag: TAG,
  access: 'read',
  summary: 'Who gets what of a block',
  path: '/api/v1/blocks/:id/split',
  params: z.object({ id: numberOf('block') }),
  input: z.strictObject(SLICE),
  output: z
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
      reward: AMOUNT.nullable().describe('while it is pending as expected; null while it is not known'),
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
    .meta({ id: 'BlockSplit' }),
  faults: [404, 503],
} satisfies Operation;
export type BlockSplit = z.output<typeof split.output>;
