/** Settings of the reference rig. */
import { LOG_SETTINGS } from './log-settings.js';
import { onOff, quantity, type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

/** As the rig reads them; a test compares. */
export const POOL_PROTOCOLS = [
  'ws:',
  'wss:',
  'tcp:',
  'stratum+tcp:',
  'tls:',
  'ssl:',
  'stratum+tls:',
  'stratum+ssl:',
];

export const RIG_SETTINGS = {
  'rig.urls': setting((v) => v.listOf(v.urlOf(...POOL_PROTOCOLS)), {
    default: [],
    basic: true,
    shape: 'URL',
    repeatable: true,
    secret: 'url',
    help: 'The pool: ws://host:port or tcp://host:port, also written stratum+tcp:// (wss, tls, ssl, stratum+tls and stratum+ssl with TLS). Several are tried in order.',
  }),
  'rig.user': setting((v) => v.text, {
    default: '',
    basic: true,
    shape: 'ACCOUNT.RIG',
    help: 'Who is paid, and which rig this is.',
  }),
  'rig.password': setting((v) => v.text, {
    default: 'x',
    basic: true,
    shape: 'TEXT',
    secret: 'whole',
    help: 'Most pools ignore it.',
  }),
  'rig.insecure': onOff({
    default: false,
    basic: true,
    help: 'Take any certificate of the pool: only where nobody can get in between.',
  }),
  'rig.kernel': { ...BRIDGE_SETTINGS['cpu.kernel'], basic: true },
  'rig.threads': quantity('count', [0, 1024], {
    default: 0,
    basic: true,
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  ...LOG_SETTINGS,
  benchmark: quantity('time', [0, 3_600_000], {
    default: 0,
    basic: true,
    flagOnly: true,
    help: 'Do not mine: measure each kernel for so long on one thread, and print its hash rate.',
  }),
} satisfies Settings;
