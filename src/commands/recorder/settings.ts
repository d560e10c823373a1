/** Settings of a recorder: of those of the bridges whose file it may share, what it needs itself. */
import { BRIDGE_SETTINGS, LOG_SETTINGS } from '../../config/settings.js';
import type { Settings } from '../../values/setting.js';

export const RECORDER_SETTINGS = {
  'ledger.databaseUrl': BRIDGE_SETTINGS['ledger.databaseUrl'],
  'queue.redisUrl': BRIDGE_SETTINGS['queue.redisUrl'],
  'web.listen': {
    ...BRIDGE_SETTINGS['web.listen'],
    default: 'off',
    // There it is the address of the bridge.
    notFromFile: true,
    help: 'Health and metrics over HTTP; off unless a flag or variable gives it. A port alone is on 127.0.0.1.',
  },
  'web.tokens': {
    ...BRIDGE_SETTINGS['web.tokens'],
    help: 'Tokens that read health and metrics over HTTP, by name, each with its access and its secret: prometheus: { access: read, secret: … }. A recorder takes no orders, and makes no token. In a variable, JSON.',
  },
  'web.hosts': BRIDGE_SETTINGS['web.hosts'],
  'web.proxies': BRIDGE_SETTINGS['web.proxies'],
  'web.tls.certificate': BRIDGE_SETTINGS['web.tls.certificate'],
  'web.tls.key': BRIDGE_SETTINGS['web.tls.key'],
  'web.tls.selfSigned': BRIDGE_SETTINGS['web.tls.selfSigned'],
  dataDir: { ...BRIDGE_SETTINGS.dataDir, help: 'Where a self-signed certificate is kept.' },
  ...LOG_SETTINGS,
} satisfies Settings;
