/**
 * Sockets that listen already when this process starts, because systemd opened them for it: sd_listen_fds(3).
 *
 * They are systemd's: they stay open when the bridge ends, and rigs that connect meanwhile wait for the next one.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { ListenAddress } from '../../core/listening.js';

/** The names (`FileDescriptorName=` of a socket unit) and the settings in whose place the sockets are used. */
const KEY_OF = { tcp: 'stratum.tcp', ws: 'stratum.ws', web: 'web.listen' } as const;
type Name = keyof typeof KEY_OF;
const NAMES = Object.keys(KEY_OF).join(', ');

const FIRST_DESCRIPTOR = 3;

/** Descriptors by name. */
export type Inherited = ReadonlyMap<Name, number>;

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
      `LISTEN_FDS says ${JSON.stringify(count)} and LISTEN_FDNAMES has ${given.length} names: each socket needs one of ${NAMES} (FileDescriptorName= in its unit)`,
    ]);
  const problems = given.flatMap((name, i) =>
    problemOf(name, given.indexOf(name) < i, FIRST_DESCRIPTOR + i, isListening),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return new Map(given.map((name, i) => [name as Name, FIRST_DESCRIPTOR + i]));
}

function problemOf(
  name: string,
  isSecond: boolean,
  fd: number,
  isListening: (fd: number) => boolean,
): string[] {
  const socket = `socket ${fd} of LISTEN_FDNAMES, ${JSON.stringify(name)},`;
  if (!Object.hasOwn(KEY_OF, name))
    return [`${socket} has no name of ours: FileDescriptorName= is one of ${NAMES}`];
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

/** The settings with these sockets in place of addresses. Throws {@link ConfigError} for one whose port is off. */
export function withInherited(config: BridgeConfig, inherited: Inherited): BridgeConfig {
  const keys = Array.from(inherited, ([name, fd]) => [KEY_OF[name], fd] as const);
  const problems = keys
    .filter(([key]) => config[key] === 'off')
    .map(
      ([key, fd]) =>
        `${key} is off, and systemd hands socket ${fd} over for it: stop that socket unit, or leave the setting out`,
    );
  if (problems.length > 0) throw new ConfigError(problems);
  const replaced = keys.map(([key, fd]) => [key, { ...(config[key] as ListenAddress), fd }]);
  return { ...config, ...Object.fromEntries(replaced) } as BridgeConfig;
}
