/** A network as its nodes agree on it: by name or by a definition, and what may be set differently to make blocks come in seconds. */
import type { Target } from '../../core/work/target.js';
import type { InitialBalance } from '../coin/accounts.js';
import type { CoinbaseRule } from '../coin/coinbase.js';
import { checkBalances } from '../coin/grants.js';
import { type ChainGraph, chainGraph } from './chain-graph.js';
import type { DifficultyRules } from './difficulty.js';
import { type ForkRules, forkRulesFrom } from './fork-state.js';
import { KNOWN_NETWORKS, NETWORK_NAMES } from './known-networks.js';
import { DEFINITION, type NetworkDefinition, readDefinition } from './network-definition.js';

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

/** What all nodes of a network need alike, and is no field of its definition. */
interface NetworkRules {
  /** Off: any nonce is good. */
  readonly proofOfWork?: boolean;
  /** First eight bytes of every header as an integer, instead of votes; opaque to clients. */
  readonly forkState?: bigint;
  /** The newest fork that this node knows of, and votes for; it takes no blocks of later ones. */
  readonly forkNumber?: number;
  /** Coins that accounts have from the first block on: other balances make another network. */
  readonly initialBalances?: readonly InitialBalance[];
}

/** Fields that are said here replace those of the definition. */
export type NetworkOptions = Omit<Partial<NetworkDefinition>, 'name' | 'code'> & NetworkRules;

/**
 * @param named a name that is known, or a definition. Throws RangeError, with a sentence that names the setting, for what makes no network.
 */
export function networkFrom(named: string | NetworkDefinition, options: NetworkOptions = {}): Network {
  const { proofOfWork = true, initialBalances = [] } = options;
  const definition = readDefinition(withOptions(definitionOf(named), options));
  const { name, code, blockDelayMs, genesisPayloads, genesisTime } = definition;
  const graphs = graphsOf(definition);
  const chains = chainsOf({ graphs });
  if (genesisPayloads.length > 0 && initialBalances.length > 0)
    throw new RangeError(`the genesis blocks of ${name} are given: initialBalances needs a graph of its own`);
  checkBalances(initialBalances, chains);
  const { genesisDifficulty: firstTarget, lateGenesisTarget = firstTarget } = definition;
  return {
    name,
    versionCode: code,
    graphs,
    genesisTime,
    genesisTarget: (chainId) => (chainsAt({ graphs }, 0).includes(chainId) ? firstTarget : lateGenesisTarget),
    genesisPayloadHash: (chainId) => genesisPayloads[chainId],
    difficulty: {
      // A second a block over all chains together, unless the network has a delay of its own.
      blockDelayMicros: BigInt(Math.max(1, Math.round((blockDelayMs ?? 1000 * chains.length) * 1000))),
      window: definition.difficultyWindow,
      earlyWindow: Math.min(12, definition.difficultyWindow),
      earlyUntil: 120,
      firstEpochStartsLate: definition.firstEpochStartsLate,
      adjusts: proofOfWork,
    },
    proofOfWork,
    forks: forkRulesFrom(definition.forkEpoch, options),
    coinbase: definition.coinbase,
    initialBalances,
  };
}

function definitionOf(named: string | NetworkDefinition): NetworkDefinition {
  if (typeof named !== 'string') {
    const { name } = readDefinition(named);
    if (!NETWORK_NAMES.includes(name)) return named;
    throw new RangeError(`the network's name must be no known one, as ${name} is`);
  }
  const known = KNOWN_NETWORKS.find(({ name }) => name === named);
  if (known !== undefined) return known;
  throw new RangeError(
    `network must be one of ${NETWORK_NAMES.join(', ')}, or a definition of one's own, not ${named}`,
  );
}

/** What was known of genesis blocks is not true of others. */
function withOptions(definition: NetworkDefinition, options: NetworkOptions): NetworkDefinition {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const changes: Partial<NetworkDefinition> = Object.fromEntries(
    given.filter(([name]) => Object.hasOwn(DEFINITION.shape, name)),
  );
  const hasGraph = changes.graph !== undefined || changes.graphs !== undefined;
  return {
    ...definition,
    ...(hasGraph ? { graph: undefined, graphs: undefined, genesisPayloads: undefined } : {}),
    ...(changes.genesisDifficulty === undefined ? {} : { lateGenesisTarget: undefined }),
    // Headers begin either so or with votes.
    ...(options.forkState ? { forkEpoch: 0 } : {}),
    ...changes,
  };
}

function graphsOf({ graph, graphs }: ReturnType<typeof readDefinition>): Network['graphs'] {
  if (graph && graphs) throw new RangeError('the network must have graph or graphs, not both');
  const history = graphs ?? [[0, graph ?? 'petersen'] as const];
  const [first, ...later] = history.map(([height, chosen]) => ({ height, graph: chainGraph(chosen) }));
  const ascends = later.every(({ height }, i) => height > (history[i]?.[0] ?? 0));
  if (first?.height === 0 && ascends) return [first, ...later];
  throw new RangeError('graphs must begin at height 0 and ascend');
}

export function graphAt(network: Pick<Network, 'graphs'>, height: number): ChainGraph {
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
export function chainsAt(network: Pick<Network, 'graphs'>, height: number): readonly number[] {
  return graphAt(network, height).chains;
}
