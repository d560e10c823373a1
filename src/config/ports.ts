/** The ports of rigs that the settings mean: those of `stratum.ports`, or else `stratum.tcp` and `stratum.ws`. */
import type { BridgeConfig } from './settings/settings.js';

export type Port = BridgeConfig['stratum.ports'][number];

/** Whose settings these are; also their names. */
const OF_DEFAULT = ['tcp', 'ws'] as const;

export function portsOf(config: BridgeConfig): readonly Port[] {
  const ports = config['stratum.ports'];
  if (ports.length > 0) return ports;
  return OF_DEFAULT.flatMap((name): Port[] => {
    const listen = config[`stratum.${name}`];
    return listen === 'off' ? [] : [{ name, listen, transport: name, tls: 'also', proxy: 'also' }];
  });
}

/** The setting that a port comes from. */
export function keyOfPort(config: Partial<BridgeConfig>, name: string) {
  const isNamed = config['stratum.ports']?.some((port) => port.name === name);
  return isNamed || (name !== 'tcp' && name !== 'ws') ? 'stratum.ports' : (`stratum.${name}` as const);
}
