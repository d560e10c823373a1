/** Settings of the reference rig. */
import { KERNEL_NAMES } from '../../workers/kernel.js';
import { listOf } from '../values/lists-and-maps.js';
import { choice, onOff, quantity, type Settings, setting } from '../values/setting.js';
import { urlOf } from '../values/urls.js';
import { text } from '../values/words.js';

/** How each scheme of a pool's URL is spoken. */
export const TRANSPORTS: Readonly<Record<string, 'ws' | 'tcp' | 'tls'>> = {
  'ws:': 'ws',
  'wss:': 'ws',
  'tcp:': 'tcp',
  'stratum+tcp:': 'tcp',
  'tls:': 'tls',
  'ssl:': 'tls',
  'stratum+tls:': 'tls',
  'stratum+ssl:': 'tls',
};

export const RIG_SETTINGS = {
  'rig.urls': setting(listOf(urlOf(...Object.keys(TRANSPORTS))), {
    default: [],
    basic: true,
    shape: 'URL',
    repeatable: true,
    secret: 'urls',
    help: 'The pool: ws://host:port or tcp://host:port, also written stratum+tcp:// (wss, tls, ssl, stratum+tls and stratum+ssl with TLS). Several are tried in order.',
  }),
  'rig.user': setting(text, {
    default: '',
    basic: true,
    shape: 'ACCOUNT.RIG',
    help: 'Who is paid, and which rig this is.',
  }),
  'rig.password': setting(text, {
    default: 'x',
    basic: true,
    shape: 'TEXT',
    secret: 'whole',
    help: 'Most pools ignore it.',
  }),
  'rig.insecure': onOff({
    default: false,
    basic: true,
    help: 'Skip certificate checks of the pool (unsafe on shared networks).',
  }),
  'rig.kernel': choice(['auto', ...KERNEL_NAMES], {
    default: 'auto',
    basic: true,
    shape: 'NAME',
    help: `What hashes: ${KERNEL_NAMES.join(', ')}, or auto for the fastest, measured at the start.`,
  }),
  'rig.threads': quantity('count', [0, 1024], {
    default: 0,
    basic: true,
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  'rig.log': setting(text, {
    default: '',
    basic: true,
    shape: 'FILE',
    help: 'A file to which each share is added with what the pool answered, as CSV. `stratum-bridge audit --log` compares it.',
  }),
} satisfies Settings;
