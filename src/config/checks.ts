/** What is wrong between settings, each of which is right by itself. `serve`, `demo` and `doctor` ask this one list. */

import { nodeNameOf } from '../core/names/node-name.js';
import { RULE_CHECKS } from '../ledger/settings.js';
import { told } from './layers/given.js';
import type { Loaded } from './layers/load.js';
import { besidePorts, clashOfPorts, clashOfWeb, faultOfPorts } from './port-checks.js';
import { BRIDGE_SETTINGS, type BridgeConfig, type BridgeSettings } from './settings.js';

type Key = keyof BridgeSettings;

interface Rule {
  readonly key: Key;
  /** What is said of its value; `undefined` when nothing is wrong. */
  says(config: BridgeConfig, sources: Loaded<BridgeSettings>['sources']): string | undefined;
}

/** What is no fault, and may be a mistake: sentences. */
export function warningsOf(
  config: Pick<BridgeConfig, 'web.listen' | 'web.tls.certificate' | 'web.tls.selfSigned'>,
): string[] {
  const listen = config['web.listen'];
  if (listen === 'off' || config['web.tls.certificate'] !== '' || config['web.tls.selfSigned']) return [];
  if (/^(localhost|127\..*|::1)$/.test(listen.host)) return [];
  return [
    `web.listen takes plain HTTP at ${listen.host}:${listen.port}: tokens and sessions can be read on the way, unless a proxy with TLS stands before it. Set web.tls.certificate and web.tls.key, or web.tls.selfSigned, or let it listen on 127.0.0.1`,
  ];
}

const RULES: readonly Rule[] = [
  ...(['stratum', 'web'] as const).flatMap((section): Rule[] => {
    const [certificate, key] = [`${section}.tls.certificate`, `${section}.tls.key`] as const;
    return [
      { key, says: (config) => alone(config, certificate, key) },
      { key: certificate, says: (config) => alone(config, key, certificate) },
    ];
  }),
  {
    key: 'node.urls',
    says: ({ 'node.urls': urls }) => {
      const names = urls.map(nodeNameOf);
      const twice = names.find((name, i) => names.indexOf(name) < i);
      return (
        twice &&
        `names ${twice} more than once (a node is its URL without credentials): leave one out, or give each a host name or port of its own`
      );
    },
  },
  {
    key: 'instance',
    says: ({ instance, processes }) =>
      instance !== 'auto' && processes !== 'off'
        ? 'is the number of one bridge, and processes starts several, of which each has its own: leave it at auto'
        : undefined,
  },
  {
    key: 'stratum.accounts.list',
    says: (config) => emptyIn('list', config, config['stratum.accounts.list'], '--stratum-accounts-list'),
  },
  {
    key: 'stratum.accounts.passwords',
    says: (config) =>
      emptyIn('password', config, config['stratum.accounts.passwords'], '--stratum-accounts-passwords'),
  },
  {
    key: 'cpu.command',
    says: (config) =>
      config['cpu.mode'] === 'external' && config['cpu.command'].length === 0
        ? 'is empty: cpu.mode external needs a command, give --cpu-command'
        : undefined,
  },
  {
    key: 'stratum.vardiff.min',
    says: (config) =>
      config['stratum.vardiff.min'] > config['stratum.vardiff.max']
        ? `is above stratum.vardiff.max (${config['stratum.vardiff.max']}): lower it, or raise that one`
        : undefined,
  },
  ...RULE_CHECKS,
  {
    key: 'payouts.mode',
    says: (config) => {
      const [mode, account] = [config['payouts.mode'], config['payouts.account']];
      const isSignedHere = config['payouts.key'] !== '' || config['payouts.signer.command'].length > 0;
      if (mode === 'manual' || isSignedHere || (mode === 'approve' && account !== '')) return undefined;
      const elsewhere =
        mode === 'approve'
          ? ', or payouts.account, whose owner signs elsewhere (`ledger payout export`)'
          : '';
      return `pays on chain, so it needs who signs: set payouts.key (\`stratum-bridge ledger payout key new\` makes one) or payouts.signer.command${elsewhere}`;
    },
  },
  {
    key: 'payouts.signer.command',
    says: (config) =>
      config['payouts.signer.command'].length > 0 && config['payouts.key'] !== ''
        ? 'is set beside payouts.key: only one of them signs, so leave the other out'
        : undefined,
  },
  {
    key: 'events.file',
    says: (config) =>
      config['events.file'] !== '' && config['events.file'] === config['log.file']
        ? 'is the name of log.file, too: each needs its own'
        : undefined,
  },
  { key: 'stratum.tcp', says: (config, sources) => besidePorts(config, sources, 'stratum.tcp') },
  {
    key: 'stratum.ws',
    says: (config, sources) =>
      besidePorts(config, sources, 'stratum.ws') ?? clashOfPorts(config, 'stratum.ws'),
  },
  { key: 'stratum.ports', says: (config) => clashOfPorts(config, 'stratum.ports') },
  { key: 'stratum.ports', says: faultOfPorts },
  { key: 'web.listen', says: clashOfWeb },
];

/** A sentence for each: key, value, source, remedy. Nothing is said of what depends on a faulty value. */
export function checkSettings({ config, written, sources, faulty }: Loaded<BridgeSettings>): string[] {
  return RULES.flatMap(({ key, says }) => {
    const looked = new Set<PropertyKey>([key]);
    const fault = says(watched(config, looked), sources);
    if (fault === undefined || [...faulty].some((each) => looked.has(each))) return [];
    const given = { value: written[key], source: sources[key] };
    return [told(key, BRIDGE_SETTINGS[key], given, fault)];
  });
}

/** Tells which values were looked at. */
function watched(config: BridgeConfig, looked: Set<PropertyKey>): BridgeConfig {
  return new Proxy(config, {
    get(values, key) {
      looked.add(key);
      return values[key as Key];
    },
  });
}

function emptyIn(mode: string, config: BridgeConfig, value: object, flag: string): string | undefined {
  if (config['stratum.accounts.mode'] !== mode || Object.keys(value).length > 0) return undefined;
  return `is empty: in stratum.accounts.mode ${mode} nobody could mine, give ${flag} for each`;
}

/** The one is given and the other is not. */
function alone(config: BridgeConfig, given: Key, missing: Key): string | undefined {
  if (config[given] === '' || config[missing] !== '') return undefined;
  return `is not set: it goes together with ${given}, give both`;
}
