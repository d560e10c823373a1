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

/** What all rigs together, or all of an address, may take: a machine's, as connections are handed to its processes in turn. */
const SHARED = [
  'connections',
  'connectionsPerAddress',
  'connectsPerSecond',
  'connectsPerSecondPerAddress',
  'messagesPerSecondPerAddress',
] as const satisfies (keyof StratumLimits)[];

/** The profile's, but for those that have a value of their own; of those that are the machine's, the part of one process. */
export function limitsFrom(config: BridgeConfig): StratumLimits {
  const own = Object.entries(KEYS).filter(([, key]) => config[key] !== 'auto');
  const limits: StratumLimits = {
    ...LIMIT_PROFILES[config['stratum.limits.profile']],
    ...Object.fromEntries(own.map(([limit, key]) => [limit, config[key]])),
  };
  return { ...limits, ...partOf(limits, SHARED, config) };
}

/** Of one process. */
export function partOf<L extends Readonly<Record<K, number>>, K extends string>(
  limits: L,
  keys: readonly K[],
  config: BridgeConfig,
): Record<K, number> {
  const processes = processesOf(config);
  return Object.fromEntries(keys.map((key) => [key, Math.ceil(limits[key] / processes)])) as Record<
    K,
    number
  >;
}

/** That share what the machine may. */
export function processesOf({ processes }: Pick<BridgeConfig, 'processes'>): number {
  return processes === 'off' ? 1 : processes;
}
