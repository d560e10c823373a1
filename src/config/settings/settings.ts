/** Every setting of the bridge, written once: key, flag, type, default, help. */
import { ALERT_SETTINGS } from './alert-settings.js';
import { EVENT_SETTINGS } from './event-settings.js';
import { LOG_SETTINGS } from './log-settings.js';
import { PAYOUT_SETTINGS } from './payouts/payout-settings.js';
import { REWARD_SETTINGS } from './reward-settings.js';
import { type ConfigOf, choice, onOff, quantity, type Settings, setting } from './setting.js';
import { LIMIT_SETTINGS, STRATUM_SETTINGS } from './stratum-settings.js';
import { WEB_SETTINGS } from './web-settings.js';

const DAY_MS = 86_400_000;

/** As the kernels of workers/ call themselves; a test compares. */
const KERNELS = ['avx512', 'avx2', 'simd', 'sse41', 'scalar', 'plain'] as const;

export const BRIDGE_SETTINGS = {
  'node.urls': setting((v) => v.urlsOf(v.nodeUrl, 'names no node'), {
    default: ['http://127.0.0.1:1848'],
    basic: true,
    shape: 'URL',
    repeatable: true,
    secret: 'url',
    help: 'Nodes in order of preference: the whole base URL, or host and port.',
  }),
  'node.ca': setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    help: "PEM certificates that vouch for https nodes, besides the system's.",
  }),
  'node.insecure': onOff({
    default: false,
    help: 'Take any certificate of https nodes: only where nobody can get in between.',
  }),
  'node.network': setting((v) => v.text, {
    default: '',
    shape: 'NAME',
    help: 'The network to mine, for example mainnet01; nodes of another are not worked for. Empty: that of the first node in order.',
  }),
  'node.development': choice(['auto', 'yes', 'no'], {
    default: 'auto',
    shape: 'WHEN',
    help: 'Whether the network is one of developers: blocks may lack proof of work, and confirm after 6 instead of 60. auto: by its name (development, NAME-development, test-NAME).',
  }),
  'work.chains': setting(
    (v) => v.autoOr(v.quantity('count', 1, 20), 'is neither auto nor a number of chains from 1 to 20'),
    {
      default: 'auto',
      shape: 'N',
      help: 'Chains that are worked on at once, sessions spread over them; auto: one for each rig and CPU thread, as far as there are so many.',
    },
  ),
  'miner.account': setting((v) => v.text, {
    default: '',
    basic: true,
    shape: 'NAME',
    help: 'The account that blocks pay, usually k: and the public key (`stratum-bridge keygen` makes one).',
  }),
  'miner.publicKeys': setting((v) => v.listOf(v.publicKey), {
    default: [],
    shape: 'HEX',
    repeatable: true,
    help: 'Public keys of the account. None: the one in the name of a k: account.',
  }),
  'miner.predicate': choice(['keys-all', 'keys-any', 'keys-2'], {
    default: 'keys-all',
    shape: 'NAME',
    help: 'How many of the keys must sign: keys-all, keys-any or keys-2.',
  }),
  ...STRATUM_SETTINGS,
  ...LIMIT_SETTINGS,
  'cpu.mode': choice(['fallback', 'always', 'off', 'simulation', 'constant-delay', 'on-demand', 'external'], {
    default: 'fallback',
    basic: true,
    shape: 'MODE',
    help: 'fallback mines with the CPU only while no rig has sent a share for ten minutes; always; off; external runs a command of yours. For nodes without proof of work: simulation, constant-delay, on-demand.',
  }),
  'cpu.threads': quantity('count', [0, 1024], {
    default: 0,
    basic: true,
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  'cpu.kernel': choice(['auto', ...KERNELS], {
    default: 'auto',
    shape: 'NAME',
    help: `What hashes: ${KERNELS.join(', ')}, or auto for the fastest that runs here.`,
  }),
  'cpu.hashRate': quantity('hashes', [1, 1e18], {
    default: 1_000_000,
    help: 'Hashes a second that mode simulation pretends to make.',
  }),
  'cpu.blockDelay': quantity('time', [1, 86_400_000], {
    default: '5s',
    help: 'Time between two blocks of mode constant-delay.',
  }),
  'cpu.command': setting((v) => v.commandLine, {
    default: [],
    shape: 'COMMAND',
    secret: 'arguments',
    help: 'What mode external runs for each job: it gets the target as its last argument (hex of the little-endian bytes) and the 286 work bytes on standard input, and answers a nonce (16 hex digits, highest first).',
  }),
  'queue.redisUrl': setting((v) => v.urlOrNothing('redis:', 'rediss:', 'unix:'), {
    default: '',
    basic: true,
    shape: 'URL',
    secret: 'url',
    help: 'Redis for the share queue. Empty: the queue lives in the database of the ledger.',
  }),
  'ledger.databaseUrl': setting((v) => v.urlOrNothing('postgres:', 'postgresql:'), {
    default: '',
    basic: true,
    shape: 'URL',
    secret: 'url',
    help: 'PostgreSQL for the ledger. Empty: an embedded one in the data directory.',
  }),
  'ledger.retention.rigs': quantity('time', [2 * DAY_MS, 36_600 * DAY_MS], {
    default: '90d',
    shape: 'TIME',
    help: 'How long sums of single rigs are kept, and for as many days with shares.',
  }),
  'ledger.retention.accounts': quantity('time', [32 * DAY_MS, 36_600 * DAY_MS], {
    default: '730d',
    shape: 'TIME',
    help: 'How long sums of accounts and of the pool are kept, and for as many days with shares. Money is kept for ever.',
  }),
  'queue.recorder': onOff({
    default: true,
    help: 'Record shares in this process; false where `stratum-bridge recorder` does so elsewhere.',
  }),
  'queue.entries': quantity('count', [10, 1_000_000], {
    default: 10_000,
    help: 'Most entries that wait in the queue; beyond, shares wait in the share log of each bridge.',
  }),
  'shares.durability': choice(['disk', 'queue'], {
    shape: 'WHERE',
    default: 'disk',
    help: 'A rig hears `true` once its share is on this disk, or once the queue has it too: for disks that are not trusted. Answers take longer then.',
  }),
  'shares.logSize': quantity('size', [16 * 2 ** 20, 1e6 * 2 ** 20], {
    default: '512MiB',
    help: 'Most that the share log takes on disk while queue or ledger are away; beyond, shares are refused.',
  }),
  ...REWARD_SETTINGS,
  ...PAYOUT_SETTINGS,
  instance: setting(
    (v) => v.autoOr(v.quantity('count', 0, 127), 'is neither auto nor a whole number from 0 to 127'),
    {
      default: 'auto',
      group: 'Books',
      shape: 'N',
      help: 'Number of this bridge among those on its ledger, 0 to 127, so that no two search the same nonces; auto: one that is free.',
    },
  ),
  processes: quantity('count', [1, 64], {
    default: 1,
    group: 'Books',
    help: 'Processes of this bridge: 1. For more rigs than one process serves, start further bridges on the same ledger and queue.',
  }),
  dataDir: setting((v) => v.text.min(1, 'is empty'), {
    default: './data',
    group: 'Books',
    basic: true,
    shape: 'PATH',
    help: 'Where everything that must last is kept.',
  }),
  ...WEB_SETTINGS,
  ...ALERT_SETTINGS,
  ...LOG_SETTINGS,
  ...EVENT_SETTINGS,
} satisfies Settings;

export type BridgeSettings = typeof BRIDGE_SETTINGS;

export type BridgeConfig = ConfigOf<BridgeSettings>;

/** Of `serve`: those of the bridge, and what is said for one run. */
export const SERVE_SETTINGS = {
  ...BRIDGE_SETTINGS,
  replace: onOff({
    default: false,
    group: 'Books',
    basic: true,
    flagOnly: true,
    help: 'Take the place of the bridge that runs with this data directory: it starts its own command once more, from what is installed now. Where none runs, one is started.',
  }),
} satisfies Settings;

export type ServeSettings = typeof SERVE_SETTINGS;
