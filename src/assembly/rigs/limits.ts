/** Limits of rigs, from the settings. */
import type { BridgeConfig } from '../../config/settings/settings.js';
import { LIMIT_PROFILES, type StratumLimits } from '../../stratum/door/limits.js';

/** The profile's, but for those that have a value of their own. */
export function limitsFrom(config: BridgeConfig): StratumLimits {
  const prefix = 'stratum.limits.';
  const own = Object.entries(config).filter(([key, value]) => key.startsWith(prefix) && value !== 'auto');
  return {
    ...LIMIT_PROFILES[config['stratum.limits']],
    ...Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value])),
  };
}
