/** Settings of the development node: flags only, since it is a tool and not a service. */
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
    help: 'Time between two blocks of one chain that difficulty aims at. 0: so that all chains together make one block a second.',
  }),
  difficultyWindow: setting('difficulty-window', value.integer(0, 10_000), {
    default: 0,
    shape: 'BLOCKS',
    help: 'Blocks of a chain between two changes of its difficulty. 0: chosen for quick changes.',
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
  peers: setting('peer', value.listOf(value.urlOf('http:', 'https:')), {
    default: [],
    shape: 'URL',
    repeatable: true,
    help: 'Other development nodes to exchange blocks, cuts and transactions with.',
  }),
  profile: setting('profile', value.oneOf('specification', 'chainweb'), {
    default: 'specification',
    shape: 'NAME',
    help: 'specification: as the interface is written; chainweb: as real nodes were found to do where that differs.',
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
