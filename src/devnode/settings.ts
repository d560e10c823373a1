/** Everything that can be set, as plain values with defaults. */
import type { GraphName } from './chain-graph.js';
import { NETWORK_NAMES, type NetworkName } from './networks.js';
import type { Miner } from './payload.js';

export interface DevNodeSettings {
  readonly listen: { readonly host: string; readonly port: number };
  /** First segments of every path: `/<serviceSegment>/<apiVersion>/<network>`. */
  readonly serviceSegment: string;
  readonly apiVersion: string;
  /** What the node calls its software in each answer. */
  readonly nodeVersion: string;

  readonly network: NetworkName;
  /** One graph from the first block on; `network`: the graphs of the named network. */
  readonly graph: GraphName | 'network';
  /** Wanted time between two blocks of one chain; by default all chains together make one block a second. */
  readonly blockDelayMs: number | undefined;
  /** Blocks between two changes of the difficulty. */
  readonly difficultyWindow: number | undefined;
  /** Expected hashes of the first blocks. */
  readonly genesisDifficulty: number | undefined;
  /** Off: any nonce is good. */
  readonly proofOfWork: boolean;

  /** Off: the mining endpoints do not exist, as on a node with default configuration. */
  readonly miningEnabled: boolean;
  /** Who gets work; empty: anybody. */
  readonly miners: readonly Miner[];
  /** Most payloads of handed out work that are remembered, and for how long. */
  readonly miningLimit: number;
  readonly payloadLifetimeMs: number;
  /** Update streams end after about this time. */
  readonly updateStreamLifetimeMs: number;
  readonly updateStreamLimit: number;
  /** Most bytes of a request's body. */
  readonly bodyLimitBytes: number;
}

export const DEFAULT_SETTINGS: DevNodeSettings = {
  listen: { host: '127.0.0.1', port: 1848 },
  serviceSegment: 'chainweb',
  apiVersion: '0.0',
  nodeVersion: '0.1.0',
  network: 'development',
  graph: 'petersen',
  blockDelayMs: undefined,
  difficultyWindow: undefined,
  genesisDifficulty: undefined,
  proofOfWork: true,
  miningEnabled: true,
  miners: [],
  miningLimit: 1200,
  payloadLifetimeMs: 300_000,
  updateStreamLifetimeMs: 240_000,
  updateStreamLimit: 2000,
  bodyLimitBytes: 2 * 1024 * 1024,
};

/** Throws RangeError with a sentence that names the setting. What makes the network is checked there. */
export function settingsFrom(given: Partial<DevNodeSettings>): DevNodeSettings {
  const settings = { ...DEFAULT_SETTINGS, ...given };
  if (!NETWORK_NAMES.includes(settings.network)) {
    throw new RangeError(`network must be one of ${NETWORK_NAMES.join(', ')}, not ${settings.network}`);
  }
  const { port } = settings.listen;
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new RangeError(`listen.port must be 0 to 65535, not ${port}`);
  }
  for (const name of POSITIVE) {
    if (!(settings[name] > 0)) throw new RangeError(`${name} must be above 0, not ${settings[name]}`);
  }
  return settings;
}

const POSITIVE = [
  'miningLimit',
  'payloadLifetimeMs',
  'updateStreamLifetimeMs',
  'updateStreamLimit',
  'bodyLimitBytes',
] as const;
