/** How the bridge is as a whole, and what who asks may. */
import { z } from 'zod';
import { SCHEMES } from '../core/money/rewards.js';
import { REJECTIONS } from '../core/shares/rejections.js';
import { FOLLOWING } from './books/chains.js';
import { AMOUNT, HASH_RATE, HASHES, TIME } from './entry/fields.js';
import type { Operation } from './entry/operation.js';
import { NODE } from './nodes.js';

const TAG = 'state';
const COUNT = z.int().nonnegative();

/** All that a submit can come to: each is counted, and shown also while it is zero. */
export const OUTCOMES = ['accepted', ...REJECTIONS] as const;
export type SubmitOutcome = (typeof OUTCOMES)[number];

const WORK = z
  .object({
    chainId: z.int(),
    height: z.int(),
    blockDifficulty: HASHES,
    ageMs: z.number(),
  })
  .meta({ id: 'Work' });

const FRESHNESS = z
  .object({
    delayMs: z
      .object({ p50: z.number(), p99: z.number(), max: z.number() })
      .describe('from New Cut heard, or a block seen, to the job written to the last session'),
    jobs: COUNT.describe('that the delays are taken from'),
    staleHashes: z.number().describe('part of all hashes, 0 to 1, that went into stale work'),
  })
  .meta({ id: 'Freshness' });

const SOLUTIONS = z
  .object({
    found: COUNT,
    accepted: COUNT,
    perhaps: COUNT.describe(
      'of the accepted: their answer was lost, and the node has forgotten the work since',
    ),
    rejected: COUNT,
    lost: COUNT.describe('of the rejected: no answer came while the work was alive'),
    superseded: COUNT.describe('not sent, because another one had solved the work'),
    pending: COUNT,
  })
  .meta({ id: 'Solutions' });

const QUEUE = z
  .object({
    isUp: z.boolean(),
    backend: z.enum(['postgres', 'redis']).optional(),
    waiting: COUNT.optional().describe('entries that wait to be recorded'),
    failed: COUNT.optional().describe('entries that were set aside, for people to look at'),
    heldBack: COUNT.optional().describe('shares that wait in the share log on disk, as the queue takes none'),
    unshipped: COUNT.optional().describe('acknowledged shares that are not in the queue yet'),
    oldestMs: z
      .number()
      .nonnegative()
      .optional()
      .describe('age of the oldest of these, to within a second or so; 0 while there is none'),
    logBytes: COUNT.optional().describe('size of the share log on disk'),
    unkeptSolutions: COUNT.optional().describe(
      'solutions that the disk does not take: they are in memory alone',
    ),
  })
  .meta({ id: 'Queue', description: 'The last known counts; only `isUp` where nothing was ever heard' });

const LEDGER = z
  .object({
    isUp: z.boolean(),
    shares: COUNT.optional(),
    work: HASHES.optional(),
    differingRules: z
      .array(z.string())
      .describe('settings of this bridge that are not the rules in force, and are passed over'),
  })
  .meta({ id: 'Ledger', description: 'The last known totals; none where nothing was ever heard' });

const RIG_COUNTS = z
  .object({
    leased: COUNT.describe('nonce1 values'),
    resumable: COUNT.describe('ended sessions that may be resumed'),
    bans: COUNT,
    waiting: COUNT.describe('connections that wait to be let in'),
    refused: COUNT.describe('connections that were not let in'),
  })
  .meta({ id: 'RigCounts' });

const LISTENER = z
  .object({
    name: z.string().describe('of the port: of stratum.ports, or tcp and ws'),
    transport: z.enum(['tcp', 'ws', 'both']).describe('both: each connection as it begins'),
    host: z.string().describe('as bound: 0.0.0.0 and :: stand for every address of the machine'),
    port: z.int(),
    tls: z
      .enum(['off', 'also', 'only'])
      .describe('also: TLS is taken beside plain connections; only: nothing else is'),
    sessions: COUNT.describe('open ones that came in by it'),
  })
  .meta({ id: 'Listener' });

const BRIDGE = z
  .object({
    instance: z.int().nullable().describe('its number on the ledger; null while it has none'),
    place: z.string().describe('host and data directory'),
    ageMs: z
      .number()
      .nullable()
      .describe(
        'of what it has shown last; null where it has shown nothing that this bridge can read: then it is in no sum and in no list',
      ),
    sessions: COUNT.nullable(),
    hashesPerSecond: z.number().nullable().describe('from accepted shares of the last minute'),
  })
  .meta({ id: 'Bridge' });

/** As operators get it. */
export const SUMMARY = z
  .object({
    version: z.string(),
    startedAt: TIME,
    instance: z.int().nullable().describe('the number of this bridge among those on its ledger'),
    bridges: z
      .array(BRIDGE)
      .describe(
        'all that are on the ledger, this one first. Nodes, sessions, rigs, hash rates, submits and solutions are those of all together, and the rest is of this one',
      ),
    nodes: z.array(NODE),
    works: z.array(WORK),
    whyReleased: z
      .string()
      .nullable()
      .describe('why the work is dead: rigs were let go, and none is let in; null while it lives'),
    freshness: FRESHNESS,
    sessions: COUNT,
    ports: z.array(LISTENER).describe('that rigs come in by, and how many sessions each has'),
    rigs: RIG_COUNTS,
    hashesPerSecond: z.number().describe('from accepted shares of the last minute'),
    hashRates: z.array(HASH_RATE).describe('of all rigs and CPU threads together'),
    submits: z.record(z.enum(OUTCOMES), COUNT),
    solutions: SOLUTIONS,
    queue: QUEUE,
    ledger: LEDGER,
    following: FOLLOWING.optional().describe('none where it was never heard'),
    alerts: COUNT.describe('open, as far as this bridge knows'),
    web: z.string().nullable().describe('where this API and the page listen; null: nowhere'),
  })
  .meta({ id: 'Summary' });

const PUBLIC_SUMMARY = SUMMARY.pick({
  version: true,
  works: true,
  sessions: true,
  hashesPerSecond: true,
  hashRates: true,
  submits: true,
  solutions: true,
}).meta({ id: 'PublicSummary', description: 'What anonymous users see of it where web.public is set' });

export type Summary = z.output<typeof SUMMARY>;
export type PublicSummary = z.output<typeof PUBLIC_SUMMARY>;
export type WorkView = z.output<typeof WORK>;
export type Listener = z.output<typeof LISTENER>;

export const summary = {
  tag: TAG,
  summary: 'The state on one page',
  description:
    'There within a second, whatever is away: then the last known numbers are given. Anonymous users get the totals alone',
  path: '/api/v1/summary',
  access: 'miner',
  output: z.union([SUMMARY, PUBLIC_SUMMARY]),
} satisfies Operation;

const TERMS = z
  .object({
    scheme: z.enum(SCHEMES).describe('how a block is split'),
    window: z.string().nullable().describe('how far back pplns looks: 2x or 6h; null for other schemes'),
    fee: z.number().describe('part that the operator keeps, 0 to 1'),
    depth: COUNT.describe('blocks on top of a block before it is confirmed'),
    minimum: AMOUNT.describe('balances below it wait for a later payout'),
    schedule: z.string().describe('when payouts are prepared, in UTC: daily 06:00 UTC, or off'),
    nextPayoutAt: TIME.nullable().describe('null where none is planned'),
  })
  .meta({ id: 'Terms', description: 'By the rules of the ledger' });
export type Terms = z.output<typeof TERMS>;

const POOL = z
  .object({
    title: z.string().describe('what its operator calls it'),
    network: z.string().describe('empty while no node has told it'),
    isDevelopment: z.boolean().describe('its coins are worth nothing'),
    coin: z.string().describe('what amounts are of'),
    ports: z.array(LISTENER.omit({ sessions: true })).describe('that rigs come in by, those that are open'),
    terms: TERMS.nullable().describe('null before they were read'),
  })
  .meta({ id: 'Pool' });
export type Pool = z.output<typeof POOL>;

export const pool = {
  tag: TAG,
  access: 'miner',
  summary: 'What a miner wants to know before he comes: network, addresses, fee, scheme, payouts',
  path: '/api/v1/pool',
  output: POOL,
} satisfies Operation;

export const works = {
  tag: TAG,
  access: 'read',
  summary: 'The newest work of each chain that is mined',
  path: '/api/v1/works',
  output: z.object({ works: z.array(WORK) }),
} satisfies Operation;

export const listeners = {
  tag: TAG,
  access: 'read',
  summary: 'What rigs connect to',
  path: '/api/v1/listeners',
  output: z.object({ ports: z.array(LISTENER).describe('those that are open') }).meta({ id: 'Listeners' }),
} satisfies Operation;
export type Listeners = z.output<typeof listeners.output>;

export const stream = {
  tag: TAG,
  access: 'read',
  summary: 'The state once a second, and what happens as it comes, as server-sent events',
  description:
    'Each event `snapshot` has a Summary as its data, made once for all who read. Each event `event` has an Event, once: of this bridge at once and without `id`, of others as the ledger has it. Addresses lack their last part. Who does not keep up is dropped, and may come again; so is whose token is none any more',
  path: '/api/v1/stream',
  output: z.string().describe('events'),
  faults: [503],
} satisfies Operation;
