/** Settings as alerts take them. */
import type { BridgeConfig } from '../../config/settings/settings.js';
import { formatAmount } from '../../core/money/amount.js';
import type { AlertRules, OnChainRules } from '../../web/alerts/rules.js';

const BASIS_POINTS = 10_000;

const BLOCK_EVENT = { found: 'blockFound', confirmed: 'blockConfirmed', orphaned: 'blockOrphaned' } as const;
const PAYOUT_EVENT = { paid: 'payoutPaid', returned: 'paymentsReturned' } as const;

export function alertRulesFrom(config: BridgeConfig): AlertRules {
  return {
    targets: config['alerts.targets'],
    repeatMs: config['alerts.repeatMs'],
    rigOfflineMs: config['alerts.rigOfflineMs'],
    poolHashRate: config['alerts.poolHashRate'],
    poolHashRatePart: config['alerts.poolUsualBasisPoints'] / BASIS_POINTS,
    accountHashRates: config['alerts.accountHashRates'],
    rigHashRates: config['alerts.rigHashRates'],
    acceptedPart: config['alerts.acceptedBasisPoints'] / BASIS_POINTS,
    nodeMs: config['alerts.nodeMs'],
    jobMs: config['alerts.jobMs'],
    forkVotes: config['alerts.forkVotes'],
    heldBackMs: config['alerts.heldBackMs'],
    queueEntries: config['alerts.queueEntries'],
    ledgerMs: config['alerts.ledgerMs'],
    diskBytes: config['alerts.diskBytes'],
    certificateMs: config['alerts.certificateMs'],
    events: [
      ...config['alerts.blocks'].map((word) => BLOCK_EVENT[word]),
      ...config['alerts.payouts'].map((word) => PAYOUT_EVENT[word]),
    ],
    splitMs: config['alerts.splitMs'],
    payoutMs: config['alerts.payoutMs'],
    minimumPayout: formatAmount(config['payouts.minimum']),
    onChain: onChainFrom(config),
    minersKey: config['alerts.minersKey'],
    minersPrivate: config['alerts.minersPrivate'],
  };
}

/** Where payouts are files nothing is told of them. */
function onChainFrom(config: BridgeConfig): OnChainRules | undefined {
  if (config['payouts.mode'] === 'manual' || !config['alerts.onChain']) return undefined;
  const maxHot = config['payouts.maxHot'];
  return { reserve: config['payouts.reserve'], maxHot: maxHot === 'none' ? undefined : maxHot };
}
