/**
 * Every setting of the bridge, written once: key, flag, type, default, help.
 *
 * The environment variable follows from the key: `stratum.shareDifficulty` is `STRATUM_BRIDGE_STRATUM_SHARE_DIFFICULTY`.
 */
import type { z } from 'zod';
import { REWARD_SETTINGS } from './reward-settings.js';
import { type Settings, setting } from './setting.js';
import { LIMIT_SETTINGS, STRATUM_SETTINGS } from './stratum-settings.js';
import * as value from './values.js';

/** As the kernels of workers/ call themselves; a test compares. */
const KERNELS = ['avx512', 'avx2', 'simd', 'sse41', 'scalar', 'plain'] as const;

export const BRIDGE_SETTINGS = {
  'node.urls': setting('node', value.urlsOf(value.nodeUrl, 'names no node'), {
    default: ['http://127.0.0.1:1848'],
    shape: 'URL',
    repeatable: true,
    secret: 'url',
    help: 'Nodes in order of preference: the whole base URL, or host and port.',
  }),
  'node.ca': setting('node-ca', value.text, {
    default: '',
    shape: 'FILE',
    help: "PEM certificates that vouch for https nodes, besides the system's.",
  }),
  'node.insecure': setting('node-insecure', value.switchedOn, {
    default: false,
    shape: 'true|false',
    help: 'Take any certificate of https nodes: only where nobody can get in between.',
  }),
  'node.network': setting('node-network', value.text, {
    default: '',
    shape: 'NAME',
    help: 'The network to mine, for example mainnet01; nodes of another are not worked for. Empty: that of the first node in order.',
  }),
  'work.chains': setting('chains', value.chains, {
    default: 'auto',
    shape: 'N',
    help: 'Chains that are worked on at once, sessions spread over them; auto: one for each rig and CPU thread, as far as there are so many.',
  }),
  'miner.account': setting('account', value.text, {
    default: '',
    shape: 'NAME',
    help: 'The account that blocks pay, usually k: and the public key (`stratum-bridge keygen` makes one).',
  }),
  'miner.publicKeys': setting('public-key', value.listOf(value.publicKey), {
    default: [],
    shape: 'HEX',
    repeatable: true,
    help: 'Public keys of the account. None: the one in the name of a k: account.',
  }),
  'miner.predicate': setting('predicate', value.oneOf('keys-all', 'keys-any', 'keys-2'), {
    default: 'keys-all',
    shape: 'NAME',
    help: 'How many of the keys must sign: keys-all, keys-any or keys-2.',
  }),
  ...STRATUM_SETTINGS,
  ...LIMIT_SETTINGS,
  'cpu.mode': setting(
    'cpu',
    value.oneOf('fallback', 'always', 'off', 'simulation', 'constant-delay', 'on-demand', 'external'),
    {
      default: 'fallback',
      shape: 'MODE',
      help: 'fallback mines with the CPU only while no rig has authorized; always; off; external runs a command of yours. For nodes without proof of work: simulation, constant-delay, on-demand.',
    },
  ),
  'cpu.threads': setting('cpu-threads', value.integer(0, 1024), {
    default: 0,
    shape: 'N',
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  'cpu.kernel': setting('cpu-kernel', value.oneOf('auto', ...KERNELS), {
    default: 'auto',
    shape: 'NAME',
    help: `What hashes: ${KERNELS.join(', ')}, or auto for the fastest that runs here.`,
  }),
  'cpu.hashRate': setting('cpu-hash-rate', value.numberFrom(1, 1e18), {
    default: 1_000_000,
    shape: 'HASHES',
    help: 'Hashes a second that mode simulation pretends to make.',
  }),
  'cpu.blockDelayMs': setting('cpu-block-delay-ms', value.integer(1, 86_400_000), {
    default: 5_000,
    shape: 'MS',
    help: 'Time between two blocks of mode constant-delay.',
  }),
  'cpu.command': setting('cpu-command', value.commandLine, {
    default: [],
    shape: 'COMMAND',
    help: 'What mode external runs for each job: it gets the target as its last argument (hex of the little-endian bytes) and the 286 work bytes on standard input, and answers a nonce (16 hex digits, highest first).',
  }),
  'queue.redisUrl': setting('redis-url', value.urlOrNothing('redis:', 'rediss:', 'unix:'), {
    default: '',
    shape: 'URL',
    secret: 'url',
    help: 'Redis for the share queue. Empty: the queue lives in the database of the ledger.',
  }),
  'ledger.databaseUrl': setting('database-url', value.urlOrNothing('postgres:', 'postgresql:'), {
    default: '',
    shape: 'URL',
    secret: 'url',
    help: 'PostgreSQL for the ledger. Empty: an embedded one in the data directory.',
  }),
  'queue.recorder': setting('recorder', value.switchedOn, {
    default: true,
    shape: 'true|false',
    help: 'Record shares in this process; false where `stratum-bridge recorder` does so elsewhere.',
  }),
  'queue.sharesPerEntry': setting('entry-shares', value.integer(1, 10_000), {
    default: 500,
    shape: 'N',
    help: 'Most shares that are added to the queue as one entry.',
  }),
  'queue.gatherMs': setting('gather-ms', value.integer(0, 1000), {
    default: 20,
    shape: 'MS',
    help: 'How long shares are gathered into an entry; rigs wait so long for their answer.',
  }),
  'queue.spoolMegabytes': setting('spool-mb', value.integer(1, 1_000_000), {
    default: 512,
    shape: 'MB',
    help: 'Most that the spool takes on disk while the queue is away; beyond, shares are refused.',
  }),
  ...REWARD_SETTINGS,
  instance: setting('instance', value.instance, {
    default: 'auto',
    shape: 'N',
    help: 'Number of this bridge among those on its ledger, 0 to 127, so that no two search the same nonces; auto: one that is free.',
  }),
  dataDir: setting('data-dir', value.text.min(1, 'is empty'), {
    default: './data',
    shape: 'PATH',
    help: 'Where everything that must last is kept.',
  }),
  'web.listen': setting('web', value.listenAddressOrOff, {
    default: '127.0.0.1:1920',
    shape: 'HOST:PORT',
    help: 'Health, metrics and API over HTTP, or off.',
  }),
  'log.level': setting('log-level', value.oneOf('debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    shape: 'LEVEL',
    help: 'debug, info, warn, error or silent.',
  }),
  'log.format': setting('log-format', value.oneOf('auto', 'json', 'text'), {
    default: 'auto',
    shape: 'FORMAT',
    help: 'json, text, or auto: text on a terminal, JSON lines otherwise.',
  }),
} satisfies Settings;

export type BridgeSettings = typeof BRIDGE_SETTINGS;

/** The merged, checked values by key. */
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: z.output<S[K]['type']> };
export type BridgeConfig = ConfigOf<BridgeSettings>;

export const ENVIRONMENT_PREFIX = 'STRATUM_BRIDGE_';

export function environmentName(key: string): string {
  const snake = key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return ENVIRONMENT_PREFIX + snake.toUpperCase();
}
