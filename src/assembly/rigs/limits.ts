/** Limits of rigs, from the settings. */
import type { BridgeConfig } from '../../config/settings.js';
import { LIMIT_PROFILES, type StratumLimits } from '../../stratum/admission/limits.js';

/** Those that have a setting of their own. */
const KEYS = {
  connections: 'stratum.limits.connections',
  connectionsPerAddress: 'stratum.limits.connectionsPerAddress',
  connectsPerSecond: 'stratum.limits.connectsPerSecond',
  messagesPerSecondPerAddress: 'stratum.limits.messagesPerSecondPerAddress',
  idleTimeoutMs: 'stratum.limits.idleTimeout',
  invalidSubmits: 'stratum.limits.invalidSubmits',
  wrongLogins: 'stratum.limits.wrongLogins',
  banMs: 'stratum.limits.ban',
} as const satisfies Partial<Record<keyof StratumLimits, keyof BridgeConfig>>;

/** The profile's, but for those that have a value of their own. */
export function limitsFrom(config: BridgeConfig): StratumLimits {
  const own = Object.entries(KEYS).filter(([, key]) => config[key] !== 'auto');
  return {
    ...LIMIT_PROFILES[config['stratum.limits.profile']],
    ...Object.fromEntries(own.map(([limit, key]) => [limit, config[key]])),
  };
}
