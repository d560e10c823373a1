/** What the API gives: answers are made to fit these, and its document falls out of them. */
import { z } from 'zod';
import { FAULT, HASH_RATE, HASHES, TIME } from '../../../operations/fields.js';
import { NODE } from '../../../operations/nodes.js';
import { OUTCOMES } from '../../state/tally.js';

const COUNT = z.int().nonnegative();

export const WORK = z
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
  })
  .meta({ id: 'Queue', description: 'The last known counts; only `isUp` where nothing was ever heard' });

const LEDGER = z
  .object({
    isUp: z.boolean(),
    shares: COUNT.optional(),
    work: HASHES.optional(),
    differingRules: z
      .array(z.string())
      .describe('settings of this bridge that are not the rules of reward in force, and are passed over'),
  })
  .meta({ id: 'Ledger', description: 'The last known totals; none where nothing was ever heard' });

const RIG_COUNTS = z
  .object({
    leased: COUNT.describe('nonce1 values'),
    parked: COUNT.describe('ended sessions that may be resumed'),
    bans: COUNT,
    waiting: COUNT.describe('connections that wait to be let in'),
    refused: COUNT.describe('connections that were not let in'),
  })
  .meta({ id: 'RigCounts' });

const DOOR = z
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
  .meta({ id: 'Door' });

export const DOORS = z.object({ ports: z.array(DOOR).describe('those that are open') }).meta({ id: 'Doors' });

export const SUMMARY = z
  .object({
    version: z.string(),
    startedAt: TIME,
    instance: z.int().nullable().describe('the number of this bridge among those on its ledger'),
    nodes: z.array(NODE),
    works: z.array(WORK),
    freshness: FRESHNESS,
    sessions: COUNT,
    ports: z.array(DOOR).describe('that rigs come in by, and how many sessions each has'),
    rigs: RIG_COUNTS,
    hashesPerSecond: z.number().describe('from accepted shares of the last minute'),
    hashRates: z.array(HASH_RATE).describe('of all rigs and CPU threads together'),
    submits: z.record(z.enum(OUTCOMES), COUNT),
    solutions: SOLUTIONS,
    queue: QUEUE,
    ledger: LEDGER,
  })
  .meta({ id: 'Summary' });

export const PUBLIC_SUMMARY = SUMMARY.pick({
  version: true,
  works: true,
  sessions: true,
  hashesPerSecond: true,
  hashRates: true,
  submits: true,
  solutions: true,
}).meta({ id: 'PublicSummary', description: 'What strangers see of it where web.public is set' });

const GIVEN = {
  value: z.unknown().describe('as it was written: text, a number, true or false, a list or a map'),
  source: z.string().describe('default, a file, a variable or a flag'),
};

export const SETTING = z
  .object({
    key: z.string(),
    ...GIVEN,
    isLive: z.boolean().describe('it may change while the bridge runs'),
    waiting: z.object(GIVEN).nullable().describe('read since, and in force from the next start on'),
  })
  .meta({ id: 'Setting' });

const KEYS = z.array(z.string());
const WAITING = {
  wantsRestart: KEYS.describe('keys of settings that wait for a restart'),
  ports: z
    .array(z.object({ name: z.string(), why: z.string() }))
    .describe('ports that make stratum.ports wait'),
};

export const RELOAD = z
  .object({ tookEffect: KEYS.describe('keys of settings that were another before'), ...WAITING })
  .meta({ id: 'Reload' });

export const REFUSED_RELOAD = FAULT.extend({
  refused: z.array(z.string()).describe('a sentence for each fault'),
  ...WAITING,
}).meta({ id: 'RefusedReload', description: 'All settings stay as they were' });

export const RELOAD_LOOK = z
  .object({
    changes: z
      .array(
        z.object({
          key: z.string(),
          ...GIVEN,
          isLive: z.boolean().describe('it would be in force at once; otherwise from the next start on'),
        }),
      )
      .describe('settings that are another in what was read than in force'),
    refused: z
      .array(z.string())
      .describe('why a reload would change nothing: a sentence for each fault; empty when it would not'),
  })
  .meta({ id: 'ReloadLook' });

export const HAPPENING = z
  .object({
    id: COUNT.optional().describe(
      'its place in the timeline: later ones are higher; absent on the stream while the ledger does not have it',
    ),
    key: z.string().describe('names it for ever, also on the stream and in `events.file`'),
    time: TIME.describe('by the clock of who tells it'),
    kind: z.string().describe('what kind of thing it is; there may come more'),
    says: z.string().describe('a sentence for people'),
    facts: z
      .record(z.string(), z.unknown())
      .describe('for programs: which ones there are for a kind is in config/events.schema.json'),
    instance: z
      .int()
      .nullable()
      .describe('number of the bridge that tells it; null for what the ledger itself tells'),
    by: z.string().nullable().describe('who ordered it; null for what nobody ordered'),
  })
  .meta({ id: 'Happening', description: 'A line of the one timeline of all bridges on a ledger' });
