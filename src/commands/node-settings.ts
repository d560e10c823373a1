/** Settings of the development node: flags only, since it is a tool and not a service. */
import { z } from 'zod';
import { setting } from '../config/setting.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';
import * as value from '../config/values.js';

export const NODE_SETTINGS = {
  listen: setting('listen', value.listenAddress, {
    default: '127.0.0.1:1848',
    shape: 'HOST:PORT',
    help: 'Where to serve HTTP. Port 0 takes a free one.',
  }),
  mining: {
    ...setting('mining', value.switchedOn, {
      default: false,
      shape: '',
      help: 'Serve the mining endpoints. As on real nodes they do not exist otherwise.',
    }),
    isSwitch: true,
  },
  miners: setting('miner', value.listOf(value.publicKey), {
    default: [],
    shape: 'PUBLIC-KEY',
    repeatable: true,
    help: 'Give work only to the k: accounts of these keys. None: to anybody.',
  }),
  network: setting('network', value.oneOf('development', 'test-singleton', 'mainnet01', 'testnet04'), {
    default: 'development',
    shape: 'NAME',
    help: 'Whose rules and genesis blocks: development, test-singleton, mainnet01 or testnet04.',
  }),
  graph: setting(
    'graph',
    value.oneOf('auto', 'singleton', 'pair', 'triangle', 'petersen', 'twenty', 'network'),
    {
      default: 'auto',
      shape: 'NAME',
      help: 'Chains and how they are braided: petersen has ten, twenty has twenty, network takes those of the network. auto: ten on development.',
    },
  ),
  blockDelayMs: setting('block-delay-ms', value.integer(0, 3_600_000), {
    default: 0,
    shape: 'MS',
    help: 'Time between two blocks of one chain that difficulty aims at. 0: 30 s on public networks, as real; on the others so that all chains together make one block a second.',
  }),
  difficultyWindow: setting('difficulty-window', value.integer(0, 10_000), {
    default: 0,
    shape: 'BLOCKS',
    help: 'Blocks of a chain between two changes of its difficulty. 0: 120 on public networks, as real; 4 on the others, so that changes come soon.',
  }),
  genesisDifficulty: setting('genesis-difficulty', value.integer(0, Number.MAX_SAFE_INTEGER), {
    default: 0,
    shape: 'HASHES',
    help: 'Expected hashes of the first blocks. 0: that of the network.',
  }),
  greatestRaise: setting('greatest-raise', value.integer(0, 1_000_000), {
    default: 0,
    shape: 'FACTOR',
    help: 'Bound by what factor one change may make blocks harder. 0: none, the exact rule of real networks.',
  }),
  proofOfWork: setting('proof-of-work', value.switchedOn, {
    default: true,
    shape: 'true|false',
    help: 'Whether solutions must meet the block target.',
  }),
  dataDir: setting('data-dir', value.text, {
    default: '',
    shape: 'PATH',
    help: 'Keep the blocks on disk there. None: in memory, from genesis at each start.',
  }),
  backupDir: setting('backup-dir', value.text, {
    default: '',
    shape: 'PATH',
    help: 'Where make-backup puts backups. None: there is no backup API.',
  }),
  peerListen: setting('peer-listen', z.union([z.literal('auto'), value.listenAddress]), {
    default: 'auto',
    shape: 'HOST:PORT',
    help: 'Where profile chainweb serves other nodes, over TLS with a certificate made at each start. auto: port 1789 on the host of --listen, any free one where that is port 0.',
  }),
  peerHostname: setting('peer-hostname', value.text, {
    default: '',
    shape: 'NAME',
    help: 'What this node calls itself to its peers. None: the host of --listen, or an address of this machine where that is every address.',
  }),
  peers: setting('peer', value.listOf(value.urlOf('http:', 'https:')), {
    default: [],
    shape: 'URL',
    repeatable: true,
    help: 'Other development nodes to exchange blocks, cuts and transactions with; any certificate is taken, since each block is checked.',
  }),
  profile: setting('profile', value.oneOf('specification', 'chainweb'), {
    default: 'specification',
    shape: 'NAME',
    help: 'specification: as the interface is written; chainweb: as real nodes were found to do where that differs.',
  }),
  headerStream: setting('header-stream', z.union([z.literal('auto'), value.switchedOn]), {
    default: 'auto',
    shape: 'true|false',
    help: 'Serve header/updates and block/updates. auto: yes, and on profile chainweb no, as on real nodes.',
  }),
  miningLimit: setting('mining-limit', value.integer(1, 1_000_000), {
    default: 1200,
    shape: 'PAYLOADS',
    help: 'Most payloads of handed out work that are remembered; beyond them work is answered 503.',
  }),
  payloadLifetimeMs: setting('payload-lifetime-ms', value.integer(1, 86_400_000), {
    default: 300_000,
    shape: 'MS',
    help: 'How long a payload of work is remembered after it was last handed out, and up to 30 s more.',
  }),
  payloadRefreshMs: setting('payload-refresh-ms', value.integer(0, 3_600_000), {
    default: 0,
    shape: 'MS',
    help: 'Work changes for new transactions at most this often. 0: every second, on profile chainweb every 15 s.',
  }),
  forkState: setting('fork-state', value.wholeNumber64, {
    default: '0',
    shape: 'NUMBER',
    help: 'The first eight bytes of every header (featureFlags): 0 by the specification, fork number and votes on real nodes.',
  }),
  updateStreamLimit: setting('stream-limit', value.integer(1, 100_000), {
    default: 2000,
    shape: 'STREAMS',
    help: 'Most event streams of a kind at a time; beyond them a stream is answered 503.',
  }),
  updateStreamLifetimeMs: setting('stream-lifetime-ms', value.integer(100, 86_400_000), {
    default: 240_000,
    shape: 'MS',
    help: 'Event streams are ended after about this time.',
  }),
  control: setting('control', value.listenAddressOrOff, {
    default: 'off',
    shape: 'HOST:PORT',
    help: 'A second port on which faults can be ordered, for tests: never open it to others.',
  }),
  'log.level': BRIDGE_SETTINGS['log.level'],
  'log.format': BRIDGE_SETTINGS['log.format'],
};
