/** Chains as the ledger follows them: where each stands, and what a person decides where one stands still. */
import { z } from 'zod';
import { AMOUNT, BODY, COUNT, givenChain, line, numberOf, OF_ACCOUNT, TIME } from '../entry/fields.js';
import { listOf, orderOf } from '../entry/operation.js';

const NOTE = { note: line(500).describe('why, for who reads the timeline later') };
const HASH_SAYS = 'the hash of a block, of 43 characters';

export const chains = listOf({
  name: 'chains',
  tag: 'books',
  access: 'read',
  path: '/api/v1/ledger/chains',
  summary: 'Chains that the ledger follows: how far their blocks were taken over, and why one stands still',
  faults: [503],
  item: z
    .object({
      chainId: z.int(),
      network: z.string(),
      height: COUNT.nullable().describe('of the last block that was taken over; null before the first one'),
      hash: z.string().nullable(),
      headHeight: COUNT.describe('the highest that a node has told of'),
      behind: COUNT.describe('blocks that are deep enough and were not taken over yet'),
      followedAt: TIME.describe('when all was well last'),
      trouble: z.string().describe('why it stands still since then; empty: it does not'),
      expected: AMOUNT.nullable().describe('what its last block paid, and is expected of the next'),
    })
    .meta({ id: 'FollowedChain' }),
  columns: {
    chainId: { kind: 'count', importance: 1, heading: 'chain' },
    height: { kind: 'count', importance: 1, heading: 'taken over' },
    headHeight: { kind: 'count', importance: 1, heading: 'head' },
    behind: { kind: 'count', importance: 2 },
    trouble: { kind: 'text', importance: 1, inFull: true },
    followedAt: { kind: 'time', importance: 3, heading: 'followed (UTC)' },
    hash: { kind: 'name', importance: 6 },
    expected: { kind: 'amount', importance: 5, heading: 'a block pays' },
    network: { kind: 'name', importance: 7 },
  },
  command: {
    summary: 'how far blocks of each chain were taken over, and why one stands still',
    about:
      'A block is taken over once as many nodes as `chain.nodes` have it with `chain.depth` blocks on top.',
    examples: ['ledger follow status'],
  },
});

export type FollowedChains = z.output<typeof chains.item>;

/** Of the largest network, in one answer. */
export const ALL_CHAINS = { offset: 0, limit: 1000 };

/** Of all chains together, for who looks at the whole. */
export const FOLLOWING = z
  .object({
    chains: COUNT,
    behind: COUNT.describe('blocks that are deep enough and were not taken over yet'),
    still: COUNT.describe('chains that stand still'),
    standing: chains.item.pick({ chainId: true, trouble: true }).array().describe('the first few of them'),
  })
  .meta({ id: 'Following' });
export type Following = z.output<typeof FOLLOWING>;

const MOST_STANDING = 5;

export function followingOf(all: readonly FollowedChains[]): Following {
  const still = all.filter(({ trouble }) => trouble !== '');
  return {
    chains: all.length,
    behind: all.reduce((sum, { behind }) => sum + behind, 0),
    still: still.length,
    standing: still.slice(0, MOST_STANDING).map(({ chainId, trouble }) => ({ chainId, trouble })),
  };
}

const TO = z.string(HASH_SAYS).regex(/^[\w-]{43}$/, HASH_SAYS);
const UNDO_TO_SAYS = `${HASH_SAYS}, or \`beginning\``;
const UNDO_TO = z.string(UNDO_TO_SAYS).regex(/^(?:[\w-]{43}|beginning)$/, UNDO_TO_SAYS);
const PARAMS = z.object({ chain: givenChain() });

export const undoBlocks = orderOf({
  tag: 'orders',
  access: 'admin',
  summary:
    'Takes back the blocks of a chain above one, with what they brought: the chain has left them below its depth',
  method: 'POST',
  path: `${chains.path}/:chain/undo`,
  params: PARAMS,
  body: z.strictObject(
    {
      to: UNDO_TO.describe(
        'the last block that stays, from where it is followed anew; `beginning`: none does, and it is begun anew',
      ),
      ...NOTE,
    },
    BODY,
  ),
  output: z.object({ chain: z.int(), undone: COUNT.describe('blocks that were taken back') }),
  commands: {
    undo: {
      summary: 'take back blocks that a chain has left below its depth',
      about:
        'What they brought is taken back in the same moment, and the chain is followed anew from the block that is named. `ledger follow status` says ' +
        'which block both chains have, or `beginning` where they part below the block that it was followed from. Look first which of the two is right: nodes may be on a fork of their own.',
      words: '<chain>',
      flags: ['to', 'note'],
      examples: ['ledger follow undo 3 --to u4W… --note "the network went the other way"'],
      given: (chain) => ({ chain }),
      said: ({ chain, undone }) => [
        `${undone} blocks of chain ${chain} are taken back, and it is followed anew`,
      ],
    },
  },
});

export const skipPayloads = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Takes over blocks of a chain although no node has their payload, up to one of them',
  description: 'A block of the pool among them brings what the schedule says, or nothing',
  method: 'POST',
  path: `${chains.path}/:chain/skip`,
  params: PARAMS,
  body: z.strictObject({ to: TO.describe('the last block that may go without its payload'), ...NOTE }, BODY),
  output: z.object({ chain: z.int(), to: z.string() }),
  commands: {
    skip: {
      summary: 'go on without payloads that no node has',
      about:
        'Up to the block that is named. A block of the pool among them brings what the schedule says, or nothing.',
      words: '<chain>',
      flags: ['to', 'note'],
      examples: ['ledger follow skip 3 --to u4W… --note "all nodes have pruned it"'],
      given: (chain) => ({ chain }),
      said: ({ chain, to }) => [
        `chain ${chain} is followed up to block ${to} without payloads that no node has`,
      ],
    },
  },
});

const BLOCK = z.object({ id: numberOf('block') });
const SETTLED = z.object({ id: z.string() });

export const claimBlock = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Says who found a block that pays the pool and that no bridge has named: it is split',
  method: 'POST',
  path: '/api/v1/blocks/:id/claim',
  params: BLOCK,
  body: z.strictObject({ ...OF_ACCOUNT, ...NOTE }, BODY),
  output: SETTLED,
  commands: {
    claim: {
      summary: 'say who found one that is unclaimed: it is split',
      about:
        'By the shares up to now, as a block that is found now. A bridge that names it later changes nothing.',
      words: '<id> <account>',
      flags: ['note'],
      examples: ['ledger block claim 1234 k:ab12… --note "its bridge burnt"'],
      given: (id, account) => ({ id, account }),
      said: ({ id }) => [`block ${id} is claimed, and is split`],
    },
  },
});

export const disownBlock = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Says that a block which pays the pool is none that its rigs found: nobody gets it',
  method: 'POST',
  path: '/api/v1/blocks/:id/disown',
  params: BLOCK,
  body: z.strictObject(NOTE, BODY),
  output: SETTLED,
  commands: {
    disown: {
      summary: 'say that one that is unclaimed was not found by rigs of the pool',
      about:
        'Nobody gets it, and no alert tells of it any more. A bridge that names it later gets it split all the same.',
      words: '<id>',
      flags: ['note'],
      examples: ['ledger block disown 1234 --note "mined with our account by another program"'],
      given: (id) => ({ id }),
      said: ({ id }) => [`block ${id} is disowned: nobody gets it`],
    },
  },
});

/** Commands of `ledger follow`, and of `ledger block`. */
export const CHAIN_ORDERS = { undoBlocks, skipPayloads };
export const BLOCK_ORDERS = { claimBlock, disownBlock };
