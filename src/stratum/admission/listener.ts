/** Listening sockets: a port that is taken is a sentence, an address is what was really bound. */
import { createServer, type Server, type Socket } from 'node:net';
import { type ListenAddress, listenAt } from '../../core/names/listening.js';

export type { ListenAddress };

export class StratumListenError extends Error {
  override readonly name = 'StratumListenError';
  readonly code = 'stratum-listen';
  /** Its name. */
  readonly port: string;

  constructor(port: string, address: ListenAddress, cause: Error) {
    const where = `port ${port}, ${formatAddress(address)}`;
    super(`cannot listen for rigs (${where}): ${sentenceOf(cause)}`, { cause });
    this.port = port;
  }
}

function sentenceOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another program uses this port; stop it or choose another port';
    case 'EACCES':
      return 'ports below 1024 need more rights; choose a higher one';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address';
    default:
      return error.message;
  }
}

export interface Listener {
  readonly address: ListenAddress;
  /** Takes no more connections; those that stand are their owners' to end. */
  close(): void;
}

/** {@link listen}, or what opens a port that this process shares with others. Rejects with the system's error, too. */
export type Listen = (
  name: string,
  address: ListenAddress,
  onSocket: (socket: Socket) => void,
) => Promise<Listener>;

/** Connections that the system holds until they are taken: a storm of rigs, or a restart on a socket of systemd's. */
const BACKLOG = 4096;

/** Rejects with {@link StratumListenError}. */
export async function listen(
  name: string,
  address: ListenAddress,
  onSocket: (socket: Socket) => void,
): Promise<Listener> {
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: 60_000 }, onSocket);
  const bind = ({ host, port, fd }: ListenAddress): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', () => {
        server.off('error', reject);
        resolve();
      });
      if (fd === undefined) server.listen({ host, port, backlog: BACKLOG });
      else server.listen({ fd }, BACKLOG);
    });
  await listenAt(address, bind).catch((error: Error) => {
    throw new StratumListenError(name, address, error);
  });
  return {
    address: boundAddress(server, address),
    close: () => void server.close(),
  };
}

function boundAddress(server: Server, asked: ListenAddress): ListenAddress {
  const bound = server.address();
  return typeof bound === 'object' && bound ? { host: bound.address, port: bound.port } : asked;
}

export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
