/** Looks and settings of alerts with nothing in them, to be filled in by a test. */

import { randomUUID } from 'node:crypto';
import { decide, MOST_OF_A_CONDITION, openingsOf } from '../../../src/alerts/decide.js';
import type { AlertSettings } from '../../../src/alerts/keeper.js';
import type { Snapshot } from '../../../src/alerts/snapshot.js';
import type { Finding, Look } from '../../../src/bridge/alerts.js';
import type { PayerReport } from '../../../src/bridge/watch/payer-watch.js';

export function look({
  findings = [],
  ...more
}: Partial<Look> & { findings?: readonly Finding[] } = {}): Look {
  return {
    ...{ bridge: randomUUID(), off: [], repeatMs: 0, toldAlready: [], events: [] },
    ...{ decide: (open) => decide(open, findings), openingsOf, mostLately: MOST_OF_A_CONDITION },
    tell: async () => {},
    ...more,
  };
}

export function finding(about: string, isBad = true, more: Partial<Finding> = {}): Finding {
  const says = `${about} is ${isBad ? 'bad' : 'well'}`;
  return { condition: 'nodeUnhealthy', severity: 'warning', about, isBad, says, ...more };
}

/** All conditions on, by their defaults. */
export const SETTINGS: AlertSettings = {
  ...{ 'alerts.targets': [], 'alerts.off': ['payoutPaid'], 'alerts.rigOffline': 600_000 },
  ...{ 'alerts.poolHashRate': 0, 'alerts.accountHashRates': {}, 'alerts.rigHashRates': {} },
  ...{ 'alerts.disk': 2 ** 30, 'payouts.minimum': 10n ** 12n, 'payouts.mode': 'auto' },
  ...{ 'payouts.reserve': 10n ** 11n, 'payouts.maxHot': 100n * 10n ** 12n },
};

/** Who pays in time, and has coins for it. */
export const PAYER: PayerReport = {
  ...{ isSeated: true, place: 'here', account: 'k:ab', network: 'development', pause: undefined },
  ...{ ranAtMs: 0, nextAtMs: 1_000_000, askedAtMs: undefined, whyNot: '', nowMs: 10, unapproved: 0 },
  awaited: { total: 0, lines: [] },
  lines: { prepared: 0, sent: 1, confirmed: 0, failed: 0, unknown: 0, held: 0 },
  waits: [],
  chains: [
    {
      chainId: 3,
      height: 9,
      balance: '5.1',
      waiting: '5',
      missing: '0',
      lines: 1,
      head: undefined,
      trouble: '',
    },
    {
      chainId: 4,
      height: undefined,
      balance: undefined,
      waiting: '7',
      missing: '0',
      lines: 1,
      head: undefined,
      trouble: '',
    },
  ],
};

/** Of a bridge that is well. */
export const WELL: Snapshot = {
  ...{ bridge: 'bridge 0', isLedgerUp: true, queue: { waiting: 0, heldBack: 0, unkeptSolutions: 0 } },
  nodes: [{ url: 'http://node:1848', state: 'healthy', reason: '' }],
  signs: { jobAgeMs: 1000, diskFreeBytes: 2 ** 40, certificates: [], forkVotesDiffer: false },
  rigs: undefined,
  figures: {
    ...{ pool: { hashesPerSecond: 1e12, standardError: 1e10 }, usual: 1e12 },
    ...{ accounts: new Map(), rigs: new Map(), submits: { accepted: 1000, rejected: 1 } },
    unweighed: { blocks: 0, oldestMs: 0, place: undefined },
    ...{ chains: [], unclaimed: { blocks: 0, oldestMs: 0 } },
    payable: { accounts: 0, total: '0', sinceLastMs: undefined },
    onChain: { payer: PAYER, held: 0 },
  },
};
