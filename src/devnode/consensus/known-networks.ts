/** The networks that are known by name: what all their nodes agree on. */
import {
  MAX_TARGET,
  type Target,
  targetFromHexBigEndian,
  targetFromInteger,
} from '../../core/work/target.js';
import type { CoinbaseRule } from '../coin/coinbase.js';
import type { ChosenGraph } from './chain-graph.js';

export interface NetworkDefaults {
  /** By which headers name the network (bytes 266..269; protocol notes A.1, F). */
  readonly versionCode: number;
  /** By the height of their first block. */
  readonly graphs: readonly (readonly [height: number, graph: ChosenGraph])[];
  readonly genesisTime: bigint;
  /** Target of the chains that were there first, and of those added later. */
  readonly genesisTarget: Target;
  readonly lateGenesisTarget: Target;
  /** Fixed on public networks; on others it follows from the number of chains. */
  readonly blockDelayMs?: number;
  readonly window: number;
  /** The first epoch of the chains that were there first begins with their block 1. */
  readonly firstEpochStartsLate: boolean;
  /** By default `fixed`. */
  readonly coinbase?: CoinbaseRule;
  /** Blocks of a fork epoch (fork-state.ts); absent: headers hold no votes. */
  readonly forkEpoch?: number;
}

export const FIRST_GENESIS_TIME = 1_563_388_117_613_832n;
export const DEVELOPMENT_TARGET = targetFromInteger(((1n << 256n) - 1n) / 100_000n);
/**
 * Small, so that the difficulty follows the hash rate of a desk: simulated at 20 MH/s from the genesis difficulty, ten
 * chains make about 150 blocks in the first minute and 40 to 75 in each later one; from 0.2 to 1000 MH/s it is much alike.
 */
export const DEVELOPMENT_WINDOW = 4;

const PUBLIC = { blockDelayMs: 30_000, window: 120, firstEpochStartsLate: false, forkEpoch: 14_400 } as const;

const NETWORKS: Readonly<Record<string, NetworkDefaults>> = {
  'test-singleton': {
    versionCode: 0x80000000,
    graphs: [[0, 'singleton']],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    window: DEVELOPMENT_WINDOW,
    firstEpochStartsLate: true,
  },
  development: {
    versionCode: 2,
    graphs: [[0, 'twenty']],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    window: DEVELOPMENT_WINDOW,
    firstEpochStartsLate: true,
  },
  mainnet01: {
    versionCode: 5,
    graphs: [
      [0, 'petersen'],
      [852_054, 'twenty'],
    ],
    genesisTime: 1_572_393_660_000_000n,
    genesisTarget: MAX_TARGET,
    lateGenesisTarget: targetFromHex('cb73de4be95ba21db5b9178dd85974c194e3ee05717dd8afa830'),
    ...PUBLIC,
  },
  testnet04: {
    versionCode: 7,
    graphs: [
      [0, 'petersen'],
      [332_604, 'twenty'],
    ],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: MAX_TARGET,
    lateGenesisTarget: targetFromHex('1b9bf15be43824bae4c4f17722572883f7b53ed2e8c6ba9596249235'),
    ...PUBLIC,
  },
  'recap-development': {
    versionCode: 1,
    graphs: [
      [0, 'petersen'],
      [60, 'twenty'],
    ],
    genesisTime: FIRST_GENESIS_TIME,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: targetFromHex('88f99632cadf39b0db7655be62cb7dbc84ebbd9a90e5b5756d3e7d9196c'),
    ...PUBLIC,
    firstEpochStartsLate: true,
  },
  testnet06: {
    versionCode: 8,
    graphs: [[0, 'twenty']],
    genesisTime: 1_771_229_700_000_000n,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    ...PUBLIC,
  },
  /** Of its genesis the day alone is known. */
  stoa: {
    versionCode: 10,
    coinbase: 'stoa',
    graphs: [[0, 'petersen']],
    genesisTime: 1_769_904_000_000_000n,
    genesisTarget: DEVELOPMENT_TARGET,
    lateGenesisTarget: DEVELOPMENT_TARGET,
    ...PUBLIC,
  },
};

export const NETWORK_NAMES: readonly string[] = Object.keys(NETWORKS);

/** `undefined` for a name that is not known. */
export function defaultsOf(name: string): NetworkDefaults | undefined {
  return Object.hasOwn(NETWORKS, name) ? NETWORKS[name] : undefined;
}

function targetFromHex(digits: string): Target {
  const target = targetFromHexBigEndian(digits.padStart(64, '0'));
  if (target === undefined) throw new RangeError(`${digits} is no target`);
  return target;
}
