/**
 * Every setting of the bridge, written once: key, flag, type, default, help.
 *
 * The environment variable follows from the key: `stratum.shareDifficulty` is `STRATUM_BRIDGE_STRATUM_SHARE_DIFFICULTY`.
 */
import type { z } from 'zod';
import * as value from './values.js';

export interface Setting<T extends z.ZodType = z.ZodType> {
  /** Without the leading dashes. */
  readonly flag: string;
  readonly type: T;
  /** As it would be written in a file. */
  readonly default: unknown;
  /** What the value is, for `--help`: `HOST:PORT`. */
  readonly shape: string;
  /** A sentence or two. */
  readonly help: string;
  /** The flag may be given several times. */
  readonly repeatable?: boolean;
  /** A URL whose password is never shown. */
  readonly secret?: boolean;
}

export type Settings = Readonly<Record<string, Setting>>;

function setting<T extends z.ZodType>(
  flag: string,
  type: T,
  rest: Omit<Setting, 'flag' | 'type'>,
): Setting<T> {
  return { flag, type, ...rest };
}

export const BRIDGE_SETTINGS = {
  'node.urls': setting('node', value.listOf(value.urlOf('http:', 'https:')), {
    default: ['http://127.0.0.1:1848'],
    shape: 'URL',
    repeatable: true,
    secret: true,
    help: 'Nodes in order of preference: the whole base URL, or scheme, host and port.',
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
  'stratum.tcp': setting('tcp', value.listenAddressOrOff, {
    default: '0.0.0.0:1917',
    shape: 'HOST:PORT',
    help: 'Where rigs connect over TCP, or off.',
  }),
  'stratum.ws': setting('ws', value.listenAddressOrOff, {
    default: '0.0.0.0:1918',
    shape: 'HOST:PORT',
    help: 'Where rigs connect over WebSocket, or off.',
  }),
  'stratum.shareDifficulty': setting('share-difficulty', value.shareDifficulty, {
    default: 'vardiff',
    shape: 'RULE',
    help: 'vardiff (about one share in 10 s from each rig), block (only solutions), or a number of expected hashes such as 4e12.',
  }),
  'cpu.mode': setting('cpu', value.oneOf('fallback', 'always', 'off'), {
    default: 'fallback',
    shape: 'MODE',
    help: 'fallback mines with the CPU only while no rig is connected; always; off.',
  }),
  'cpu.threads': setting('cpu-threads', value.integer(0, 1024), {
    default: 0,
    shape: 'N',
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  'queue.redisUrl': setting('redis-url', value.urlOf('redis:', 'rediss:', 'unix:').or(value.text.max(0)), {
    default: '',
    shape: 'URL',
    secret: true,
    help: 'Redis for the share queue. Empty: the queue lives in the database of the ledger.',
  }),
  'ledger.databaseUrl': setting(
    'database-url',
    value.urlOf('postgres:', 'postgresql:').or(value.text.max(0)),
    {
      default: '',
      shape: 'URL',
      secret: true,
      help: 'PostgreSQL for the ledger. Empty: an embedded one in the data directory.',
    },
  ),
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
