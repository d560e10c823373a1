/**
 * What operators are told without looking: one row a condition. Settings, API, page and documents take its name from here, and
 * `npm run readme` makes the table in README.md of it.
 */

import type { Finding } from '../bridge/alerts.js';
import type { Kind } from '../bridge/timeline/events.js';
import type { Bounds, Rate, Snapshot } from './snapshot.js';

interface Context {
  readonly settings: Bounds;
  /** That of the row. */
  readonly bound: number;
  /** Then the bound is a little further: a value that wavers about it changes nothing. */
  isOpen(about: string): boolean;
}

export type Judged = Pick<Finding, 'about' | 'isBad' | 'says' | 'sinceMs' | 'count'>;

interface Row {
  readonly severity: Finding['severity'];
  /** What of it is meant. */
  readonly about: string;
  /** When it is true, for README.md. */
  readonly when: string;
}

/** What is so for a time. */
export interface State extends Row {
  /** What no setting says, in the unit that the judge takes. */
  readonly bound?: number;
  /** It must be so for that long before it counts; milliseconds. */
  readonly holdMs?: number;
  /** All bridges see the same of it. */
  readonly isShared?: true;
  /** The settings give it no bound, or switch off what it is about. */
  isUnset?(settings: Bounds): boolean;
  /** Nothing of what is not known now: an alert stays as it was. */
  judge(snapshot: Snapshot, context: Context): Judged | readonly Judged[] | undefined;
}

/** What happens, and is over at once: an event of that kind in the ledger. */
export interface Event extends Row {
  readonly kind: Kind;
  /** After a number. */
  readonly many: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What comes back must be so much better than its bound. */
const MARGIN = 0.1;
/** Fewer submits say nothing of their quality. */
const LEAST_SUBMITS = 50;

export const CONDITIONS = {
  rigOffline: {
    ...{ severity: 'warning', about: 'account.rig', isShared: true },
    when: 'no bridge has heard it for `alerts.rigOffline`, and for three times its longest usual absence. An absence that it came back from is usual, and fades by a tenth with each shorter one. Time in which no bridge ran, or no ledger, is no absence. After a week it has left. A rig that never had a share in the books is no rig',
    judge: ({ rigs }) =>
      rigs && [
        ...rigs.named.map(({ login, isOverdue, awayMs, seenMs }) => ({
          ...{ about: login, isBad: isOverdue, sinceMs: seenMs },
          says: rigInWords(login, isOverdue, awayMs),
        })),
        ...rigs.left.map((about) => ({ about, isBad: false, says: rigInWords(about, false) })),
        {
          ...{ about: 'others', isBad: rigs.others > 0, count: rigs.others },
          says: `${rigs.others} more are overdue`,
        },
      ],
  },
  poolHashRateLow: {
    ...{ severity: 'critical', about: 'pool', bound: 0.5, holdMs: 5 * MINUTE_MS, isShared: true },
    when: 'the rate of a quarter of an hour is below `alerts.poolHashRate`, or below half of that of the last day, by twice its standard error, for five minutes',
    judge: ({ figures }, { settings, bound, isOpen }) => {
      if (!figures) return undefined;
      const least = Math.max(settings['alerts.poolHashRate'], bound * (figures.usual ?? 0));
      return least === 0 ? undefined : judgeRate('pool', figures.pool, least, isOpen);
    },
  },
  accountHashRateLow: {
    ...{ severity: 'warning', about: 'account', holdMs: 5 * MINUTE_MS, isShared: true },
    when: 'the same with its bound in `alerts.accountHashRates`',
    isUnset: (settings) => Object.keys(settings['alerts.accountHashRates']).length === 0,
    judge: ({ figures }, { settings, isOpen }) =>
      judgeRates(figures?.accounts, settings['alerts.accountHashRates'], isOpen),
  },
  rigHashRateLow: {
    ...{ severity: 'warning', about: 'account.rig', holdMs: 5 * MINUTE_MS, isShared: true },
    when: 'the same with its bound in `alerts.rigHashRates`',
    isUnset: (settings) => Object.keys(settings['alerts.rigHashRates']).length === 0,
    judge: ({ figures }, { settings, isOpen }) =>
      judgeRates(figures?.rigs, settings['alerts.rigHashRates'], isOpen),
  },
  acceptRateLow: {
    ...{ severity: 'warning', about: 'pool', bound: 0.95, holdMs: 5 * MINUTE_MS, isShared: true },
    when: 'fewer than 95 % of 50 or more submits of a quarter of an hour were accepted, for five minutes',
    judge: ({ figures }, { bound, isOpen }) => {
      const { accepted = 0, rejected = 0 } = figures?.submits ?? {};
      if (accepted + rejected < LEAST_SUBMITS) return undefined;
      const part = accepted / (accepted + rejected);
      const says = `${(part * 100).toFixed(1)} % of the submits of the last quarter of an hour were accepted`;
      return { about: 'pool', isBad: part < bound + (isOpen('pool') ? MARGIN * (1 - bound) : 0), says };
    },
  },
  nodeUnhealthy: {
    ...{ severity: 'warning', about: 'its URL', holdMs: 10 * MINUTE_MS },
    when: 'it gives no work for ten minutes',
    judge: ({ nodes }) =>
      nodes.map(({ url, state, reason }) => ({
        ...{ about: url, isBad: state !== 'healthy' },
        says: state === 'healthy' ? `node ${url} gives work again` : `node ${url} is ${state}: ${reason}`,
      })),
  },
  noFreshJob: {
    ...{ severity: 'critical', about: 'bridge', bound: 5 * MINUTE_MS },
    when: 'there was no fresh job for five minutes',
    judge: ({ bridge, nodes, signs: { jobAgeMs } }, { bound }) => {
      if (nodes.length === 0) return undefined;
      const isBad = jobAgeMs > bound;
      const says = isBad
        ? `rigs of ${bridge} have had no fresh job for ${inWords(jobAgeMs)}`
        : `rigs of ${bridge} get fresh jobs`;
      return { about: bridge, isBad, says };
    },
  },
  forkVotesDiffer: {
    ...{ severity: 'warning', about: 'bridge', holdMs: 10 * MINUTE_MS },
    when: 'works of nodes for the same block differ in fork number or votes, for ten minutes',
    judge: ({ bridge, signs: { forkVotesDiffer: isBad } }) =>
      isBad === undefined
        ? undefined
        : {
            ...{ about: bridge, isBad },
            says: isBad
              ? `nodes of ${bridge} vote differently on a fork, follow different ones, or do not vote for one that comes: stratum-bridge ctl nodes lists them`
              : `nodes of ${bridge} vote alike`,
          },
  },
  solutionsUnkept: {
    ...{ severity: 'critical', about: 'bridge' },
    when: 'its disk does not take a solution, which is in memory alone',
    judge: ({ bridge, queue }) =>
      queue && {
        ...{ about: bridge, isBad: queue.unkeptSolutions > 0 },
        says:
          queue.unkeptSolutions > 0
            ? `${queue.unkeptSolutions} solutions of ${bridge} are in memory alone: its disk takes none; make room there before it ends`
            : `the disk of ${bridge} takes solutions`,
      },
  },
  sharesHeldBack: {
    ...{ severity: 'warning', about: 'bridge', holdMs: 10 * MINUTE_MS },
    when: 'shares wait on its disk for ten minutes',
    judge: ({ bridge, queue }) =>
      queue && {
        ...{ about: bridge, isBad: queue.heldBack > 0 },
        says:
          queue.heldBack > 0
            ? `${queue.heldBack} shares of ${bridge} wait on its disk, as the queue takes none`
            : `nothing waits on the disk of ${bridge}`,
      },
  },
  entriesUnbooked: {
    ...{ severity: 'critical', about: 'queue' },
    when: 'the ledger cannot book an entry, or a part of one: it fails, or another one is booked under its number',
    judge: ({ queue }) =>
      queue && {
        ...{ about: 'queue', isBad: queue.failed > 0 },
        says:
          queue.failed > 0
            ? `${queue.failed} entries of shares cannot be booked: \`stratum-bridge ledger entry list\` says why, \`retry\` books them, \`drop ID\` forgets one`
            : 'all entries of shares can be booked',
      },
  },
  queueBehind: {
    ...{ severity: 'warning', about: 'queue', bound: 1_000, holdMs: 10 * MINUTE_MS },
    when: 'more than 1,000 entries wait, for ten minutes',
    judge: ({ queue }, { bound, isOpen }) =>
      queue && {
        ...{ about: 'queue', isBad: queue.waiting > bound * (isOpen('queue') ? 1 - MARGIN : 1) },
        says: `${queue.waiting} entries wait to be recorded`,
      },
  },
  ledgerAway: {
    ...{ severity: 'critical', about: 'bridge', holdMs: 2 * MINUTE_MS },
    when: 'it does not answer that bridge for two minutes',
    judge: ({ bridge, isLedgerUp }) => ({
      ...{ about: bridge, isBad: !isLedgerUp },
      says: isLedgerUp
        ? `the ledger answers ${bridge} again`
        : `the ledger does not answer ${bridge}: shares are kept on disk, until that is full`,
    }),
  },
  diskLow: {
    ...{ severity: 'critical', about: 'bridge' },
    when: 'the disk with the data directory has less than `alerts.disk` left',
    judge: ({ bridge, signs: { diskFreeBytes } }, { settings, isOpen }) =>
      diskFreeBytes === undefined
        ? undefined
        : {
            about: bridge,
            isBad: diskFreeBytes < settings['alerts.disk'] * (isOpen(bridge) ? 1 + MARGIN : 1),
            says: `the disk with the data of ${bridge} has ${(diskFreeBytes / 2 ** 30).toFixed(1)} GiB left`,
          },
  },
  certificateEnding: {
    ...{ severity: 'warning', about: 'rigs or web of a bridge', bound: 14 * DAY_MS },
    when: 'it ends within 14 days',
    judge: ({ bridge, signs }, { bound }) =>
      signs.certificates.map(({ of, endsInMs }) => ({
        ...{ about: `${of} of ${bridge}`, isBad: endsInMs < bound },
        says: `the certificate of ${bridge} for ${of === 'rigs' ? 'rigs' : 'the web'} ${
          endsInMs > 0 ? `ends in ${inWords(endsInMs)}` : 'has ended'
        }`,
      })),
  },
  blockFound: {
    ...{ severity: 'info', about: 'chain and height', when: 'a node has taken it' },
    ...{ kind: 'blockAccepted', many: 'blocks were found' },
  },
  blockConfirmed: {
    ...{ severity: 'info', about: 'chain and height', when: 'the books say so' },
    ...{ kind: 'blockConfirmed', many: 'blocks were confirmed' },
  },
  blockOrphaned: {
    ...{ severity: 'warning', about: 'chain and height', when: 'the books say so' },
    ...{ kind: 'blockOrphaned', many: 'blocks were orphaned' },
  },
  blockPaysAnother: {
    ...{ severity: 'critical', about: 'chain and height' },
    when: "its coinbase pays an account that is none of the pool's (`ledger rules`): it is credited to nobody",
    ...{ kind: 'blockPaysAnother', many: 'blocks pay accounts that are none of the pool' },
  },
  splitsBehind: {
    ...{ severity: 'warning', about: 'pool', bound: 15 * MINUTE_MS, isShared: true },
    when: 'a block was found 15 minutes ago, and not all shares of that time are in the books: a bridge is away, or cannot ship what it has',
    judge: ({ figures }, { bound }) => {
      if (!figures?.unweighed) return undefined;
      const { blocks, oldestMs, place = 'a bridge' } = figures.unweighed;
      const isBad = blocks > 0 && oldestMs > bound;
      const says = isBad
        ? `${blocks === 1 ? 'a block waits' : `${blocks} blocks wait`} to be split, the oldest for ${inWords(oldestMs)}: not all shares of ${place} are in the books yet`
        : 'no block waits for shares';
      return { about: 'pool', isBad, says };
    },
  },
  chainStandsStill: {
    ...{ severity: 'critical', about: 'chain', holdMs: 5 * MINUTE_MS, isShared: true },
    when: 'its blocks cannot be taken over for five minutes: it says why, and what to do. No payout is prepared meanwhile',
    judge: ({ figures }) =>
      figures?.chains?.map(({ chainId, trouble }) => {
        const about = `chain ${chainId}`;
        const isBad = trouble !== '';
        return { about, isBad, says: isBad ? `${about} stands still: ${trouble}` : `${about} goes on` };
      }),
  },
  blockUnclaimed: {
    ...{ severity: 'warning', about: 'pool', bound: HOUR_MS, isShared: true },
    when: 'a block that pays the pool was seen an hour ago, and no bridge has named it: nobody gets it until somebody claims or disowns it',
    judge: ({ figures }, { bound }) => {
      if (!figures?.unclaimed) return undefined;
      const { blocks, oldestMs } = figures.unclaimed;
      const isBad = blocks > 0 && oldestMs > bound;
      const says = isBad
        ? `${blocks === 1 ? 'a block that pays the pool is' : `${blocks} blocks that pay the pool are`} unclaimed, the oldest for ${inWords(oldestMs)}: \`stratum-bridge ledger blocks --state unclaimed\` lists them, and \`ledger block claim\` or \`disown\` settles each`
        : 'no block waits to be claimed';
      return { about: 'pool', isBad, says };
    },
  },
  paymentsPaused: {
    ...{ severity: 'critical', about: 'pool', isShared: true },
    when: 'payments on chain are paused: it says why, and what to do. What was sent before is sent again',
    judge: ({ figures }) => {
      if (!figures?.payer) return undefined;
      const { pauses, words } = figures.payer;
      const isBad = pauses.length > 0;
      return {
        about: 'pool',
        isBad,
        says: isBad ? words.slice(0, pauses.length).join('; ') : 'payments go on',
      };
    },
  },
  payoutWaits: {
    ...{ severity: 'warning', about: 'pool', isShared: true },
    when: 'a payout waits for somebody to approve it before it is paid on chain',
    judge: ({ figures }) => {
      if (!figures?.payer) return undefined;
      const { waiting } = figures.payer;
      const says =
        waiting > 0
          ? `${waiting === 1 ? 'a payout waits' : `${waiting} payouts wait`} for approval: \`ledger payouts\` has the hash, and \`ledger payout approve\` takes it`
          : 'no payout waits for approval';
      return { about: 'pool', isBad: waiting > 0, says };
    },
  },
  payoutDue: {
    ...{ severity: 'info', about: 'pool', bound: DAY_MS, isShared: true },
    when: 'there are balances from `payouts.minimum` up, and no payout was prepared for a day',
    judge: ({ figures }, { bound }) => {
      if (!figures?.payable) return undefined;
      const { minimum, accounts, total, sinceLastMs = Number.POSITIVE_INFINITY } = figures.payable;
      const isBad = accounts > 0 && sinceLastMs > bound;
      const says = isBad
        ? `${total} is due to ${accounts === 1 ? 'an account' : `${accounts} accounts`} with balances from ${minimum} up: \`stratum-bridge ledger payout prepare\``
        : 'no payout is due';
      return { about: 'pool', isBad, says };
    },
  },
} as const satisfies Readonly<Record<string, State | Event>>;

export type Condition = keyof typeof CONDITIONS;
export const CONDITION_NAMES = Object.keys(CONDITIONS) as readonly Condition[];

function judgeRates(
  rates: ReadonlyMap<string, Rate> | undefined,
  bounds: Readonly<Record<string, number>>,
  isOpen: Context['isOpen'],
): Judged[] {
  return Object.entries(bounds).flatMap(([about, bound]) => {
    const rate = rates?.get(about);
    return rate && bound > 0 ? [judgeRate(about, rate, bound, isOpen)] : [];
  });
}

/** @param awayMs without: for so long that it is known no more. */
function rigInWords(login: string, isOverdue: boolean, awayMs = Number.POSITIVE_INFINITY): string {
  const minutes = Math.max(1, Math.round(awayMs / MINUTE_MS));
  if (isOverdue) return `rig ${login} was last heard ${minutes} min ago, which is longer than usual`;
  return awayMs > 7 * DAY_MS
    ? `rig ${login} was not heard for a week: it has left`
    : `rig ${login} is heard again`;
}

/** It is below its bound when it is so by twice its standard error. */
function judgeRate(
  about: string,
  { hashesPerSecond, standardError }: Rate,
  bound: number,
  isOpen: Context['isOpen'],
): Judged {
  const isBad = hashesPerSecond + 2 * standardError < bound * (isOpen(about) ? 1 + MARGIN : 1);
  const says = `the hash rate of ${about} is ${scaled(hashesPerSecond)} over a quarter of an hour, and its bound ${scaled(bound)}`;
  return { about, isBad, says };
}

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

function scaled(hashesPerSecond: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, hashesPerSecond)) / 3));
  return `${(hashesPerSecond / 1000 ** power).toPrecision(3)} ${UNITS[power]}H/s`;
}

function inWords(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} days`;
}
