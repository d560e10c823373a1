/** Settings as alerts take them. */
import type { BridgeConfig } from '../../config/settings.js';
import { formatAmount } from '../../core/money/amount.js';
import type { AlertRules, OnChainRules } from '../../web/alerts/rules.js';

export function alertRulesFrom(config: BridgeConfig): AlertRules {
  return {
    targets: config['alerts.targets'],
    off: config['alerts.off'],
    rigOfflineMs: config['alerts.rigOffline'],
    poolHashRate: config['alerts.poolHashRate'],
    accountHashRates: config['alerts.accountHashRates'],
    rigHashRates: config['alerts.rigHashRates'],
    diskBytes: config['alerts.disk'],
    minimumPayout: formatAmount(config['payouts.minimum']),
    onChain: onChainFrom(config),
  };
}

/** Where payouts are files nothing is told of them. */
function onChainFrom(config: BridgeConfig): OnChainRules | undefined {
  if (config['payouts.mode'] === 'manual') return undefined;
  const maxHot = config['payouts.maxHot'];
  return { reserve: config['payouts.reserve'], maxHot: maxHot === 'none' ? undefined : maxHot };
}
