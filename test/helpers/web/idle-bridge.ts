/** Everything that summary and metrics look at, of a bridge to which nothing has happened. */

import type { AlertsView } from '../../../src/bridge/alerts.js';
import { type BridgeEvents, createBridgeEvents } from '../../../src/bridge/events.js';
import type { TimelineView } from '../../../src/bridge/timeline/timeline.js';
import { BooksAwayError, type BooksWatch } from '../../../src/bridge/watch/books-watch.js';
import { ALONE } from '../../../src/bridge/watch/other-bridges.js';
import { followingOf } from '../../../src/operations/books/chains.js';
import { Freshness } from '../../../src/web/state/freshness.js';
import { LastKnown } from '../../../src/web/state/last-known.js';
import type { LedgerTotals, QueueStats, SummarySources } from '../../../src/web/state/summary.js';
import { Tally } from '../../../src/web/state/tally.js';
import { NO_RIGS } from '../rigs/no-rigs.js';

const QUEUE: QueueStats = {
  backend: 'postgres',
  isUp: true,
  waiting: 0,
  failed: 0,
  heldBack: 0,
  unkeptSolutions: 0,
};
const LEDGER: LedgerTotals = { shares: 0, work: '0' };

export const NO_TIMELINE: TimelineView = {
  lost: { ledger: 0, file: 0, flood: 0 },
  waiting: 0,
  onLine() {},
  readLines: async () => [],
};

export const NO_ALERTS: AlertsView = {
  targets: () => [],
  readAlerts: async () => ({ alerts: [], open: 0, next: null }),
  readTargets: async () => [],
  open: () => [],
  tries: { delivered: 0, retried: 0, failed: 0 },
};

export const NO_SIGNS: SummarySources['signs'] = async () => ({
  jobAgeMs: 0,
  diskFreeBytes: undefined,
  certificates: [],
  forkVotesDiffer: undefined,
});

const away = async (): Promise<never> => {
  throw new BooksAwayError('the ledger does not answer now: ask again in a moment');
};
/** As while the ledger is away. */
export const NO_BOOKS: BooksWatch = {
  account: away,
  earnedDays: away,
  moneyOf: away,
  otherAccounts: away,
  allMoney: away,
  paidDays: away,
  blocks: away,
  rounds: away,
  split: away,
  roots: away,
  accountSplits: away,
  proofs: away,
  payouts: away,
  payout: away,
  paidLines: away,
  listed: away,
  history: away,
};

export function idleBridge(): { events: BridgeEvents; sources: SummarySources } {
  const events = createBridgeEvents();
  const clock = { nowMs: () => 0 };
  return {
    events,
    sources: {
      version: '0.0.0',
      startedAtMs: 0,
      instance: () => 0,
      self: () => null,
      place: 'here:data',
      bridges: ALONE,
      tally: new Tally(events, clock),
      freshness: new Freshness(events, clock),
      nodes: () => [],
      whyReleased: () => undefined,
      liveJobs: () => [],
      rigs: NO_RIGS,
      listeners: () => ({ areOpen: true, ports: [] }),
      books: NO_BOOKS,
      webUrl: () => undefined,
      pendingSolutions: () => 0,
      queue: new LastKnown(async () => QUEUE),
      ledger: new LastKnown(async () => LEDGER),
      following: new LastKnown(async () => followingOf([])),
      differingRules: () => [],
      title: () => 'Test pool',
      development: 'auto',
      terms: () => undefined,
      timeline: NO_TIMELINE,
      alerts: NO_ALERTS,
      signs: NO_SIGNS,
    },
  };
}
