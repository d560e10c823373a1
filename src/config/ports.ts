/** The ports of rigs that the settings mean: those of `stratum.ports`, or else `stratum.tcp` and `stratum.ws`. */
import { isDeepStrictEqual } from 'node:util';
import type { BridgeConfig } from './settings.js';

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

/** A port that takes a restart: where it listens, and how, is settled at the start. */
export interface MovedPort {
  readonly name: string;
  readonly why: string;
}

/** What else of them has changed is in force at once. */
export function movedPorts(before: BridgeConfig, after: BridgeConfig): MovedPort[] {
  const [was, is] = [placesOf(before), placesOf(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names
    .filter((name) => !isDeepStrictEqual(was.get(name), is.get(name)))
    .map((name) => ({ name, why: !was.has(name) ? 'it is new' : is.has(name) ? MOVED : 'it is gone' }));
}

const MOVED = 'its address or transport is another';

function placesOf(config: BridgeConfig): ReadonlyMap<string, object> {
  return new Map(portsOf(config).map(({ name, listen, transport }) => [name, { ...listen, transport }]));
}
