/** Everything that can be set, as plain values with defaults. */

import type { AccountOrder } from './coin/funded-accounts.js';
import type { NetworkDefinition } from './consensus/network-definition.js';
import type { NetworkOptions } from './consensus/networks.js';
import type { Miner } from './mining/payload.js';
import type { OnTransaction } from './orders/automatic.js';

/** What makes the network ({@link NetworkOptions}) is checked and has its defaults where that is made. */
export interface DevNodeSettings extends Omit<NetworkOptions, 'graph'> {
  readonly listen: { readonly host: string; readonly port: number };
  /**
   * Where profile chainweb serves other nodes, apart from everybody else; `undefined`: port 1789 on the same host, or
   * any free one where `listen` takes any.
   */
  readonly peerListen: { readonly host: string; readonly port: number } | undefined;
  /** Certificate and key of the peer port, PEM; `undefined`: plain HTTP. */
  readonly peerTls: { readonly certificate: string; readonly privateKey: string } | undefined;
  /** First segments of every path: `/<serviceSegment>/<apiVersion>/<network>`. */
  readonly serviceSegment: string;
  readonly apiVersion: string;
  /** What the node calls its software in each answer. */
  readonly nodeVersion: string;

  /** What differs between the interface's specification and real nodes: whose way is followed. */
  readonly profile: 'specification' | 'chainweb';
  /** Where blocks are kept; `undefined`: in a temporary folder, removed at the end. */
  readonly dataDir: string | undefined;

  /** One that is known by name, or one of your own. */
  readonly network: string | NetworkDefinition;
  /**
   * One graph from the first block on; `network`: the graphs of the named network. By default ten chains on
   * `development`, and the network's own graphs on the others. A list has the adjacent chains of each chain.
   */
  readonly graph?: NetworkDefinition['graph'] | 'network';
  /**
   * With it runs repeat: chance follows from it, and the clock stands at the genesis time, but that each block moves it
   * by the time between two blocks of the network. The same orders then make the same blocks.
   */
  readonly seed: string | undefined;
  /** Accounts with coins on every chain from the first block on, of keys that are given or made. */
  readonly accounts: readonly AccountOrder[];

  /** Off: the mining endpoints do not exist, as on a node with default configuration. */
  readonly miningEnabled: boolean;
  /** Who gets work; empty: anybody. */
  readonly miners: readonly Miner[];
  /** The node makes a block itself each time this has passed; `undefined`: it does not. */
  readonly mineEveryMs: number | undefined;
  /** The node makes blocks itself when transactions arrive; true: as development networks are known to. */
  readonly mineOnTransaction: boolean | OnTransaction;
  /** Most payloads of handed out work that are remembered, and for how long. */
  readonly miningLimit: number;
  readonly payloadLifetimeMs: number;
  /** Work changes for new transactions at most this often; by default every second, on profile chainweb every 15. */
  readonly payloadRefreshMs: number;
  /** Update streams end after about this time. */
  readonly updateStreamLifetimeMs: number;
  readonly updateStreamLimit: number;
  /** Off: header/updates and block/updates do not exist. By default on, and on profile chainweb off as on real nodes. */
  readonly headerStream: boolean;
  /** Where backups go; `undefined`: the backup endpoints do not exist. */
  readonly backupDir: string | undefined;
  /** Nodes to exchange cuts, blocks and transactions with: base addresses, or scheme, host and port alone. */
  readonly peers: readonly string[];
  /** Host under which the peers name this node; by default the one it listens on, or one of its addresses. */
  readonly peerHostname: string | undefined;
  /** How often a peer is asked for its cut, besides being told of ours. */
  readonly peerPollMs: number;
  /** Address of the port for faults on demand; `undefined`: there is none. */
  readonly control: { readonly host: string; readonly port: number } | undefined;
  /** Most bytes of a request's body. */
  readonly bodyLimitBytes: number;
  /** Most characters of the items of one answer, but for the first: whole blocks may be of a megabyte and more each. */
  readonly answerLimit: number;
}

const DEFAULT_SETTINGS: DevNodeSettings = {
  listen: { host: '127.0.0.1', port: 1848 },
  peerListen: undefined,
  peerTls: undefined,
  serviceSegment: 'chainweb',
  apiVersion: '0.0',
  nodeVersion: '0.2.0',
  profile: 'specification',
  dataDir: undefined,
  network: 'development',
  seed: undefined,
  accounts: [],
  miningEnabled: true,
  miners: [],
  mineEveryMs: undefined,
  mineOnTransaction: false,
  miningLimit: 1200,
  payloadLifetimeMs: 300_000,
  payloadRefreshMs: 1000,
  updateStreamLifetimeMs: 240_000,
  updateStreamLimit: 2000,
  headerStream: true,
  backupDir: undefined,
  peers: [],
  peerHostname: undefined,
  peerPollMs: 1000,
  control: undefined,
  bodyLimitBytes: 2 * 1024 * 1024,
  answerLimit: 16 * 1024 * 1024,
};

/** What real nodes have other defaults for. */
const CHAINWEB_DEFAULTS: Partial<DevNodeSettings> = { headerStream: false, payloadRefreshMs: 15_000 };

/** Throws RangeError with a sentence that names the setting. What makes the network is checked there. */
export function settingsFrom(given: Partial<DevNodeSettings>): DevNodeSettings {
  const ofProfile = given.profile === 'chainweb' ? CHAINWEB_DEFAULTS : {};
  const settings = { ...DEFAULT_SETTINGS, ...ofProfile, ...given };
  if (!['specification', 'chainweb'].includes(settings.profile)) {
    throw new RangeError(`profile must be specification or chainweb, not ${settings.profile}`);
  }
  if (settings.dataDir !== undefined && settings.seed === undefined && settings.accounts.some(isMade)) {
    throw new RangeError(
      'accounts: a key that is made would be another at each start; on disk name it, or a seed',
    );
  }
  checkPort('listen.port', settings.listen.port);
  if (settings.control) checkPort('control.port', settings.control.port);
  if (settings.peerListen) checkPort('peerListen.port', settings.peerListen.port);
  const badPeer = settings.peers.find((url) => !URL.canParse(url) || !/^https?:/.test(url));
  if (badPeer !== undefined) throw new RangeError(`peers must be http addresses, not ${badPeer}`);
  if (settings.mineEveryMs !== undefined && !(settings.mineEveryMs > 0)) {
    throw new RangeError(`mineEveryMs must be above 0, not ${settings.mineEveryMs}`);
  }
  for (const name of POSITIVE) {
    if (!(settings[name] > 0)) throw new RangeError(`${name} must be above 0, not ${settings[name]}`);
  }
  return settings;
}

function isMade({ publicKey }: AccountOrder): boolean {
  return publicKey === undefined;
}

/** How the network is called, in paths and headers. */
export function networkName({ network }: Pick<DevNodeSettings, 'network'>): string {
  return typeof network === 'string' ? network : network.name;
}

function checkPort(name: string, port: number): void {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new RangeError(`${name} must be 0 to 65535, not ${port}`);
  }
}

const POSITIVE = [
  'miningLimit',
  'payloadLifetimeMs',
  'payloadRefreshMs',
  'peerPollMs',
  'updateStreamLifetimeMs',
  'updateStreamLimit',
  'bodyLimitBytes',
  'answerLimit',
] as const;
