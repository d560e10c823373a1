/**
 * Sockets that listen already when this process starts, because systemd opened them for it: sd_listen_fds(3).
 *
 * They are systemd's: they stay open when the bridge ends, and rigs that connect meanwhile wait for the next one.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { ConfigError } from '../../config/layers/config-error.js';
import { portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { ListenAddress } from '../../core/names/listening.js';

/** The settings in whose place sockets are used where `stratum.ports` is empty, and that of the web. */
const KEY_OF = { tcp: 'stratum.tcp', ws: 'stratum.ws', web: 'web.listen' } as const;
const NEEDS_NAME = 'the name of a port of rigs (tcp and ws, or one of stratum.ports), or web';

const FIRST_DESCRIPTOR = 3;

/** Descriptors by name: `FileDescriptorName=` of a socket unit. */
type Inherited = ReadonlyMap<string, number>;

/**
 * Takes the variables out of `env`, so that no child takes the sockets for its own; none are there when `LISTEN_PID` is not
 * `pid`. Throws {@link ConfigError} when a socket is not one that the bridge can use.
 */
export function takeInherited(
  env: NodeJS.ProcessEnv,
  pid: number,
  isListening: (fd: number) => boolean = isListeningTcp,
): Inherited {
  const { LISTEN_PID: meant, LISTEN_FDS: count = '', LISTEN_FDNAMES: names = '' } = env;
  for (const variable of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[variable];
  if (meant !== String(pid)) return new Map();
  const given = names === '' ? [] : names.split(':');
  if (count !== String(given.length))
    throw new ConfigError([
      `LISTEN_FDS says ${JSON.stringify(count)} and LISTEN_FDNAMES has ${given.length} names: each socket needs ${NEEDS_NAME} (FileDescriptorName= in its unit)`,
    ]);
  const problems = given.flatMap((name, i) =>
    problemOf(name, given.indexOf(name) < i, FIRST_DESCRIPTOR + i, isListening),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return new Map(given.map((name, i) => [name, FIRST_DESCRIPTOR + i]));
}

function problemOf(
  name: string,
  isSecond: boolean,
  fd: number,
  isListening: (fd: number) => boolean,
): string[] {
  const socket = socketText(name, fd);
  if (isSecond)
    return [
      `${socket} is the second of that name: give one; ListenStream= with a port alone takes IPv4 and IPv6`,
    ];
  if (!isListening(fd))
    return [
      `${socket} is no TCP socket that listens: its unit needs ListenStream= with a port, and no Accept=yes`,
    ];
  return [];
}

/** Linux alone has systemd, and tells there which sockets listen: proc(5), state 0A of /proc/net/tcp. */
function isListeningTcp(fd: number): boolean {
  const inode = inodeOf(fd);
  if (inode === undefined) return false;
  return ['tcp', 'tcp6'].some((table) =>
    readFileSync(`/proc/self/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .some((fields) => fields[3] === '0A' && fields[9] === inode),
  );
}

function inodeOf(fd: number): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // no such descriptor is open
    throw error;
  }
}

function socketText(name: string, fd: number): string {
  return `socket ${fd} of LISTEN_FDNAMES, ${JSON.stringify(name)},`;
}

/** The settings with these sockets in place of addresses. Throws {@link ConfigError} for one that there is no port for. */
export function withInherited(config: BridgeConfig, inherited: Inherited): BridgeConfig {
  const problems = Array.from(inherited, ([name, fd]) => problemWith(config, name, fd)).flat();
  if (problems.length > 0) throw new ConfigError(problems);
  const at = (name: string, address: ListenAddress): ListenAddress => {
    const fd = inherited.get(name);
    return fd === undefined ? address : { ...address, fd };
  };
  const orOff = (name: string, address: ListenAddress | 'off') =>
    address === 'off' ? address : at(name, address);
  return {
    ...config,
    'stratum.tcp': orOff('tcp', config['stratum.tcp']),
    'stratum.ws': orOff('ws', config['stratum.ws']),
    'stratum.ports': config['stratum.ports'].map((port) => ({ ...port, listen: at(port.name, port.listen) })),
    'web.listen': orOff('web', config['web.listen']),
  };
}

function problemWith(config: BridgeConfig, name: string, fd: number): string[] {
  const names = [
    ...portsOf(config).map((port) => port.name),
    ...(config['web.listen'] === 'off' ? [] : ['web']),
  ];
  if (names.includes(name)) return [];
  const isOff = name === 'web' || (Object.hasOwn(KEY_OF, name) && config['stratum.ports'].length === 0);
  if (!isOff)
    return [`${socketText(name, fd)} has no name of ours: FileDescriptorName= is one of ${names.join(', ')}`];
  const key = KEY_OF[name as keyof typeof KEY_OF];
  return [
    `${key} is off, and systemd hands socket ${fd} over for it: stop that socket unit, or leave the setting out`,
  ];
}
