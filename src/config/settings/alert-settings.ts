/** Settings of alerts: what is too much or too little, and who is told. All may change while the bridge runs. */
import { onOff, quantity, setting } from './setting.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From off to a month. */
const TIMES = [0, 31 * DAY_MS] as const;
const OFF = '0: off.';

export const ALERT_SETTINGS = {
  // URLs and tokens in it are secrets, and in a process list everybody of the machine could read them.
  'alerts.targets': setting('', (v) => v.alertTargets, {
    default: [],
    shape: 'LIST',
    live: true,
    secret: 'whole',
    help: 'Who is told: a list of maps with name, type (webhook, discord, slack, telegram, ntfy), what the type takes (url; secret of a webhook; token and chat; topic), and perhaps conditions (a list) and leastSeverity (info, warning, critical). In a variable, or the file that it names, as JSON. The same on all bridges of a ledger.',
  }),
  'alerts.repeatMs': quantity('alert-repeat-ms', 'ms', TIMES, {
    default: 6 * HOUR_MS,
    live: true,
    help: 'An alert that stays open is told again after this time. 0: once is enough.',
  }),
  'alerts.rigOfflineMs': quantity('alert-rig-offline-ms', 'ms', TIMES, {
    default: 10 * 60_000,
    live: true,
    help: `A rig is missed when it was not heard for so long, and for three times as long as is usual for it; 15s at the least. ${OFF}`,
  }),
  'alerts.poolHashRate': quantity('alert-pool-hash-rate', 'hashes', [0, 1e30], {
    default: 0,
    live: true,
    help: `Least hashes a second of all rigs together, over a quarter of an hour. ${OFF}`,
  }),
  'alerts.poolUsualBasisPoints': quantity('alert-pool-usual', 'basis points', [0, 10_000], {
    default: 5_000,
    live: true,
    help: `The same as a part of its rate over the last day, such as 50%. ${OFF}`,
  }),
  'alerts.accountHashRates': setting(
    'alert-account-hash-rate',
    (v) => v.mapOf(v.quantity('hashes', 0, 1e30)),
    {
      default: {},
      shape: 'ACCOUNT=HASHES',
      repeatable: true,
      live: true,
      help: 'Least hashes a second of single accounts.',
    },
  ),
  'alerts.rigHashRates': setting('alert-rig-hash-rate', (v) => v.mapOf(v.quantity('hashes', 0, 1e30)), {
    default: {},
    shape: 'ACCOUNT.RIG=HASHES',
    repeatable: true,
    live: true,
    help: 'Least hashes a second of single rigs.',
  }),
  'alerts.acceptedBasisPoints': quantity('alert-accepted', 'basis points', [0, 10_000], {
    default: 9_500,
    live: true,
    help: `Least part of the submits of a quarter of an hour that is accepted, such as 95%. ${OFF}`,
  }),
  'alerts.nodeMs': quantity('alert-node-ms', 'ms', TIMES, {
    default: 10 * 60_000,
    live: true,
    help: `A node that gives no work for so long is told. ${OFF}`,
  }),
  'alerts.jobMs': quantity('alert-job-ms', 'ms', TIMES, {
    default: 5 * 60_000,
    live: true,
    help: `So long without a fresh job is told. ${OFF}`,
  }),
  'alerts.forkVotes': onOff('alert-fork-votes', {
    default: true,
    live: true,
    help: 'Tell when nodes vote differently on a fork, one is on a lower fork number than another, or a fork is about to come that one does not vote for.',
  }),
  'alerts.heldBackMs': quantity('alert-held-back-ms', 'ms', TIMES, {
    default: 10 * 60_000,
    live: true,
    help: `Shares that wait on disk for so long, as the queue takes none, are told. ${OFF}`,
  }),
  'alerts.queueEntries': quantity('alert-queue-entries', 'count', [0, 1_000_000_000], {
    default: 1_000,
    live: true,
    help: `Most entries that wait in the queue to be recorded, for ten minutes. ${OFF}`,
  }),
  'alerts.ledgerMs': quantity('alert-ledger-ms', 'ms', TIMES, {
    default: 2 * 60_000,
    live: true,
    help: `A ledger that does not answer for so long is told, by each bridge for itself. ${OFF}`,
  }),
  'alerts.diskBytes': quantity('alert-disk-bytes', 'bytes', [0, 2 ** 50], {
    default: 2 ** 30,
    live: true,
    help: `Least room on the disk that has the data directory. ${OFF}`,
  }),
  'alerts.certificateMs': quantity('alert-certificate-ms', 'ms', [0, 366 * DAY_MS], {
    default: 14 * DAY_MS,
    live: true,
    help: `A certificate, of rigs' ports or of the web, that ends within this time is told. ${OFF}`,
  }),
  'alerts.blocks': setting('alert-block', (v) => v.blockEvents, {
    default: ['found', 'confirmed', 'orphaned'],
    shape: 'EVENT',
    repeatable: true,
    live: true,
    help: 'What is told of blocks: found, confirmed, orphaned. An empty list: nothing.',
  }),
  'alerts.splitMs': quantity('alert-split-ms', 'ms', TIMES, {
    default: 15 * 60_000,
    live: true,
    help: `A block that waits for so long to be split, since shares of a bridge are not in the books, is told. ${OFF}`,
  }),
  'alerts.payoutMs': quantity('alert-payout-ms', 'ms', TIMES, {
    default: DAY_MS,
    live: true,
    help: `A payout is due when there are balances from payouts.minimum up, and none was prepared for so long. ${OFF}`,
  }),
  'alerts.payouts': setting('alert-payout', (v) => v.payoutEvents, {
    default: ['returned'],
    shape: 'EVENT',
    repeatable: true,
    live: true,
    help: 'What is told of payouts on chain as it happens: paid (a batch is settled), returned (payments have left the chain with their block, and are on their way again). An empty list: nothing.',
  }),
  'alerts.onChain': onOff('alert-on-chain', {
    default: true,
    live: true,
    help: 'Payouts on chain that are paused or overdue, payments that are held, chains with less coins than wait there, and more than payouts.maxHot are told.',
  }),
  'alerts.minersKey': setting('', (v) => v.signingKey, {
    default: '',
    shape: 'KEY',
    live: true,
    secret: 'whole',
    help: 'With it miners may have a webhook told of their own rigs; keys that sign those are made of it. The same on all bridges of a ledger. Empty: they may not.',
  }),
  'alerts.minersPrivate': onOff('alert-miners-private', {
    default: false,
    live: true,
    help: "Miners' webhooks may lead to addresses that are not public: only where every miner may reach those anyway.",
  }),
};
