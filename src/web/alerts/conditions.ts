/** The conditions: what of a snapshot is beyond its bound. Pure, so that each can be tested with any state of the world. */
import { CONDITIONS, type Condition } from '../../bridge/alerts/alerts.js';

import { onChain } from './payer-conditions.js';
import { type AlertRules, BOUNDS } from './rules.js';
import type { IsOpen, Judge, Sight } from './sight.js';
import type { Rate, Snapshot } from './snapshot.js';

const MINUTE_MS = 60_000;
const RATE_HOLD_MS = 5 * MINUTE_MS;
const QUEUE_HOLD_MS = 10 * MINUTE_MS;
const FORKS_HOLD_MS = 10 * MINUTE_MS;
/** What comes back must be so much better than its bound. */
const MARGIN = 0.1;
/** By fewer submits nothing is said of their quality. */
const LEAST_SUBMITS = 50;
/** A rate is below its bound when it is so by twice its standard error. */
const SURELY = 2;

/** What is not known now, or switched off, is not among them. */
export function judge(snapshot: Snapshot, rules: AlertRules, isOpen: IsOpen): Sight[] {
  const sights = JUDGES.flatMap((each) => each(snapshot, rules, isOpen));
  return sights.filter(({ condition }) => !rules.off.includes(condition));
}

const ON_CHAIN = ['payoutsPaused', 'payoutsOverdue', 'paymentsHeld', 'hotBalanceHigh', 'reserveLow'] as const;

/** Those that the settings switch off, or give no bound. */
export function switchedOff(rules: AlertRules): Condition[] {
  const isUnbound: Partial<Record<Condition, boolean>> = {
    accountHashRateLow: Object.keys(rules.accountHashRates).length === 0,
    rigHashRateLow: Object.keys(rules.rigHashRates).length === 0,
    ...(!rules.onChain && Object.fromEntries(ON_CHAIN.map((condition) => [condition, true]))),
    ...(rules.onChain && { hotBalanceHigh: rules.onChain.maxHot === undefined }),
  };
  return CONDITIONS.filter((condition) => rules.off.includes(condition) || isUnbound[condition]);
}

const nodes: Judge = ({ nodes }) =>
  nodes.map(({ url, state, reason }) => ({
    ...{ condition: 'nodeUnhealthy', about: url, isBad: state !== 'healthy', holdMs: BOUNDS.nodeMs },
    says: state === 'healthy' ? `node ${url} gives work again` : `node ${url} is ${state}: ${reason}`,
  }));

const freshJob: Judge = ({ bridge, nodes, signs: { jobAgeMs } }) => {
  if (nodes.length === 0) return [];
  const isBad = jobAgeMs > BOUNDS.jobMs;
  const says = isBad
    ? `rigs of ${bridge} have had no fresh job for ${inWords(jobAgeMs)}`
    : `rigs of ${bridge} get fresh jobs`;
  return [{ condition: 'noFreshJob', about: bridge, isBad, says, holdMs: 0 }];
};

const forks: Judge = ({ bridge, signs: { forkVotesDiffer } }) => {
  if (forkVotesDiffer === undefined) return [];
  const says = forkVotesDiffer
    ? `nodes of ${bridge} vote differently on a fork, follow different ones, or do not vote for one that comes: stratum-bridge ctl nodes lists them`
    : `nodes of ${bridge} vote alike`;
  return [
    { condition: 'forkVotesDiffer', about: bridge, isBad: forkVotesDiffer, says, holdMs: FORKS_HOLD_MS },
  ];
};

const heldBack: Judge = ({ bridge, queue }) => {
  if (!queue) return [];
  const isBad = queue.heldBack > 0;
  const says = isBad
    ? `${queue.heldBack} shares of ${bridge} wait on its disk, as the queue takes none`
    : `nothing waits on the disk of ${bridge}`;
  return [{ condition: 'sharesHeldBack', about: bridge, isBad, says, holdMs: BOUNDS.heldBackMs }];
};

const queue: Judge = ({ queue }, _, isOpen) => {
  if (!queue) return [];
  const bound = BOUNDS.queueEntries * (isOpen('queueBehind', 'queue') ? 1 - MARGIN : 1);
  const says = `${queue.waiting} entries wait to be recorded`;
  const isBad = queue.waiting > bound;
  return [{ condition: 'queueBehind', about: 'queue', isBad, says, holdMs: QUEUE_HOLD_MS }];
};

const ledger: Judge = ({ bridge, isLedgerUp }) => {
  const says = isLedgerUp
    ? `the ledger answers ${bridge} again`
    : `the ledger does not answer ${bridge}: shares are kept on disk, until that is full`;
  return [{ condition: 'ledgerAway', about: bridge, isBad: !isLedgerUp, says, holdMs: BOUNDS.ledgerMs }];
};

const disk: Judge = ({ bridge, signs: { diskFreeBytes } }, { diskBytes }, isOpen) => {
  if (diskFreeBytes === undefined) return [];
  const bound = diskBytes * (isOpen('diskLow', bridge) ? 1 + MARGIN : 1);
  const says = `the disk with the data of ${bridge} has ${(diskFreeBytes / 2 ** 30).toFixed(1)} GiB left`;
  return [{ condition: 'diskLow', about: bridge, isBad: diskFreeBytes < bound, says, holdMs: 0 }];
};

const certificates: Judge = ({ bridge, signs }) =>
  signs.certificates.map(({ of, endsInMs }) => {
    const about = `${of} of ${bridge}`;
    const isBad = endsInMs < BOUNDS.certificateMs;
    const when = endsInMs > 0 ? `ends in ${inWords(endsInMs)}` : 'has ended';
    const says = `the certificate of ${bridge} for ${of === 'rigs' ? 'rigs' : 'the web'} ${when}`;
    return { condition: 'certificateEnding', about, isBad, says, holdMs: 0 };
  });

const poolRate: Judge = ({ figures }, { poolHashRate }, isOpen) => {
  if (!figures) return [];
  const bound = Math.max(poolHashRate, BOUNDS.poolHashRatePart * (figures.usual ?? 0));
  return bound === 0 ? [] : [rateSight('poolHashRateLow', 'pool', figures.pool, bound, isOpen)];
};

const accountRates: Judge = ({ figures }, { accountHashRates }, isOpen) =>
  Object.entries(accountHashRates).flatMap(([account, bound]) => {
    const rate = figures?.accounts.get(account);
    return rate && bound > 0
      ? [{ ...rateSight('accountHashRateLow', account, rate, bound, isOpen), account }]
      : [];
  });

const rigRates: Judge = ({ figures }, { rigHashRates }, isOpen) =>
  Object.entries(rigHashRates).flatMap(([login, bound]) => {
    const rate = figures?.rigs.get(login);
    // A login is parted at its first dot.
    const [account = ''] = login.split('.', 1);
    return rate && bound > 0 ? [{ ...rateSight('rigHashRateLow', login, rate, bound, isOpen), account }] : [];
  });

function rateSight(
  condition: Condition,
  about: string,
  { hashesPerSecond, standardError }: Rate,
  bound: number,
  isOpen: IsOpen,
): Sight {
  const least = bound * (isOpen(condition, about) ? 1 + MARGIN : 1);
  const isBad = hashesPerSecond + SURELY * standardError < least;
  const says = `the hash rate of ${about} is ${scaled(hashesPerSecond)} over a quarter of an hour, and its bound ${scaled(bound)}`;
  return { condition, about, isBad, says, holdMs: RATE_HOLD_MS, isShared: true };
}

const accepted: Judge = ({ figures }, _, isOpen) => {
  if (!figures) return [];
  const { acceptedPart } = BOUNDS;
  const { accepted, rejected } = figures.submits;
  if (accepted + rejected < LEAST_SUBMITS) return [];
  const part = accepted / (accepted + rejected);
  const bound = acceptedPart + (isOpen('acceptRateLow', 'pool') ? MARGIN * (1 - acceptedPart) : 0);
  const says = `${(part * 100).toFixed(1)} % of the submits of a quarter of an hour were accepted`;
  return [
    {
      condition: 'acceptRateLow',
      about: 'pool',
      isBad: part < bound,
      says,
      holdMs: RATE_HOLD_MS,
      isShared: true,
    },
  ];
};

const payout: Judge = ({ figures }, { minimumPayout }) => {
  if (!figures?.payable) return [];
  const { accounts, total, sinceLastMs = Number.POSITIVE_INFINITY } = figures.payable;
  const isBad = accounts > 0 && sinceLastMs > BOUNDS.payoutMs;
  const says = isBad
    ? `${total} are due to ${accounts} accounts with balances from ${minimumPayout} up: \`stratum-bridge ledger payout prepare\``
    : 'no payout is due';
  return [{ condition: 'payoutDue', about: 'pool', isBad, says, holdMs: 0, isShared: true }];
};

const splits: Judge = ({ figures }) => {
  if (!figures?.unweighed) return [];
  const { blocks, oldestMs, place = 'a bridge' } = figures.unweighed;
  const isBad = blocks > 0 && oldestMs > BOUNDS.splitMs;
  const many = blocks === 1 ? 'a block waits' : `${blocks} blocks wait`;
  const says = isBad
    ? `${many} to be split, the oldest for ${inWords(oldestMs)}: not all shares of ${place} are in the books yet`
    : 'no block waits for shares';
  return [{ condition: 'splitsBehind', about: 'pool', isBad, says, holdMs: 0, isShared: true }];
};

const JUDGES: readonly Judge[] = [
  ...[nodes, freshJob, forks, heldBack, queue, ledger, disk, certificates],
  ...[poolRate, accountRates, rigRates, accepted, splits, payout, onChain],
];

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

function scaled(hashesPerSecond: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, hashesPerSecond)) / 3));
  return `${(hashesPerSecond / 1000 ** power).toPrecision(3)} ${UNITS[power]}H/s`;
}

function inWords(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1000)} s`;
  if (ms < 120 * MINUTE_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 2880 * MINUTE_MS) return `${Math.round(ms / 60 / MINUTE_MS)} h`;
  return `${Math.floor(ms / 1440 / MINUTE_MS)} days`;
}
