/** A network as its nodes agree on it: by name or by a definition, and what may be set differently to make blocks come in seconds. */
import { type Target, targetFromInteger } from '../../core/work/target.js';
import type { InitialBalance } from '../coin/accounts.js';
import type { CoinbaseRule } from '../coin/coinbase.js';
import { checkBalances } from '../coin/grants.js';
import { type ChainGraph, type ChosenGraph, chainGraph } from './chain-graph.js';
import type { DifficultyRules } from './difficulty.js';
import { type ForkRules, forkRulesFrom } from './fork-state.js';
import { PUBLIC_GENESIS_PAYLOADS } from './genesis-payloads.js';
import { defaultsOf, NETWORK_NAMES, type NetworkDefaults } from './known-networks.js';

interface GraphChange {
  /** Height of the first block on the new graph; of its new chains' genesis. */
  readonly height: number;
  readonly graph: ChainGraph;
}

/** What all nodes of one network agree on before the first block. */
export interface Network {
  readonly name: string;
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
  /** What the first eight bytes of a header may be. */
  readonly forks: ForkRules;
  /** What a block credits. */
  readonly coinbase: CoinbaseRule;
  /** What accounts have from the first block of each chain on; it stands in the genesis blocks. */
  readonly initialBalances: readonly InitialBalance[];
}

interface NetworkSettings {
  readonly name: string;
  /** What nodes of a network agree on whose name is not known. */
  readonly defined?: NetworkDefaults;
  /** One graph from the first block on; by default the network's own history. */
  readonly graph?: ChosenGraph;
  readonly graphHistory?: readonly (readonly [height: number, graph: ChosenGraph])[];
  /** Wanted time between two blocks of one chain. */
  readonly blockDelayMs?: number;
  /** Blocks between two changes of the difficulty, at least 3. */
  readonly difficultyWindow?: number;
  /** Expected hashes of a block on top of a genesis block. */
  readonly genesisDifficulty?: number;
  /** A change never makes blocks harder by more than this factor; by default there is no such bound, as on real networks. */
  readonly greatestRaise?: number;
  readonly proofOfWork?: boolean;
  /** The first eight bytes of every header, instead of votes. */
  readonly flags?: bigint;
  /** Blocks of a fork epoch; 0: headers hold no votes. */
  readonly forkEpoch?: number;
  /** The newest fork that this node knows of, and votes for. */
  readonly forkNumber?: number;
  /** Creation time of the genesis blocks. */
  readonly genesisTime?: Date;
  readonly initialBalances?: readonly InitialBalance[];
}

/** Throws RangeError, with a sentence that names the setting, for settings that make no network. */
export function networkFrom(settings: NetworkSettings): Network {
  const defaults = settings.defined ?? defaultsOf(settings.name);
  if (defaults === undefined) {
    const names = NETWORK_NAMES.join(', ');
    throw new RangeError(
      `network must be one of ${names}, or a definition of one's own, not ${settings.name}`,
    );
  }
  const graphs = graphsFrom(settings, defaults);
  const proofOfWork = settings.proofOfWork ?? true;
  const { initialBalances = [] } = settings;
  const hasOwnGenesis =
    settings.graph === undefined && settings.graphHistory === undefined && settings.defined === undefined;
  const givenPayloads = hasOwnGenesis ? PUBLIC_GENESIS_PAYLOADS[settings.name] : undefined;
  if (givenPayloads && initialBalances.length > 0) {
    const { name } = settings;
    throw new RangeError(`the genesis blocks of ${name} are given: initialBalances needs a graph of its own`);
  }
  checkBalances(initialBalances, chainsOf({ graphs }));
  return {
    name: settings.name,
    versionCode: defaults.versionCode,
    graphs,
    genesisTime: genesisTimeOf(settings, defaults),
    genesisTarget: genesisTargets(settings, defaults, graphs[0].graph),
    genesisPayloadHash: (chainId) => givenPayloads?.(chainId),
    difficulty: difficultyRules(settings, defaults, graphs, proofOfWork),
    proofOfWork,
    forks: forkRulesFrom(settings, defaults.forkEpoch ?? 0),
    coinbase: defaults.coinbase ?? 'fixed',
    initialBalances,
  };
}

function genesisTimeOf({ genesisTime }: NetworkSettings, defaults: NetworkDefaults): bigint {
  if (genesisTime === undefined) return defaults.genesisTime;
  const ms = genesisTime.getTime();
  if (!(ms >= 0)) throw new RangeError('genesisTime must be a time from 1970 on');
  return BigInt(ms) * 1000n;
}

function graphsFrom(settings: NetworkSettings, defaults: NetworkDefaults): Network['graphs'] {
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
  defaults: NetworkDefaults,
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
  defaults: NetworkDefaults,
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
    firstEpochStartsLate: defaults.firstEpochStartsLate,
    adjusts: proofOfWork,
  };
}

export function graphAt(network: Network, height: number): ChainGraph {
  return (network.graphs.findLast((change) => change.height <= height) ?? network.graphs[0]).graph;
}

/** Every chain there will ever be, ascending. */
export function chainsOf(network: Pick<Network, 'graphs'>): readonly number[] {
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
