/** Looks and rules of alerts with nothing in them, to be filled in by a test. */
import { randomUUID } from 'node:crypto';
import type { Finding, Look, TargetChoice } from '../../src/bridge/alerts/alerts.js';
import type { AlertRules } from '../../src/web/alerts/rules.js';
import type { Snapshot } from '../../src/web/alerts/snapshot.js';

export const OPS: TargetChoice = { name: 'ops', type: 'webhook', leastSeverity: 'info' };

export function look(more: Partial<Look> = {}): Look {
  return {
    ...{
      bridge: randomUUID(),
      findings: [],
      rigOfflineMs: 0,
      events: [],
      off: [],
      repeatMs: 0,
      targets: [OPS],
    },
    ...{ tellsMiners: false, toldAlready: [] },
    ...more,
  };
}

export function finding(about: string, isBad = true, more: Partial<Finding> = {}): Finding {
  return { condition: 'nodeUnhealthy', about, isBad, says: `${about} is ${isBad ? 'bad' : 'well'}`, ...more };
}

/** All conditions on, by their defaults. */
export const RULES: AlertRules = {
  ...{ targets: [], repeatMs: 0, rigOfflineMs: 600_000, poolHashRate: 0, poolHashRatePart: 0.5 },
  ...{ accountHashRates: {}, rigHashRates: {}, acceptedPart: 0.95, nodeMs: 600_000, jobMs: 300_000 },
  ...{ forkVotes: true, spoolMs: 600_000, queueEntries: 1000, ledgerMs: 120_000, diskBytes: 2 ** 30 },
  ...{
    certificateMs: 14 * 86_400_000,
    events: [],
    splitMs: 900_000,
    payoutMs: 86_400_000,
    minimumPayout: '1',
  },
  ...{ minersKey: '', minersPrivate: false },
};

/** Of a bridge that is well. */
export const WELL: Snapshot = {
  ...{ bridge: 'bridge 0', isLedgerUp: true, queue: { waiting: 0, spooled: 0 } },
  nodes: [{ url: 'http://node:1848', state: 'healthy', reason: '' }],
  signs: { jobAgeMs: 1000, diskFreeBytes: 2 ** 40, certificates: [], forkVotesDiffer: false },
  figures: {
    ...{ pool: { hashesPerSecond: 1e12, standardError: 1e10 }, usual: 1e12 },
    ...{ accounts: new Map(), rigs: new Map(), submits: { accepted: 1000, rejected: 1 } },
    unweighed: { blocks: 0, oldestMs: 0, place: undefined },
    payable: { accounts: 0, total: '0', sinceLastMs: undefined },
  },
};
