/** Default ports give way to free ones, so that the demo runs beside whatever runs. */

import type { Bridge } from '../../assembly/bridge.js';
import type { Loaded } from '../../config/layers/load.js';
import type { BridgeConfig, BridgeSettings } from '../../config/settings.js';
import type { ListenAddress } from '../../core/names/listening.js';
import type { Log } from '../../core/names/log.js';

const PORTS = ['stratum.tcp', 'stratum.ws', 'web.listen'] as const;

export function withPortsThatGiveWay({ config, sources }: Loaded<BridgeSettings>): BridgeConfig {
  const mayMove = PORTS.filter((key) => sources[key] === 'default' && config[key] !== 'off');
  const moving = mayMove.map((key) => [key, { ...(config[key] as ListenAddress), elseAny: true }]);
  return { ...config, ...Object.fromEntries(moving) } as BridgeConfig;
}

export function tellOfPorts(config: BridgeConfig, { ports, webUrl }: Bridge, log: Log): void {
  if (webUrl !== undefined) tellWhereElse(config, 'web.listen', portOf(webUrl), log);
  if (config['stratum.ports'].length > 0) return;
  for (const { name, address } of ports)
    tellWhereElse(config, name === 'tcp' ? 'stratum.tcp' : 'stratum.ws', address.port, log);
}

function tellWhereElse(config: BridgeConfig, key: (typeof PORTS)[number], got: number, log: Log): void {
  const asked = config[key];
  if (asked !== 'off' && asked.port !== 0 && got !== asked.port) tellOfPort(key, asked.port, log);
}

export function tellOfPort(what: string, port: number, log: Log): void {
  log.warn({ port }, `port ${port} is taken: ${what} gets a free one instead`);
}

function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}
