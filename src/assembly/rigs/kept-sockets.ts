/** Listening sockets of rigs that go from one bridge to the next. */

import { closeSync } from 'node:fs';
import type { OwnSocket, Succession } from '../../cli/service/succession.js';
import { type Port, portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { SocketHandle } from '../../core/names/listening.js';

/** Those that the settings still mean, name -> descriptor; the others are closed. */
export function takeKept(
  config: BridgeConfig,
  { sockets: kept }: Pick<Succession, 'sockets'> = { sockets: [] },
): ReadonlyMap<string, number> {
  const isMeant = (socket: Succession['sockets'][number]): boolean =>
    portsOf(config).some(({ name, listen: { host, port } }) => {
      return name === socket.name && host === socket.host && port === socket.port;
    });
  // They would hold connections that nobody takes.
  for (const { fd } of kept.filter((socket) => !isMeant(socket))) closeSync(fd);
  return new Map(kept.filter(isMeant).map(({ name, fd }) => [name, fd]));
}

export function portsWith(
  config: BridgeConfig,
  kept: ReadonlyMap<string, number> = new Map(),
): readonly Port[] {
  return portsOf(config).map((port) => {
    const fd = kept.get(port.name);
    return fd === undefined ? port : { ...port, listen: { ...port.listen, fd } };
  });
}

/** For the next one, with the addresses that the settings say. */
export function socketsOf(
  config: BridgeConfig,
  open: ReadonlyMap<string, SocketHandle>,
): readonly OwnSocket[] {
  return portsOf(config).flatMap(({ name, listen: { host, port } }) => {
    const handle = open.get(name);
    return handle ? [{ name, host, port, handle }] : [];
  });
}
