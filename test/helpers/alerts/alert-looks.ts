/** Looks and settings of alerts with nothing in them, to be filled in by a test. */

import { randomUUID } from 'node:crypto';
import { decide, MOST_OF_A_CONDITION, openingsOf } from '../../../src/alerts/decide.js';
import type { AlertSettings } from '../../../src/alerts/keeper.js';
import type { Snapshot } from '../../../src/alerts/snapshot.js';
import type { Finding, Look } from '../../../src/bridge/alerts.js';
import type { PayerView } from '../../../src/operations/payer/payer-view.js';

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
  ...{ 'alerts.targets': [], 'alerts.off': [], 'alerts.rigOffline': 600_000 },
  ...{ 'alerts.poolHashRate': 0, 'alerts.accountHashRates': {}, 'alerts.rigHashRates': {} },
  ...{ 'alerts.disk': 2 ** 30 },
};

/** Nobody pays on chain, and nothing is wrong with it. */
export function payer(more: Partial<PayerView> = {}): PayerView {
  return {
    ...{ isPaying: false, holder: null, heardAt: null, account: null, pauses: [], isReady: false },
    ...{ waitsUntil: null, cursorAt: null, lines: 0, open: 0, sent: 0, waiting: 0, held: 0 },
    ...{ plannedAt: '2026-01-01T00:00:00.000Z', isAsked: false, waitingWhy: '', warning: '', words: [] },
    ...more,
  };
}

/** Of a bridge that is well. */
export const WELL: Snapshot = {
  ...{
    bridge: 'bridge 0',
    isLedgerUp: true,
    queue: { waiting: 0, failed: 0, heldBack: 0, unkeptSolutions: 0 },
  },
  nodes: [{ url: 'http://node:1848', state: 'healthy', reason: '' }],
  signs: { jobAgeMs: 1000, diskFreeBytes: 2 ** 40, certificates: [], forkVotesDiffer: false },
  rigs: undefined,
  figures: {
    ...{ pool: { hashesPerSecond: 1e12, standardError: 1e10 }, usual: 1e12 },
    ...{ accounts: new Map(), rigs: new Map(), submits: { accepted: 1000, rejected: 1 } },
    unweighed: { blocks: 0, oldestMs: 0, place: undefined },
    ...{ chains: [], unclaimed: { blocks: 0, oldestMs: 0 }, payer: payer() },
    payable: { minimum: '1.000000000000', accounts: 0, total: '0', sinceLastMs: undefined },
  },
};
