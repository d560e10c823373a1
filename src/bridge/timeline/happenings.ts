/**
 * What happens to a bridge and is worth remembering: its kinds, and the facts of each. This is a contract: the lines of
 * `events.file` are made by it, and `config/events.schema.json` falls out of it (`npm run api` writes it).
 *
 *     {"v":1,"key":"5f0c….7","time":"2026-11-22T15:26:37.123Z","kind":"nodeSwitched","says":"rigs work for … now",
 *      "facts":{"from":"http://a:1848","to":"http://b:1848"},"instance":3,"by":null}
 *
 * Within `v` 1 there may come more kinds, and more facts of a kind; none goes, and none changes its meaning. No fact holds a
 * secret. An address of a rig stands in the fact `address` and nowhere else, also in no sentence.
 */

import { z } from 'zod';
import { storable } from '../../core/names/names.js';
import { NODE_STATES } from '../../operations/enums.js';

const TEXT = z.string();
const COUNT = z.int().nonnegative();
const KEYS = z.array(z.string());
const DURATION = COUNT.describe('milliseconds');
const AMOUNT = z.string().describe('a decimal');

const NAME_OF_PAYOUT = TEXT.describe('no other payout has it').optional();

const BLOCK = {
  chainId: COUNT,
  height: COUNT,
  hash: TEXT.describe('of the block, 64 hex digits'),
  node: TEXT.describe('that issued the work'),
  account: TEXT.describe('that found it'),
  rig: TEXT,
};

const BANNED = {
  of: z.enum(['rig', 'login', 'account', 'address']),
  login: TEXT.describe('account, or account.rig; empty when an address is meant'),
  address: TEXT.describe('empty where it is of no matter; without its last part for who may not see it'),
};

const SETTLED = {
  batch: TEXT,
  name: TEXT.describe('no other payout has it'),
  accounts: COUNT.describe('payments that this is about'),
  total: AMOUNT,
};

const ALERT = {
  alert: TEXT.describe('the name of its condition'),
  about: TEXT.describe('node, rig, account, …'),
};

/** Why lines are not where they should be. */
export const LOSSES = ['ledger', 'file', 'flood'] as const;
export type Loss = (typeof LOSSES)[number];

/** The facts of each kind. To tell of something new, put its kind here. */
export const FACTS = {
  started: z.object({ version: TEXT }),
  stopped: z.object({ reason: TEXT }),
  reloaded: z.object({ tookEffect: KEYS, wantsRestart: KEYS }),
  reloadRefused: z.object({ problems: z.array(TEXT) }),
  nodeState: z.object({ node: TEXT, state: z.enum(NODE_STATES), before: z.enum(NODE_STATES), reason: TEXT }),
  nodeSwitched: z.object({ from: TEXT, to: TEXT }),
  blockFound: z.object(BLOCK),
  blockAccepted: z.object({ ...BLOCK, state: z.enum(['received', 'perhaps']) }),
  blockRejected: z.object({ ...BLOCK, state: z.enum(['refused', 'lost']), detail: TEXT }),
  blockConfirmed: z.object({ ...BLOCK, depth: COUNT, reward: AMOUNT.nullable() }),
  blockOrphaned: z.object({ ...BLOCK, state: z.enum(['orphaned', 'unknown']) }),
  blockReturned: z.object({ ...BLOCK, depth: COUNT }),
  blockPaysAnother: z.object({ ...BLOCK, receiver: TEXT.describe('the account that its coinbase pays') }),
  banned: z.object({
    ...BANNED,
    reason: TEXT,
    until: z.iso.datetime().nullable().describe('null: until it is taken back'),
  }),
  unbanned: z.object(BANNED),
  drain: z.object({
    state: z.enum(['off', 'draining', 'drained', 'timeUp']),
    sessions: COUNT.describe('open at its start'),
    left: COUNT.describe('still open'),
    stops: z.boolean().optional().describe('the bridge stops when it has come to its end'),
  }),
  sessionClosed: z.object({
    session: COUNT,
    openedAt: z.iso.datetime(),
    login: TEXT.optional().describe('account.rig that it mined for first; absent when it had named none'),
    address: BANNED.address,
    reason: TEXT,
  }),
  difficultyOrdered: z.object({
    account: TEXT,
    rig: TEXT,
    difficulty: TEXT.nullable().describe('expected hashes of a share, as a decimal; null: it is cleared'),
  }),
  rigLabelled: z.object({
    account: TEXT,
    rig: TEXT,
    label: TEXT.nullable().describe('null: it is taken away'),
  }),
  messageSent: z.object({
    to: z.enum(['session', 'login', 'account', 'all']),
    login: TEXT.optional().describe('account.rig, or the account alone; absent for a session and for all'),
    session: COUNT.optional(),
    openedAt: z.iso.datetime().optional().describe('of the session'),
    text: TEXT,
    told: COUNT.describe('rigs that take messages'),
  }),
  ordered: z.object({ order: TEXT.describe('one word, of what has no kind of its own'), about: TEXT }),
  payoutPrepared: z.object({
    batch: TEXT,
    name: NAME_OF_PAYOUT,
    accounts: COUNT,
    total: AMOUNT,
    minimum: AMOUNT,
  }),
  payoutMarked: z.object({
    batch: TEXT,
    name: NAME_OF_PAYOUT,
    outcome: z.enum(['sent', 'confirmed', 'failed', 'unknown']),
    accounts: COUNT.describe('whose payments are marked so now; not always all of the payout'),
    total: AMOUNT,
    note: TEXT,
  }),
  payoutPaid: z.object({
    ...SETTLED,
    gas: AMOUNT.describe('what its transactions cost'),
    held: COUNT.describe('payments that failed alone, and are back in the balances'),
  }),
  paymentsHeld: z.object({
    ...SETTLED,
    account: TEXT.describe('the first of them'),
    why: TEXT.describe('of the first of them'),
  }),
  paymentsReturned: z.object({ ...SETTLED, account: TEXT.describe('the first of them') }),
  payoutWish: z.object({
    account: TEXT.describe('whose key signed it'),
    minimum: AMOUNT.nullable().describe('null: as for everybody'),
    chainId: COUNT.nullable().describe('null: any'),
  }),
  payoutsPaused: z.object({ pause: TEXT.describe('why, in one word'), why: TEXT }),
  ledgerAway: z.object({}),
  ledgerBack: z.object({ awayMs: DURATION }),
  queueAway: z.object({}),
  queueBack: z.object({ awayMs: DURATION }),
  alertOpened: z.object(ALERT),
  alertResolved: z.object({ ...ALERT, openMs: DURATION }),
  linesMissing: z.object({
    lines: COUNT,
    why: z
      .enum(LOSSES)
      .describe(
        'ledger: it did not take them in time; file: events.file could not be written; flood: too many of a kind',
      ),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
} satisfies Record<string, z.ZodObject>;

export type Kind = keyof typeof FACTS;
export type FactsOf<K extends Kind> = z.output<(typeof FACTS)[K]>;
export const KINDS = Object.keys(FACTS) as readonly Kind[];

/** A line of `events.file`; the facts of each kind are in {@link FACTS}. */
export const EVENT_LINE = z.object({
  v: z.literal(1),
  key: TEXT.describe('names the line for ever, among those of all bridges'),
  time: z.iso.datetime(),
  kind: TEXT.describe('what has happened: those of this version are in $defs, with their facts'),
  says: TEXT.describe('a sentence for people'),
  facts: z.record(z.string(), z.unknown()).describe('for programs'),
  instance: z
    .int()
    .nullable()
    .describe('number of the bridge that tells it; null for what the ledger itself tells'),
  by: TEXT.nullable().describe('who ordered it; null for what nobody ordered'),
});

/** As it is told, kept and shown: `kind` and `facts` may be of a later version, told by another bridge. */
export interface Happening {
  /** A UUID that names the start of the bridge that tells it; each line of the ledger itself has one of its own. */
  readonly run: string;
  /** Counts the lines of a start, from 1. */
  readonly number: number;
  /** Milliseconds since the epoch, by the clock of who tells it. */
  readonly atMs: number;
  readonly kind: string;
  readonly says: string;
  readonly facts: Facts;
  readonly instance: number | null;
  readonly by: string | null;
  /** Its place in the ledger: later ones are higher. Absent while it is not there. */
  readonly id?: number;
}

export type Facts = Readonly<Record<string, unknown>>;

export function keyOf({ run, number }: Pick<Happening, 'run' | 'number'>): string {
  return `${run}.${number}`;
}

const MAX_SAYS = 500;
const MAX_TEXT = 1_000;
const MAX_ITEMS = 100;

/** What any ledger and file takes, of any length. */
export function boundedSentence(says: string): string {
  return storable(says, MAX_SAYS);
}

/** The same for facts: texts and lists are cut. */
export function boundedFacts(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return storable(value, MAX_TEXT);
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(bounded) : value;
}
