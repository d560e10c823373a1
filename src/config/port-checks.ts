/** What is wrong between the ports of rigs, the web, and what all ports share. Each gives the rest of a sentence. */
import type { ListenAddress } from '../core/names/listening.js';
import { keyOfPort, type Port, portsOf } from './ports.js';
import type { BridgeConfig, BridgeSettings } from './settings.js';

/** One that somebody has set, and that would not be used. */
export function besidePorts(
  config: BridgeConfig,
  sources: Readonly<Record<keyof BridgeSettings, string>>,
  key: 'stratum.tcp' | 'stratum.ws',
): string | undefined {
  if (config['stratum.ports'].length === 0 || sources[key] === 'default' || config[key] === 'off')
    return undefined;
  return 'is not used, since stratum.ports names all ports: put it there, too, or leave it out';
}

/** Of two the later one is told, where it comes from this setting. */
export function clashOfPorts(config: BridgeConfig, key: 'stratum.ws' | 'stratum.ports'): string | undefined {
  const ports = portsOf(config);
  for (const [i, port] of ports.entries()) {
    const other = ports.slice(0, i).find(({ listen }) => clash(listen, port.listen));
    if (!other || keyOfPort(config, port.name) !== key) continue;
    if (key === 'stratum.ws')
      return `is the port of ${keyOfPort(config, other.name)}, too: each needs its own`;
    return `has ${addressOf(port)} for ${other.name} and for ${port.name}: each needs its own`;
  }
  return undefined;
}

export function clashOfWeb(config: BridgeConfig): string | undefined {
  const web = config['web.listen'];
  const same = web === 'off' ? undefined : portsOf(config).find(({ listen }) => clash(web, listen));
  if (!same) return undefined;
  const key = keyOfPort(config, same.name);
  return `is the port of ${key}${key === 'stratum.ports' ? ` (${same.name})` : ''}, too: each needs its own`;
}

/** The first that is wrong with one of `stratum.ports`. */
export function faultOfPorts(config: BridgeConfig): string | undefined {
  for (const port of config['stratum.ports']) {
    const fault = faultOf(port, config);
    if (fault !== undefined) return `has a fault in port ${port.name}: ${fault}`;
  }
  return undefined;
}

function faultOf(port: Port, config: BridgeConfig): string | undefined {
  return (
    tlsFault(port, config) ?? difficultyFault(port, config) ?? accountsFault(port) ?? proxyFault(port, config)
  );
}

function tlsFault({ tls }: Port, config: BridgeConfig): string | undefined {
  const isThere = config['stratum.tls.certificate'] !== '' || config['stratum.tls.selfSigned'];
  if (tls !== 'only' || isThere) return undefined;
  return 'tls only needs a certificate: give stratum.tls.certificate and its key, or stratum.tls.selfSigned';
}

function difficultyFault({ start, min, max, fixed }: Port, config: BridgeConfig): string | undefined {
  if (fixed !== undefined && start !== undefined)
    return 'fixed stands beside start: a fixed difficulty starts nowhere else, so leave one of them out';
  const least = min ?? config['stratum.vardiff.min'];
  const most = max ?? config['stratum.vardiff.max'];
  if (least <= most) return startFault(start, least, most);
  if (min === undefined) return `max ${most} is below stratum.vardiff.min (${least}): give min, too`;
  if (max === undefined) return `min ${least} is above stratum.vardiff.max (${most}): give max, too`;
  return `min ${least} is above max ${most}`;
}

function startFault(start: number | undefined, least: number, most: number): string | undefined {
  if (start === undefined || (start >= least && start <= most)) return undefined;
  return `start ${start} is not between the lowest difficulty, ${least}, and the highest, ${most}`;
}

function accountsFault({ accounts, list, passwords }: Port): string | undefined {
  if (list !== undefined && accounts !== 'list') return 'list goes together with accounts: list';
  if (passwords !== undefined && accounts !== 'password')
    return 'passwords go together with accounts: password';
  if (accounts === 'list' && !list?.length) return 'accounts list needs a list: nobody could mine';
  if (accounts === 'password' && Object.keys(passwords ?? {}).length === 0)
    return 'accounts password needs passwords: nobody could mine';
  return undefined;
}

function proxyFault({ proxy, balancers }: Port, config: BridgeConfig): string | undefined {
  if (proxy === 'off' && balancers !== undefined) return 'balancers stand beside proxy off: leave one out';
  if (proxy !== 'only' || (balancers ?? config['stratum.balancers']).length > 0) return undefined;
  return 'proxy only needs balancers, here or in stratum.balancers: nobody could connect';
}

const EVERYWHERE = ['0.0.0.0', '::'];

function clash(a: ListenAddress, b: ListenAddress): boolean {
  if (a.port !== b.port || a.port === 0) return false;
  return a.host === b.host || EVERYWHERE.includes(a.host) || EVERYWHERE.includes(b.host);
}

function addressOf({ listen: { host, port } }: Port): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
