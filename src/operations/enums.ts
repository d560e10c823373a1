/** Words that stand in questions and answers, for whoever has no need of the schemas: the page, help, and what sorts. */

/**
 * `online`: it submits or answers. `idle`: it is connected, and has been silent for longer than is usual at its share rate.
 * `offline`: not connected. `banned`: not connected, and would not be let in.
 */
export const RIG_STATES = ['online', 'idle', 'offline', 'banned'] as const;
export type RigState = (typeof RIG_STATES)[number];

/** `hashRate` is that of five minutes, `rate1h` and `rate24h` those of longer windows; `rejected` is the part of all submits. */
export const RIG_SORTS = [
  'hashRate',
  'rate1h',
  'rate24h',
  'name',
  'account',
  'state',
  'agent',
  'difficulty',
  'accepted',
  'rejected',
  'bestShare',
  'lastShare',
  'sessions',
  'connected',
] as const;
export type RigSort = (typeof RIG_SORTS)[number];

export const ORDERS = ['asc', 'desc'] as const;
export type Order = (typeof ORDERS)[number];

const RISING: readonly RigSort[] = ['name', 'account', 'state', 'agent'];

/** Where none is asked for: words from A, numbers from the greatest. */
export function firstOrder(sort: RigSort): Order {
  return RISING.includes(sort) ? 'asc' : 'desc';
}

/** `rig`: one login at one address. `login`, `account`: wherever they come from. `address`: whoever comes from it. */
export const BAN_KINDS = ['rig', 'login', 'account', 'address'] as const;

/**
 * `stalled` answers no more, or has no work; `away` cannot be reached or gives nonsense; `quarantined` gives work that
 * is not to be trusted: another network, a wrong clock, far behind.
 */
export const NODE_STATES = [
  'starting',
  'healthy',
  'stalled',
  'away',
  'unauthorized',
  'disabled',
  'quarantined',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

/**
 * What became of a solution. `found` has no answer of a node yet, `refused` was refused by it: neither is a block. `pending`: not
 * deep enough yet; `unclaimed`: it pays the pool, and no bridge has named it; `disowned`: that, and nobody is to get it.
 */
export const BOOKED_STATES = [
  'pending',
  'confirmed',
  'orphaned',
  'unclaimed',
  'disowned',
  'found',
  'refused',
] as const;

/** Of its payments: prepared while one is, else unknown while one is, failed where all are. */
export const PAYOUT_STATES = ['prepared', 'sent', 'failed', 'unknown'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** Sent is what the operator says; confirmed was seen. */
export const PAYMENT_STATES = ['prepared', 'sent', 'confirmed', 'failed', 'unknown'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** What people say of them. */
export const PAYMENT_OUTCOMES = [
  'sent',
  'confirmed',
  'failed',
  'unknown',
] as const satisfies readonly PaymentState[];
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

/** Of history; the first column is the one that a metric is named after. */
export const METRICS = ['hashRate', 'shares', 'rigs', 'blocks', 'effort', 'freshness', 'unpaid'] as const;
export type Metric = (typeof METRICS)[number];

/** Times that history is shown of. */
export const RANGES = ['1h', '24h', '7d', '30d', '1y'] as const;
export type Range = (typeof RANGES)[number];
/** Of alerts: the lesser ones first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export const ADDRESS_LISTS = ['allow', 'deny'] as const;
export type AddressListName = (typeof ADDRESS_LISTS)[number];

/**
 * `draining`: nobody is let in, and rigs are asked to leave. `drained`: all have gone. `timeUp`: the time is over, and some are
 * still here. In all three nobody is let in until the drain is cancelled.
 */
export const DRAIN_STATES = ['off', 'draining', 'drained', 'timeUp'] as const;

/**
 * What somebody may do, and what an entry takes.
 *
 * - `anonymous`: who has not said who he is. Entries of this kind tell nothing of a bridge but that it lives, sign in or out, or
 *   prove themselves who asks.
 * - `miner`: sees what a miner may see of a pool; everybody does where `web.public` is set.
 * - `read`: sees everything. `operate`: and gives orders to rigs. `approve`: and prepares payouts.
 * - `admin`: all of it, and what ends the bridge or moves money by hand.
 */
export const ACCESS = ['anonymous', 'miner', 'read', 'operate', 'approve', 'admin'] as const;
export type Access = (typeof ACCESS)[number];

const READS: readonly Access[] = ['anonymous', 'miner', 'read'];
const MAY: Readonly<Record<Access, readonly Access[]>> = {
  anonymous: ['anonymous'],
  miner: ['anonymous', 'miner'],
  read: READS,
  operate: [...READS, 'operate'],
  approve: [...READS, 'approve'],
  admin: ACCESS,
};

/** Whether who has the one may do what takes the other. */
export function may(has: Access, wanted: Access): boolean {
  return MAY[has].includes(wanted);
}

/** What a token or a session may have. */
export const TOKEN_ACCESS = ['read', 'operate', 'approve', 'admin'] as const satisfies readonly Access[];
export type TokenAccess = (typeof TOKEN_ACCESS)[number];
/** Kinds of events, in groups that people look for. */
export const EVENT_GROUPS = {
  blocks: [
    'blockFound',
    'blockAccepted',
    'blockRejected',
    'blockConfirmed',
    'blockOrphaned',
    'blockReversed',
    'blockUnclaimed',
    'blockPaysAnother',
    'chainBegunAnew',
  ],
  nodes: ['nodeState', 'nodeSwitched'],
  rigs: ['banned', 'unbanned', 'sessionClosed', 'difficultyOrdered', 'rigLabelled', 'messageSent'],
  payouts: ['payoutPrepared', 'payoutMarked', 'payerPaused', 'payoutWish'],
  bridges: ['started', 'stopped', 'reloaded', 'reloadRefused', 'drain', 'ordered'],
  books: ['ledgerAway', 'ledgerBack', 'queueAway', 'queueBack', 'linesMissing', 'rootSigned'],
  alerts: ['alertOpened', 'alertResolved'],
} as const;
export type EventGroup = keyof typeof EVENT_GROUPS;
export type EventKind = (typeof EVENT_GROUPS)[EventGroup][number];
