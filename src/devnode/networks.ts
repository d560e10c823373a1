/** The networks by name, and what may be set differently to make blocks come in seconds. */
import { MAX_TARGET, type Target, targetFromHexBigEndian, targetFromInteger } from '../core/target.js';
import { VERSION_CODES } from '../core/version-codes.js';
import { type ChainGraph, chainGraph, type GraphName } from './chain-graph.js';
import type { DifficultyRules } from './difficulty.js';
import { PUBLIC_GENESIS_PAYLOADS } from './genesis-payloads.js';

export const NETWORK_NAMES = ['test-singleton', 'development', 'mainnet01', 'testnet04'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

export interface GraphChange {
  /** Height of the first block on the new graph; of its new chains' genesis. */
  readonly height: number;
  readonly graph: ChainGraph;
}

/** What all nodes of one network agree on before the first block. */
export interface Network {
  readonly name: NetworkName;
  readonly versionCode: number;
  /** Ascending height, the first at 0. */
  readonly graphs: readonly [GraphChange, ...GraphChange[]];
  /** Microseconds since the epoch. */
  readonly genesisTime: bigint;
  genesisTarget(chainId: number): Target;
  /** Known hash of a genesis payload whose content is not ours; `undefined`: we make the payload. */
  genesisPayloadHash(chainId: number): string | undefined;
  readonly difficulty: DifficultyRules;
  readonly proofOfWork: boolean;
  /** The header's first eight bytes, the same in every block. */
  readonly flags: bigint;
}

export interface NetworkSettings {
  readonly name: NetworkName;
  /** One graph from the first block on; by default the network's own history. */
  readonly graph?: GraphName;
  readonly graphHistory?: readonly (readonly [height: number, graph: GraphName])[];
  /** Wanted time between two blocks of one chain. */
  readonly blockDelayMs?: number;
  /** Blocks between two changes of the difficulty, at least 3. */
  readonly difficultyWindow?: number;
  /** Expected hashes of a block on top of a genesis block. */
  readonly genesisDifficulty?: number;
  /** A change never makes blocks harder by more than this factor; by default there is no such bound, as on real networks. */
  readonly greatestRaise?: number;
  readonly proofOfWork?: boolean;
  readonly flags?: bigint;
}

interface Defaults {
  readonly versionCode: number;
  readonly graphs: readonly (readonly [number, GraphName])[];
  readonly genesisTime: bigint;
  /** Target of the chains that were there first, and of those added later. */
  readonly genesisTarget: Target;
  readonly lateGenesisTarget: Target;
  /** Fixed on public networks; on others it follows from the number of chains. */
  readonly blockDelayMs?: number;
  readonly window: number;
}

const FIRST_GENESIS_TIME = 1_563_388_117_613_832n;
const DEVELOPMENT_TARGET = targetFromInteger(((1n << 256n) - 1n) / 100_000n);
/**
 * Small, so that the difficulty follows the hash rate of a desk: simulated at 20 MH/s from the genesis difficulty, ten
 * chains make about 150 blocks in the first minute and 40 to 75 in each later one; from 0.2 to 1000 MH/s it is much alike.
 */
const DEVELOPMENT_WINDOW = 4;

const NETWORKS: Readonly<Record<NetworkName, Defaults>> = {
  'test-singleton': {
    versionCode: VERSION_CODES['test-singleton'],
    graphs: [[0, 'singleton']],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    window: DEVELOPMENT_WINDOW,
  },
  development: {
    versionCode: VERSION_CODES.development,
    graphs: [[0, 'twenty']],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    window: DEVELOPMENT_WINDOW,
  },
  mainnet01: {
    versionCode: VERSION_CODES.mainnet01,
    graphs: [
      [0, 'petersen'],
      [852_054, 'twenty'],
    ],
    genesisTime: 1_572_393_660_000_000n,
    genesisTarget: MAX_TARGET,
    lateGenesisTarget: targetFromHex('cb73de4be95ba21db5b9178dd85974c194e3ee05717dd8afa830'),
    blockDelayMs: 30_000,
    window: 120,
  },
  testnet04: {
    versionCode: VERSION_CODES.testnet04,
    graphs: [
      [0, 'petersen'],
      [332_604, 'twenty'],
    ],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: MAX_TARGET,
    lateGenesisTarget: targetFromHex('1b9bf15be43824bae4c4f17722572883f7b53ed2e8c6ba9596249235'),
    blockDelayMs: 30_000,
    window: 120,
  },
};

function targetFromHex(digits: string): Target {
  const target = targetFromHexBigEndian(digits.padStart(64, '0'));
  if (target === undefined) throw new RangeError(`${digits} is no target`);
  return target;
}

/** Throws RangeError, with a sentence that names the setting, for settings that make no network. */
export function networkFrom(settings: NetworkSettings): Network {
  const defaults = NETWORKS[settings.name];
  if (defaults === undefined)
    throw new RangeError(`network ${settings.name} is none of ${NETWORK_NAMES.join(', ')}`);
  const graphs = graphsFrom(settings, defaults);
  const proofOfWork = settings.proofOfWork ?? true;
  return {
    name: settings.name,
    versionCode: defaults.versionCode,
    graphs,
    genesisTime: defaults.genesisTime,
    genesisTarget: genesisTargets(settings, defaults, graphs[0].graph),
    genesisPayloadHash: (chainId) =>
      settings.graph === undefined && settings.graphHistory === undefined
        ? PUBLIC_GENESIS_PAYLOADS[settings.name]?.(chainId)
        : undefined,
    difficulty: difficultyRules(settings, defaults, graphs, proofOfWork),
    proofOfWork,
    flags: settings.flags ?? 0n,
  };
}

function graphsFrom(settings: NetworkSettings, defaults: Defaults): Network['graphs'] {
  const history = settings.graph
    ? [[0, settings.graph] as const]
    : (settings.graphHistory ?? defaults.graphs);
  const graphs = history.map(([height, name]) => ({ height, graph: chainGraph(name) }));
  const [first, ...later] = graphs;
  const ascends = later.every(({ height }, i) => height > (graphs[i]?.height ?? 0));
  if (first === undefined || first.height !== 0 || !ascends) {
    throw new RangeError('the graph history must begin at height 0 and ascend');
  }
  return [first, ...later];
}

function genesisTargets(
  settings: NetworkSettings,
  defaults: Defaults,
  firstGraph: ChainGraph,
): Network['genesisTarget'] {
  const { genesisDifficulty } = settings;
  if (genesisDifficulty === undefined) {
    return (chainId) =>
      firstGraph.chains.includes(chainId) ? defaults.genesisTarget : defaults.lateGenesisTarget;
  }
  if (!Number.isSafeInteger(genesisDifficulty) || genesisDifficulty < 1) {
    throw new RangeError(`genesisDifficulty must be a whole number from 1 on, not ${genesisDifficulty}`);
  }
  const target = targetFromInteger(((1n << 256n) - 1n) / BigInt(genesisDifficulty));
  return () => target;
}

function difficultyRules(
  settings: NetworkSettings,
  defaults: Defaults,
  graphs: Network['graphs'],
  proofOfWork: boolean,
): DifficultyRules {
  // A second a block over all chains together, unless the network has a delay of its own.
  const ownDelayMs = defaults.blockDelayMs ?? 1000 * (graphs.at(-1)?.graph.chains.length ?? 1);
  const blockDelayMs = settings.blockDelayMs ?? ownDelayMs;
  const window = settings.difficultyWindow ?? defaults.window;
  const { greatestRaise } = settings;
  if (!(blockDelayMs > 0)) throw new RangeError(`blockDelayMs must be above 0, not ${blockDelayMs}`);
  if (!Number.isSafeInteger(window) || window < 3) {
    throw new RangeError(`difficultyWindow must be a whole number from 3 on, not ${window}`);
  }
  if (greatestRaise !== undefined && (!Number.isSafeInteger(greatestRaise) || greatestRaise < 2)) {
    throw new RangeError(`greatestRaise must be a whole number from 2 on, not ${greatestRaise}`);
  }
  return {
    blockDelayMicros: BigInt(Math.max(1, Math.round(blockDelayMs * 1000))),
    window,
    earlyWindow: Math.min(12, window),
    earlyUntil: 120,
    ...(greatestRaise === undefined ? {} : { greatestRaise: BigInt(greatestRaise) }),
    firstEpochStartsLate: defaults.blockDelayMs === undefined,
    adjusts: proofOfWork,
  };
}

export function graphAt(network: Network, height: number): ChainGraph {
  return (network.graphs.findLast((change) => change.height <= height) ?? network.graphs[0]).graph;
}

/** Every chain there will ever be, ascending. */
export function chainsOf(network: Network): readonly number[] {
  return network.graphs.at(-1)?.graph.chains ?? [];
}

/** Height of the first block of a chain; `undefined` for a chain the network does not have. */
export function genesisHeightOf(network: Network, chainId: number): number | undefined {
  return network.graphs.find((change) => change.graph.chains.includes(chainId))?.height;
}

/** Chains that exist at a height, ascending. */
export function chainsAt(network: Network, height: number): readonly number[] {
  return graphAt(network, height).chains;
}
