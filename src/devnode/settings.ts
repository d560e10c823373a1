/** Settings of the development node: of the command `node`, and by the same names from code. */
import { z } from 'zod';
import { listenAddress, listenAddressOrOff } from '../values/addresses.js';
import { listOf } from '../values/lists-and-maps.js';
import { numberOf } from '../values/numbers.js';
import { type ConfigOf, choice, onOff, quantity, setting } from '../values/setting.js';
import { readWhole } from '../values/units.js';
import { urlOf } from '../values/urls.js';
import { autoOr, momentOr, publicKey, switchedOn, text, wordOr } from '../values/words.js';
import { GRAPH_NAMES } from './consensus/chain-graph.js';
import { NETWORK_NAMES } from './consensus/known-networks.js';
import type { NetworkDefinition } from './consensus/network-definition.js';
import type { NetworkOptions } from './consensus/networks.js';

/** `new` or `k:` and a public key, and perhaps `=` and an amount of coins. */
const fundedAccount = text.regex(
  /^(new|k:[0-9a-f]{64})(=\d{1,12}(\.\d{1,12})?)?$/,
  'is neither new nor k: and a public key of 64 hex digits; behind = may stand an amount such as 1000.5',
);

/** One of a few words, or the path of a JSON file. */
function nameOrFile(...names: string[]) {
  return text.refine(
    (value) => names.includes(value) || /\.json$|[/\\]/.test(value),
    `is none of ${names.join(', ')}, and no file such as ./my-own.json`,
  );
}

/** A whole number of 64 bits. */
const wholeNumber64 = z
  .union([z.number(), z.string()], 'is no whole number below 2^64')
  .transform((given, context) => {
    const number = readWhole(String(given), 'count');
    if (number !== undefined && number < 1n << 64n) return number;
    context.addIssue('is no whole number below 2^64');
    return z.NEVER;
  });

export const DEVNODE_SETTINGS = {
  'devnode.listen': setting(listenAddress, {
    default: '127.0.0.1:1848',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Where to serve HTTP. A bare port uses the default host. Port 0 takes a free one.',
  }),
  'devnode.mining': onOff({
    default: false,
    basic: true,
    help: 'Serve the mining endpoints. As on real nodes they do not exist otherwise.',
  }),
  'devnode.miners': setting(listOf(publicKey), {
    default: [],
    basic: true,
    shape: 'PUBLIC-KEY',
    repeatable: true,
    help: 'Give work only to the k: accounts of these keys. None: to anybody.',
  }),
  'devnode.accounts': setting(listOf(fundedAccount), {
    default: [],
    basic: true,
    shape: 'new|k:KEY',
    repeatable: true,
    help: 'An account with a million coins on each chain from the first block on. new: of a key that is made and printed; k:KEY: of this one. k:KEY=5.5 says how many. Coins here are worth nothing.',
  }),
  'devnode.mineEvery': quantity('time', [0, '1d'], {
    default: 0,
    basic: true,
    help: 'The node makes a block itself each time this has passed, on any chain: --mine-every 1s. 0: it does not.',
  }),
  'devnode.mineOnTransaction': onOff({
    default: false,
    basic: true,
    help: 'The node makes blocks itself when transactions arrive: one after 50 ms, five more on that chain a second apart, and one on any chain after 10 s without any.',
  }),
  'devnode.network': setting(nameOrFile(...NETWORK_NAMES), {
    default: 'development',
    basic: true,
    shape: 'NAME|FILE',
    help: `Whose rules and genesis blocks: ${NETWORK_NAMES.join(', ')}; or a JSON file with a network of your own, such as ./my-network.json.`,
  }),
  'devnode.graph': setting(nameOrFile('auto', ...GRAPH_NAMES, 'network'), {
    default: 'auto',
    basic: true,
    shape: 'NAME|FILE',
    help: `Chains and how they are braided: ${GRAPH_NAMES.join(', ')} (petersen has ten chains, twenty has twenty, and only these have works of a length that a bridge mines); network: as on the network; or a JSON file with the adjacent chains of each chain. auto: ten on development.`,
  }),
  'devnode.blockDelay': quantity('time', [0, '1h'], {
    default: 0,
    basic: true,
    help: 'Time between two blocks of one chain that difficulty aims at. 0: 30 s on public networks, as real; on the others so that all chains together make one block a second.',
  }),
  'devnode.genesisDifficulty': quantity('count', [0, Number.MAX_SAFE_INTEGER], {
    default: 0,
    shape: 'HASHES',
    help: 'Expected hashes of the first blocks. 0: that of the network.',
  }),
  'devnode.genesisTime': setting(momentOr('network'), {
    default: 'network',
    shape: 'TIME',
    help: 'Creation time of the genesis blocks, such as 2026-12-01T06:30. network: as it is on the network that is named.',
  }),
  'devnode.seed': setting(text, {
    default: '',
    shape: 'TEXT',
    help: 'With it runs repeat: the same orders make the same blocks. The clock then begins at the genesis time, and only blocks and orders move it.',
  }),
  'devnode.proofOfWork': onOff({
    default: true,
    help: 'Whether solutions must meet the block target.',
  }),
  'devnode.dataDir': setting(text, {
    default: '',
    basic: true,
    shape: 'PATH',
    help: 'Keep the blocks there. None: in a temporary folder, from genesis at each start.',
  }),
  'devnode.backupDir': setting(text, {
    default: '',
    shape: 'PATH',
    help: 'Where make-backup puts backups. None: there is no backup API.',
  }),
  'devnode.peerListen': setting(
    (byDefault) =>
      autoOr(
        listenAddress(byDefault),
        'is neither auto nor an address: host:port, for example 127.0.0.1:1789',
      ),
    {
      default: 'auto',
      shape: 'HOST:PORT',
      help: 'Where profile chainweb serves other nodes, over TLS with a certificate made at each start. auto: port 1789 on the host of --listen, any free one where that is port 0.',
    },
  ),
  'devnode.peerHostname': setting(text, {
    default: '',
    shape: 'NAME',
    help: 'What this node calls itself to its peers. None: the host of --listen, or an address of this machine where that is every address.',
  }),
  'devnode.peers': setting(listOf(urlOf('http:', 'https:')), {
    default: [],
    basic: true,
    shape: 'URL',
    repeatable: true,
    help: 'Other development nodes to exchange blocks, cuts and transactions with; any certificate is taken, since each block is checked.',
  }),
  'devnode.profile': choice(['specification', 'chainweb'], {
    default: 'specification',
    basic: true,
    shape: 'NAME',
    help: 'specification: as the interface is written; chainweb: as real nodes were found to do where that differs.',
  }),
  'devnode.headerStream': setting(autoOr(switchedOn, 'is none of auto, true, false'), {
    default: 'auto',
    shape: 'true|false',
    choices: ['auto', 'true', 'false'],
    help: 'Serve header/updates and block/updates. auto: yes, and on profile chainweb no, as on real nodes.',
  }),
  'devnode.miningLimit': quantity('count', [1, 1_000_000], {
    default: 1200,
    shape: 'PAYLOADS',
    help: 'Most payloads of handed out work that are remembered; beyond them work is answered 503.',
  }),
  'devnode.payloadLifetime': quantity('time', ['1ms', '1d'], {
    default: '5m',
    help: 'How long a payload of work is remembered after it was last handed out, and up to 30 s more.',
  }),
  'devnode.payloadRefresh': quantity('time', [0, '1h'], {
    default: 0,
    help: 'Work changes for new transactions at most this often. 0: every second, on profile chainweb every 15 s.',
  }),
  'devnode.forkState': setting(wholeNumber64, {
    default: '0',
    shape: 'NUMBER',
    help: 'The first eight bytes of every header (featureFlags), where there are no votes: 0 by the specification.',
  }),
  'devnode.forkEpoch': setting(
    wordOr('network', numberOf('count', 0, 1_000_000), 'is neither network nor a number of blocks'),
    {
      default: 'network',
      shape: 'BLOCKS',
      help: 'Blocks of a chain in which nodes vote on the next fork, in the first eight bytes of headers; the last 120th of them counts. Two thirds bring the fork. 0: no votes. network: as there, 14,400 on public ones and none on others.',
    },
  ),
  'devnode.forkNumber': quantity('count', [0, 2 ** 32 - 1], {
    default: 0,
    help: 'The newest fork that this node knows of. It votes until the network is there, and takes no blocks of later ones.',
  }),
  'devnode.streamLimit': quantity('count', [1, 100_000], {
    default: 2000,
    shape: 'STREAMS',
    help: 'Most event streams of a kind at a time; beyond them a stream is answered 503.',
  }),
  'devnode.streamLifetime': quantity('time', ['100ms', '1d'], {
    default: '4m',
    help: 'Event streams are ended after about this time.',
  }),
  'devnode.control': setting(listenAddressOrOff, {
    default: 'off',
    basic: true,
    shape: 'HOST:PORT',
    help: 'A second port for developers, which takes orders: blocks, time, snapshots, faults. Never open it to others.',
  }),
};

type Config = ConfigOf<typeof DEVNODE_SETTINGS>;

/** Read settings by the names of their flags: `proofOfWork` is `devnode.proofOfWork`. Times are milliseconds. */
type FlagSettings = {
  readonly [K in keyof Config as K extends `devnode.${infer Name}` ? Name : never]: Config[K];
};

/** How blocks follow from transactions. Times in milliseconds. */
export interface OnTransaction {
  /** What arrives within this time goes into one block. */
  readonly batchMs: number;
  /** So many blocks follow on the chain, one each time this has passed. */
  readonly confirmations: number;
  readonly confirmationMs: number;
  /** Nothing arrived for so long: a block on any chain. */
  readonly idleMs: number;
}

/** What programs may say otherwise than flags can, or besides. What makes the network is checked where that is made. */
interface ProgramSettings extends Pick<NetworkOptions, 'graphs' | 'difficultyWindow' | 'initialBalances'> {
  /** A name, a file, or a network of one's own. */
  readonly network: string | NetworkDefinition;
  /** A list has the adjacent chains of each chain. */
  readonly graph: string | NonNullable<NetworkDefinition['graph']>;
  readonly mineOnTransaction: boolean | OnTransaction;
  /** How often a peer is asked for its cut, besides being told of ours. */
  readonly peerPollMs?: number;
  /** Most characters of the items of one answer. */
  readonly answerLimit?: number;
}

export type NodeSettings = Omit<FlagSettings, keyof ProgramSettings> & ProgramSettings;

export function settingsIn(config: Config): NodeSettings {
  const keys = Object.keys(DEVNODE_SETTINGS) as (keyof Config)[];
  const named: unknown = Object.fromEntries(keys.map((key) => [key.slice('devnode.'.length), config[key]]));
  return named as NodeSettings;
}

export function defaultSettings(): NodeSettings {
  const values = Object.entries(DEVNODE_SETTINGS).map(([key, { type, default: byDefault }]) => [
    key,
    type(byDefault).parse(byDefault),
  ]);
  return settingsIn(Object.fromEntries(values) as Config);
}
