/** What a miner checks his split by: roots, the splits of his account, and proofs that it is part of roots. */
import { z } from 'zod';
import { AMOUNT, BODY, COUNT, HASHES, nameOf, TIME } from '../entry/fields.js';
import { type Operation, orderOf, pagesOf } from '../entry/operation.js';

const TAG = 'books';
const HEX_64 = z.string().regex(/^[0-9a-f]{64}$/);

const ROOT = z
  .object({
    number: z.int().positive(),
    until: TIME.describe('of all that was accepted before that time, and had come by then'),
    madeAt: TIME,
    text: z
      .string()
      .describe(
        'what is signed: JSON with number, until, accounts, work, shares, hash, and previous, the SHA-256 of the text before',
      ),
    key: HEX_64.describe('public, of Ed25519'),
    signature: z.string(),
  })
  .meta({ id: 'Root', description: 'What all accounts did up to a time: the root of a Merkle sum tree' });
export type Root = z.output<typeof ROOT>;

export const roots = pagesOf({
  name: 'roots',
  tag: TAG,
  access: 'miner',
  summary: 'Signed roots of what each account did, by which a split can be checked, the latest first',
  description:
    'One at the end of each ten minutes with shares, and at both ends of each window that a block is split by; published before the split. `stratum-bridge audit` reads them',
  faults: [503],
  item: ROOT,
  columns: {
    number: { kind: 'count', importance: 1 },
    until: { kind: 'time', importance: 1, heading: 'until (UTC)' },
    madeAt: { kind: 'time', importance: 3, heading: 'made (UTC)' },
    text: { kind: 'text', importance: 2 },
    key: { kind: 'name', importance: 4 },
    signature: { kind: 'name', importance: 5 },
  },
});

const SPLIT = z
  .object({
    id: z.string().describe('number of the block'),
    chainId: z.int(),
    height: z.int(),
    hash: z.string(),
    foundAt: TIME,
    scheme: z.string(),
    amount: AMOUNT.describe('that is split: its reward and the fees in it'),
    feeBasisPoints: COUNT.describe('that the operator keeps of the account, in 1/10,000'),
    credited: AMOUNT.describe('what the account got'),
    difficulty: HASHES.describe('the highest of the blocks that were found in its ten seconds'),
    windowWork: HASHES.nullable().describe('under pplns: work of the window; null where it is one of time'),
    until: TIME.describe('shares before that time count'),
    wholeFrom: TIME.nullable().describe('under pplns: all shares from then on count; null: all'),
    edgeFrom: TIME.nullable().describe('under pplns: a fraction of shares from then on counts; null: none'),
    roundFrom: TIME.nullable().describe('under prop: shares from then on count; null: all'),
    paysRounds: z.boolean().describe('it is split by work of rounds before its own slot'),
  })
  .meta({ id: 'AccountSplit' });
export type AccountSplit = z.output<typeof SPLIT>;

const PARAMS = z.object({ account: nameOf('account').min(1, 'the name of an account') });
export const MOST_SPLITS = 50;

export const accountSplits = {
  tag: TAG,
  access: 'miner',
  summary: 'The last blocks that were split, and what the account got of each',
  description: `The latest first, at most ${MOST_SPLITS}; with all that its part is computed from`,
  path: '/api/v1/accounts/:account/splits',
  params: PARAMS,
  output: z.object({ splits: z.array(SPLIT) }),
  faults: [404, 503],
} satisfies Operation;

const PROOF = z
  .object({
    root: z.int().describe('its number'),
    salt: HEX_64,
    work: HASHES.describe('of the account, since the books began'),
    shares: z.string(),
    path: z.array(
      z.object({ side: z.enum(['left', 'right']), hash: HEX_64, work: HASHES, shares: z.string() }),
    ),
  })
  .meta({ id: 'Proof', description: 'src/core/audit/sum-tree.ts says how a root is computed from it' });
export type Proof = z.output<typeof PROOF>;

const MOST_PROOFS = 8;
const ASKS_SAY = 'a text of at most 1000 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';

export const AUDIT_ORDERS = {
  proofs: orderOf({
    tag: TAG,
    access: 'anonymous',
    summary: 'Proofs that what an account did is part of roots',
    description:
      'For the owner of a k: account, who signs the text with its key: a proof shows the sums of neighbours. Roots of before its first share have none, and those of before the oldest split that is kept',
    method: 'POST',
    path: '/api/v1/accounts/:account/proofs',
    params: PARAMS,
    body: z.strictObject(
      {
        asks: z
          .string(ASKS_SAY)
          .max(1_000, ASKS_SAY)
          .describe(
            'as it was signed, to the byte: {"account":"k:…","asks":"proofs","time":"2026-11-22T15:26:37Z"}; good for an hour',
          ),
        signature: z
          .string(SIGNATURE_SAYS)
          .regex(/^[0-9a-f]{128}$/i, SIGNATURE_SAYS)
          .describe('of that text in UTF-8, by the key of the account'),
        roots: z
          .array(z.int('the number of a root').positive('the number of a root'), 'numbers of roots')
          .max(MOST_PROOFS, `at most ${MOST_PROOFS} numbers of roots`),
      },
      BODY,
    ),
    output: z.object({ proofs: z.array(PROOF) }),
  }),
};
